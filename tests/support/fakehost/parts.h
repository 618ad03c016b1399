/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of the fake kernel share. */

#include "base/buffer.h"
#include "model.h"

#define FK_CONSTRAINTS_MAX 3
#define FK_POWERCAP "sys/devices/virtual/powercap"
#define FK_POWER_UNIT_UW UINT64_C(125000) /* 1/8 W: all server parts */
#define FK_CPU "sys/devices/system/cpu"
#define FK_SYSFS_SIZE 4096 /* st_size of every attribute */

enum fk_kind { FK_FILE, FK_FOLDER, FK_LINK, FK_OTHER };

enum fk_live {
    FK_ORDINARY,
    FK_FIXED,            /* its text changes only when somebody writes */
    FK_FIXED_CONSTRAINT, /* empty: ENODATA */
    FK_FIXED_ENERGY,     /* empty: EINVAL */
    FK_ENERGY,
    FK_ENABLED,
    FK_TYPE_ENABLED,
    FK_LIMIT,
    FK_WINDOW,
    FK_FREQ_MIN,
    FK_FREQ_MAX,
    FK_FREQ_NOW,
    FK_GOVERNOR,
    FK_STAT,
    FK_CONTROL, /* a file of fake/, see control.c */
};

struct fk_bytes {
    char *data;
    size_t len;
    size_t capacity;
};

struct fk_entry {
    char *name;
    struct fk_node *node;
    uint64_t order; /* the later the greater: listed first */
};

struct fk_names {
    struct fk_entry *items;
    size_t count;
    size_t capacity;
};

struct fk_node {
    struct fk_node *next; /* all nodes; they are freed with the tree only */
    struct fk_node *parent;
    char *name;
    enum fk_kind kind;
    unsigned mode;
    uint64_t inode;
    int64_t mtime_ns;
    uint64_t life;  /* grows when the kernel takes it away; descriptors remember theirs */
    bool is_kernel; /* nothing is created, renamed or removed here */

    struct fk_names names; /* folder: now, and as it was synced */
    struct fk_names kept_names;
    struct fk_bytes bytes; /* file: now, and as it was synced */
    struct fk_bytes kept_bytes;
    char *target; /* link */

    enum fk_live live;
    struct fk_zone *zone;
    struct fk_policy *policy;
    const struct fk_control *control;
    unsigned constraint;
    int lock_fd; /* -1 = free */
    uint64_t writes;
};

struct fk_constraint {
    bool is_there;
    bool has_window;
    bool is_limit; /* 0 in the tree: none until somebody writes */
    bool first_is_limit;
    uint64_t limit_uw;
    uint64_t first_limit_uw;
    uint64_t window_us;
    uint64_t first_window_us;
};

enum fk_zone_kind { FK_ZONE_PACKAGE, FK_ZONE_DRAM, FK_ZONE_CORE, FK_ZONE_UNCORE, FK_ZONE_PSYS };

struct fk_zone {
    struct fk_zone *next;
    struct fk_node *node;
    struct fk_node *home; /* the folder that holds it */
    char *vanished_as;    /* path before it vanished; NULL = it is there */
    enum fk_zone_kind kind;
    size_t unit;  /* psys: not used */
    double share; /* of the energy of its unit, or of all units */
    bool is_amd;  /* no limits at all */
    bool has_enabled;
    bool is_enabled;
    bool first_enabled;
    uint64_t base_uj;
    uint64_t range_uj;
    struct fk_constraint constraints[FK_CONSTRAINTS_MAX];
};

struct fk_policy {
    struct fk_policy *next;
    struct fk_node *node;
    size_t unit;
    size_t cpus;
    uint64_t min_khz; /* cpuinfo_* */
    uint64_t max_khz;
    uint64_t *table; /* rising; NULL = any frequency */
    size_t table_count;
    uint64_t request_min_khz;
    uint64_t request_max_khz;
    uint64_t first_min_khz;
    uint64_t first_max_khz;
};

struct fk_pending {
    int64_t at_us;
    double long_w;
};

struct fk_unit { /* a package, or a die */
    uint32_t package;
    uint32_t die;
    bool has_die;
    size_t cpus;
    double tdp_w;
    double idle_w;
    double demand_w;
    double power_w;
    double energy_uj;
    double busy_s; /* CPU seconds */
    double long_w; /* in force */
    double planned_long_w;
    double short_w;
    struct fk_pending *pending;
    size_t pending_count;
    size_t pending_capacity;
};

enum fk_op {
    FK_OP_OPEN,
    FK_OP_READ,
    FK_OP_WRITE,
    FK_OP_STAT,
    FK_OP_LIST,
    FK_OP_SYNC,
    FK_OP_TRUNCATE,
    FK_OP_RENAME,
    FK_OP_UNLINK,
    FK_OP_MKDIR,
    FK_OP_LOCK,
    FK_OP_ERRNO_COUNT, /* the ones above take an errno */
    FK_OP_IGNORE = FK_OP_ERRNO_COUNT,
    FK_OP_SHORT,
    FK_OP_READONLY,
    FK_OP_ROUND,
    FK_OP_DRIFT,
    FK_OP_COUNT,
};

struct fk_rule {
    enum fk_op op;
    char *pattern;
    int error;
    uint64_t value; /* bytes, unit or value */
    uint64_t left;  /* uses or reads; UINT64_MAX = no end */
};

struct fk_file {          /* an open descriptor */
    struct fk_node *node; /* NULL = free */
    uint64_t life;
    unsigned flags; /* jl_os_flags */
    uint64_t position;
    uint64_t listed; /* order of the last name given, 0 = dots are next */
};

struct fk {
    struct fk_node *nodes;
    struct fk_node *root;
    uint64_t last_inode;
    uint64_t last_order;
    int64_t epoch_ns; /* mtime of time 0 */
    uint64_t changes; /* makes each mtime another one */

    struct fk_zone *zones;
    struct fk_policy *policies;
    size_t policy_count;
    struct fk_unit *units;
    size_t unit_count;
    int64_t now_us;
    int64_t delay_us;
    double lag_s;
    uint64_t boots;

    struct fk_rule *rules;
    size_t rule_count;
    size_t rule_capacity;
    uint64_t space_left; /* UINT64_MAX = no end */
    char message[256];

    bool is_root;
    struct fk_file *files;
    size_t file_count;
    size_t file_capacity;
    struct jl_os_counts counts;
    uint64_t stop_in; /* calls; 0 = never */
    bool is_stopped;
    void (*stop)(void *user);
    void *stop_user;

    struct jl_buffer path; /* of fk_path() */
    struct jl_buffer text; /* of fk_text() */
};

/* ---- memory.c ---- */

void *fk_alloc(size_t count, size_t size); /* zeroed, never NULL */
char *fk_copy(const char *text, size_t len);
void *fk_grow(void *items, size_t *capacity, size_t needed, size_t size);
void fk_bytes_set(struct fk_bytes *bytes, const char *data, size_t len);
void fk_bytes_put(struct fk_bytes *bytes, size_t offset, const char *data, size_t len);
void fk_bytes_resize(struct fk_bytes *bytes, size_t len); /* new bytes are 0 */

/* ---- tree.c ---- */

struct fk_node *fk_node_new(struct fk *fk, enum fk_kind kind, unsigned mode);
struct fk_entry *fk_entry(struct fk_names *names, const char *name, size_t len);
void fk_attach(struct fk *fk, struct fk_node *folder, const char *name, struct fk_node *node);
void fk_detach(struct fk_node *node); /* from its parent; it lives on */
void fk_names_copy(struct fk_names *to, const struct fk_names *from);
/* The node at a path below a folder, links in between followed; NULL = none. */
struct fk_node *fk_find(struct fk *fk, struct fk_node *from, const char *path);

/* The same with the reason: 0 and *out (NULL when only the last name is missing), with the folder
 * and the last name ("" = the path ends in a folder itself); or a negative errno. */
struct fk_place {
    struct fk_node *folder;
    struct fk_node *node;
    char name[256];
    bool must_be_folder; /* a slash at the end */
};

int fk_walk(struct fk *fk, struct fk_node *from, const char *path, struct fk_place *out);
const char *fk_path(struct fk *fk, const struct fk_node *node); /* valid until the next call */
void fk_touch(struct fk *fk, struct fk_node *node);
void fk_set_epoch(struct fk *fk, int64_t epoch_ns); /* moves all times of change */
int fk_load_tree(struct fk *fk, const char *tree, char *why, size_t why_size);

/* ---- wire.c: which file means what ---- */

void fk_wire(struct fk *fk);
int fk_zone_vanish(struct fk *fk, const char *path);
int fk_zone_return(struct fk *fk, const char *path, const char *name, bool is_enabled);
uint64_t fk_node_number(const struct fk_node *node); /* first number of the text; UINT64_MAX */

/* ---- plant.c ---- */

void fk_plan_limits(struct fk *fk, size_t unit); /* after a limit changed */
void fk_settle(struct fk *fk);                   /* the tree is loaded: nothing is pending */
double fk_policy_khz(const struct fk *fk, const struct fk_policy *policy); /* it runs with now */
void fk_policy_range(const struct fk_policy *policy, uint64_t *out_min, uint64_t *out_max);
uint64_t fk_zone_energy_uj(const struct fk *fk, const struct fk_zone *zone);

/* ---- live.c: kernel files ---- */

int fk_live_read(struct fk *fk, struct fk_node *node, struct jl_buffer *out);
/* unit_uw: of a limit. 0 or a negative errno. */
int fk_live_write(struct fk *fk, struct fk_node *node, const char *text, size_t len,
                  uint64_t unit_uw);
void fk_live_reset(struct fk *fk); /* as in the tree */

/* ---- control.c: fake/ ---- */

void fk_control_add(struct fk *fk);
void fk_control_read(struct fk *fk, const struct fk_control *control, struct jl_buffer *out);
int fk_control_write(struct fk *fk, const struct fk_control *control, const char *text, size_t len);

/* ---- fault.c ---- */

/* The rule that fits and counts one use of it; NULL = none. */
struct fk_rule *fk_rule_use(struct fk *fk, enum fk_op op, const char *path);
int fk_rule_error(struct fk *fk, enum fk_op op, const char *path); /* 0 or a negative errno */
bool fk_rule_readonly(struct fk *fk, const char *path);
void fk_rule_read(struct fk *fk, struct fk_node *node, const char *path); /* after a read: drift */
void fk_rules_put(const struct fk *fk, struct jl_buffer *out);
void fk_rules_clear(struct fk *fk);

/* ---- vfs.c: what a process can do, with faults; negative errno ---- */

int fk_vfs_open(struct fk *fk, struct fk_node *from, const char *path, unsigned flags,
                unsigned mode);
int fk_vfs_close(struct fk *fk, int fd);
int64_t fk_vfs_pread(struct fk *fk, int fd, void *bytes, size_t len, uint64_t offset);
int64_t fk_vfs_pwrite(struct fk *fk, int fd, const void *bytes, size_t len, uint64_t offset);
int64_t fk_vfs_append(struct fk *fk, int fd, const void *bytes, size_t len);
int fk_vfs_stat(struct fk *fk, struct fk_node *from, const char *path, struct fk_node **out);
int fk_vfs_fstat(struct fk *fk, int fd, struct fk_node **out);
int64_t fk_vfs_list(struct fk *fk, int fd, char *names, size_t size);
void fk_vfs_rewind(struct fk *fk, int fd);
int fk_vfs_truncate(struct fk *fk, struct fk_node *node, uint64_t size);
int fk_vfs_ftruncate(struct fk *fk, int fd, uint64_t size);
int fk_vfs_sync(struct fk *fk, int fd);
int fk_vfs_rename(struct fk *fk, struct fk_node *from_folder, const char *from,
                  struct fk_node *to_folder, const char *to);
int fk_vfs_unlink(struct fk *fk, struct fk_node *from, const char *path);
int fk_vfs_rmdir(struct fk *fk, struct fk_node *from, const char *path);
int fk_vfs_mkdir(struct fk *fk, struct fk_node *from, const char *path, unsigned mode);
int fk_vfs_lock(struct fk *fk, int fd);
struct fk_node *fk_vfs_folder(struct fk *fk, int fd); /* NULL = not an open folder */
uint64_t fk_size(const struct fk_node *node);         /* st_size */
void fk_close_all(struct fk *fk);
