/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the files of this room share: one machine, its controls (numbers that may be written), its
 * meters (energy counters) and its packages. Nothing is decided here: targets come from node/, the
 * states of controls from node/cap_life.h, the rules of numbers from power/ and caps/.
 */

#include <joulie/host.h>

#include "base/buffer.h"
#include "base/error.h"
#include "caps/dvfs.h"
#include "enforce/client.h"
#include "enforce/give_back.h"
#include "enforce/journal_file.h"
#include "enforce/keep.h"
#include "host/scan.h"
#include "node/node.h"
#include "power/energy.h"

#define JL_NOWHERE SIZE_MAX

struct jl_control {
    struct jl_control_file file;
    char *other_path; /* limit of the MMIO twin; NULL = there is none */
    int fd_other;     /* -1 = not open */
    struct jl_fact other;
    size_t package;  /* index into packages; JL_NOWHERE = of no single package */
    uint64_t number; /* of a policy */
    bool has_found;
    uint64_t found; /* at first sight, else the journal's baseline */
    struct jl_cap_life life;
    struct jl_cap_life_view view;
    bool has_tried_switch;
    int64_t tried_switch_ms;           /* when `enabled` was last written for a cap */
    enum jl_device_state logged_state; /* in the log */
    enum jl_cap_reason logged_reason;
    uint64_t logged_value;
};

struct jl_meter {
    enum joulie_host_zone_kind kind;
    char *name; /* package-0, package-0/dram, psys */
    char *path; /* energy_uj */
    int fd;
    bool is_lost;
    size_t package;
    size_t control; /* whose limit is its limit; JL_NOWHERE = none */
    uint64_t range_uj;
    double tdp_w; /* 0 = unknown */
    bool has_last;
    uint64_t last_uj;
    int64_t last_us;
    int64_t moved_us; /* when it last grew, or was first read */
    bool is_stuck;
    int64_t slept_us; /* BOOTTIME - MONOTONIC then */
    uint64_t sum_uj;  /* since the host was opened */
    uint64_t resets;
    bool has_watts; /* of the last interval */
    double watts;
    bool has_published;
    int64_t published_us;
    uint64_t published_uj;
    uint64_t published_j;
    bool has_published_w;
    double published_w;
};

struct jl_package {
    int64_t index;
    struct jl_dvfs loop;
    struct jl_dvfs_legacy legacy;
    bool has_loop;
    bool has_run; /* its loop, in the last tick, over what has_seen and seen_w say */
    bool has_seen;
    double seen_w;
    bool has_watts;
    double watts;
    bool has_cap_time;
    int64_t cap_us;   /* since then this cap is in force */
    int64_t watts_us; /* when power was last known to a loop */
    double cap_w;
    bool is_ineffective;
    bool is_above; /* draws more than its cap lets it */
    int64_t above_ms;
    char *throttle_path; /* package_throttle_count; NULL = there is none */
    int fd_throttle;
    bool has_throttled;
    uint64_t throttled;    /* count when last read */
    bool is_hot;           /* it grew since the tick before */
    double reported_watts; /* in the last report that was news */
};

enum jl_backend { JL_BACKEND_NONE, JL_BACKEND_RAPL, JL_BACKEND_DVFS };

/* One write that was made, for the outcome. */
struct jl_made {
    size_t control; /* index: texts of a control change when its device comes back */
    bool has_from;
    uint64_t from;
    uint64_t to;
    bool has_read_back;
    uint64_t read_back;
    enum jl_wrote wrote;
};

#define JL_MADE_MAX 4096 /* the first so many are kept */

struct joulie_host {
    /* what it was opened with */
    struct jl_arena texts;
    const char *state_dir; /* NULL = below the root */
    const char *owner;
    struct jl_node_config config;
    struct jl_dvfs_params dvfs;
    bool is_legacy; /* controller */
    bool enforces;
    bool ramps;
    bool may_enable;
    bool gives_back_maximum;
    bool has_backed_twin;
    bool is_one_shot;
    joulie_log_fn *log;
    void *log_user;

    struct jl_os_counts counts;
    uint64_t restores; /* controls that were given back */
    uint64_t ups;      /* steps of frequency loops to a higher throttle */
    uint64_t downs;
    struct jl_root root;
    struct jl_arena facts_memory;
    struct jl_host_facts facts;

    struct jl_control *controls;
    size_t control_count, control_room;
    struct jl_meter *meters; /* packages, memory, platform */
    size_t meter_count, meter_room;
    struct jl_package *packages; /* by index */
    size_t package_count, package_room;
    bool is_node_wide; /* one loop of frequencies for all packages: packages[0] stands for them */
    uint32_t socket_count;
    double catalog_max_w; /* of a package; 0 = unknown */
    bool needs_scan;
    int64_t scanned_us;
    int64_t scan_pause_us; /* doubles while something stays lost */

    /* state folder */
    int state_fd;                    /* -1 = not open */
    struct jl_journal_file *journal; /* NULL = not ours */
    struct jl_client *client;        /* of a process that keeps it; NULL = we write ourselves */
    const struct jl_journal *peeked; /* while a plan is made */
    bool is_claimed;                 /* and written by us, or for us */
    int64_t writer_pid;              /* who claimed it: a fork of it writes nothing */
    bool has_seen_others;

    /* desired state */
    struct jl_arena twin_memory;
    struct jl_arena old_twin_memory; /* of the twin that the last tick saw, when it was replaced */
    const struct jl_twin_spec *spec;
    const char *last_updated;
    bool has_twin_word; /* somebody said what is desired, if only that nothing is */
    bool is_unread;
    struct jl_node_memory memory;

    /* the last tick */
    bool has_ticked;                    /* ever */
    bool has_tick;                      /* what is below is of it */
    bool has_summary;                   /* of the last tick or plan */
    struct joulie_node_summary summary; /* in tick_memory */

    struct {
        struct joulie_host_package *packages; /* part_count */
        struct joulie_host_write *writes;
        size_t write_count;
        bool is_there;
    } shown; /* what the last plan or the ticks came to; in tick_memory */
    struct joulie_host_time time;
    bool is_disabled;
    enum jl_backend backend;
    struct jl_arena tick_memory;
    struct jl_node_input input;
    struct jl_part *parts;
    struct jl_part_want *wants;
    struct jl_part_reading *readings;
    size_t part_count;
    struct jl_node_observed cpu;
    int64_t first_tick_ms;
    const char *journal_message; /* why it took nothing in this tick; NULL = it did */
    bool is_journal_logged;      /* that it takes nothing, in the log */
    size_t logged_failures;      /* to give back, in the log */
    uint32_t writes;
    bool is_settled;
    int fd_etc;
    int fd_load;
    bool has_load;
    uint64_t load_busy, load_total;
    double load_pct; /* < 0 = unknown */

    /* reporting only news: what the last report that was news said */
    uint64_t reported_words; /* hash of the words of the report */
    double reported_watts;
    bool has_reported;

    struct jl_made *made;
    size_t made_count, made_room;
};

/* open.c; the root path is opened through the table. */
int jl_host_open_over(struct jl_os os, const struct joulie_host_options *options,
                      struct joulie_host **out, struct joulie_error *err);
void jl_host_log(const struct joulie_host *host, enum joulie_log_level level, const char *component,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What the exported functions share; err is the caller's, of any size. */
int jl_host_check_now(int64_t now_ms, struct joulie_error *err);
/* JOULIE_E_CONFLICT in a fork of the process that claimed the host. */
int jl_host_check_writer(const struct joulie_host *host, struct joulie_error *err);

int jl_host_open_state(struct joulie_host *host, bool is_writer); /* fd, negative errno */
const char *jl_host_state_name(const struct joulie_host *host);

/* claim.c: what is open in the journal, for a writer of it or a reader. NULL = there is no folder
 * yet, or it was not read. */
struct jl_peek {
    const struct jl_journal *open; /* until the peek ends */
    struct jl_journal_file *file;
    int fd;
};

int jl_host_peek(struct joulie_host *host, struct jl_peek *out, struct joulie_error *err);
void jl_host_stop_peeking(struct joulie_host *host, struct jl_peek *peek);
/* Of a host that is claimed, or that peeks for a plan; else NULL. */
const struct jl_journal *jl_host_open_keys(const struct joulie_host *host);
const struct jl_journal_entry *jl_host_open_key(const struct joulie_host *host, const char *key);
void jl_host_remember_baselines(struct joulie_host *host, const struct jl_journal *open);

/* kept.c: as joulie_host_set_keeper(), over any way to exchange packets. */
int jl_host_keep_by(struct joulie_host *host, jl_exchange_fn *exchange, void *user,
                    struct joulie_error *err);
/* A connection that is lost ends the claim: 0, or why it is. */
int jl_host_check_keeper(struct joulie_host *host, struct joulie_error *err);

/* controls.c */
int jl_host_bind(struct joulie_host *host);         /* facts → controls, meters, packages */
int jl_host_rescan(struct joulie_host *host);       /* when something vanished */
void jl_host_reopen(struct joulie_host *host);      /* from now on for writing */
void jl_host_drop(struct joulie_host *host);        /* closes and frees them */
bool jl_is_limit(const struct jl_control *control); /* of a package, else a frequency */
struct jl_control *jl_control_of(struct jl_control_file *file); /* whose files they are */
void jl_control_read(struct joulie_host *host, struct jl_control *control);
struct jl_control *jl_control_find(struct joulie_host *host, const char *key);
/* The control of a kind and a package (JL_NOWHERE = of any) behind one, which is NULL before the
 * first; NULL behind the last. */
struct jl_control *jl_control_next(const struct joulie_host *host, enum jl_control_kind kind,
                                   size_t package, const struct jl_control *control);

/* observe.c */
void jl_host_read_meters(struct joulie_host *host, const struct joulie_host_time *time);
void jl_host_read_load(struct joulie_host *host);
void jl_host_read_throttle(struct joulie_host *host);
bool jl_host_stat_disable(struct joulie_host *host);

/* write.c */

/* As jl_keep_write(), of files of controls; their states hear what came of it. */
void jl_host_write(struct joulie_host *host, struct jl_keep_item *items, size_t count,
                   bool is_group, int64_t now_ms);
/* A write that was made, for the outcome. */
void jl_host_remember(struct joulie_host *host, const struct jl_keep_item *item);
/* That the journal took nothing, once, however often it is tried. */
void jl_host_log_journal(struct joulie_host *host, const struct joulie_error *err);

/* restore.c: gives back the open keys that keep() does not hold; count of failures. */
typedef bool jl_keep_fn(struct joulie_host *host, const struct jl_control *control);
size_t jl_host_give_back(struct joulie_host *host, jl_keep_fn *keep, int64_t now_ms,
                         struct jl_buffer *restored, struct jl_buffer *failed);
void jl_put_entry(struct jl_buffer *out,
                  const struct jl_journal_entry *entry); /* key, unit; open */
size_t jl_host_give_back_others(struct joulie_host *host, int64_t now_ms,
                                struct jl_buffer *restored, struct jl_buffer *failed);

/* parts.c: what the step is asked over. 0 or JOULIE_E_NOMEM. */
int jl_host_make_parts(struct joulie_host *host);
bool jl_host_is_locked(const struct joulie_host *host); /* one of the package limits */
enum jl_backend jl_host_choose_backend(const struct joulie_host *host);
/* What the zones of a package limit it to now; false = one of them, or all, cannot be read. */
bool jl_host_limit_in_force(const struct joulie_host *host, size_t package, double *out_w);
double jl_control_reference_w(const struct jl_control *control);
/* The share of a package's target that one of its zones takes, in its steps. */
uint64_t jl_control_target_uw(const struct joulie_host *host, const struct jl_control *control,
                              double package_w);

int64_t jl_host_monotonic_ms(const struct joulie_host *host);
bool jl_host_awaits_word(const struct joulie_host *host); /* the first, of what is desired */
bool jl_is_cap_wanted(const struct joulie_host *host, size_t package); /* by the last step */
/* A package limit that the last step wants a cap on. */
bool jl_is_limited(const struct joulie_host *host, const struct jl_control *control);
/* The same, or the short-term limit beside it: they change together or not at all. */
bool jl_is_in_group(const struct joulie_host *host, const struct jl_control *control);

/* dvfs.c */
void jl_host_run_loops(struct joulie_host *host, int64_t now_ms);
/* Why no frequency can keep watts. */
const char *jl_host_no_loop_text(const struct joulie_host *host);
/* Whether what is wanted of a package can be had by frequencies. */
bool jl_host_can_throttle(const struct joulie_host *host, size_t package);

/* tick.c */
/* What must be raised before a package limit is raised to value; 0 or 1 item. */
size_t jl_host_raise_short(struct joulie_host *host, struct jl_control *control, uint64_t value,
                           struct jl_keep_item *item);
void jl_host_observe(struct joulie_host *host); /* controls, kill switch, backend */
bool jl_host_keeps(struct joulie_host *host, const struct jl_control *control);
int jl_host_decide(struct joulie_host *host, int64_t now_ms); /* parts, wants; no write */

/* judge.c */
void jl_host_see(struct joulie_host *host);
void jl_host_judge(struct joulie_host *host); /* see, and what it says about the caps */
