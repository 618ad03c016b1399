/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Machines: a tree whose files hold what the fuzzer says, one piece of the input for each, 0xFE
 * between them. A piece that begins with 0xFD is no file; its next byte says what stands there. The
 * last piece is names of folders among the zones, a NUL after each. A scan ends, closes what it
 * opened and stays within its limits; what is made of it is a document; a snapshot has no control
 * characters.
 */

#include <errno.h>
#include <string.h>

#include <joulie/object.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "fuzz/fuzz.h"
#include "host/scan.h"
#include "host/snapshot.h"
#include "node/hardware.h"
#include "schema/encode.h"
#include "schema/row.h"

#define ZONES "sys/devices/virtual/powercap/intel-rapl"
#define ZONE ZONES "/intel-rapl:0"
#define CPU "sys/devices/system/cpu"
#define PCI "sys/devices/pci0000:00/0000:00:01.0"

static const char *const paths[] = {
    "proc/cpuinfo",
    "proc/meminfo",
    "proc/sys/kernel/random/boot_id",
    ZONE "/name",
    ZONE "/enabled",
    ZONE "/energy_uj",
    ZONE "/max_energy_range_uj",
    ZONE "/constraint_0_name",
    ZONE "/constraint_0_power_limit_uw",
    ZONE "/constraint_0_max_power_uw",
    ZONE "/constraint_1_name",
    ZONE "/constraint_1_power_limit_uw",
    ZONE "/intel-rapl:0:0/name",
    ZONE "/intel-rapl:0:0/energy_uj",
    ZONES "/intel-rapl:1/name",
    ZONES "/intel-rapl:1/constraint_0_name",
    ZONES "/intel-rapl:1/constraint_0_power_limit_uw",
    "sys/devices/virtual/powercap/intel-rapl-mmio/intel-rapl-mmio:0/name",
    CPU "/cpufreq/policy0/affected_cpus",
    CPU "/cpufreq/policy0/scaling_driver",
    CPU "/cpufreq/policy0/scaling_max_freq",
    CPU "/cpufreq/policy0/cpuinfo_min_freq",
    CPU "/cpufreq/policy0/cpuinfo_max_freq",
    CPU "/cpufreq/policy2/base_frequency",
    CPU "/cpu0/topology/physical_package_id",
    CPU "/cpu0/topology/die_id",
    CPU "/cpu0/topology/core_id",
    CPU "/cpu1/topology/physical_package_id",
    CPU "/cpu1/online",
    "sys/devices/system/node/node0/cpulist",
    "sys/devices/system/node/node0/meminfo",
    PCI "/class",
    PCI "/vendor",
    PCI "/device",
    PCI "/numa_node",
    PCI "/hwmon/hwmon0/energy1_input",
};
#define FILES JL_COUNT(paths)
#define PATH_BYTES 1024
#define HANDLES 64

struct piece {
    const char *bytes;
    size_t len;
};

struct handle {
    bool is_open;
    char path[PATH_BYTES];
    bool is_listed;
    const struct piece *piece; /* NULL = a folder */
};

struct world {
    struct piece pieces[FILES];
    struct piece names;
    struct handle handles[HANDLES];
};

/* ---- a kernel ---- */

enum { NOTHING, LINK, FOLDER, OTHER, REFUSED, KINDS };

static bool is_no_file(const struct piece *piece)
{
    return piece->len > 1 && (unsigned char)piece->bytes[0] == 0xFD;
}

static bool is_extra_name(const struct world *world, const char *path)
{
    static const char folder[] = ZONES "/";
    if (strncmp(path, folder, strlen(folder)) != 0)
        return false;
    const char *name = path + strlen(folder);
    const size_t bytes = strlen(name) + 1;
    for (size_t i = 0; i + bytes <= world->names.len; i++) {
        if ((i == 0 || world->names.bytes[i - 1] == '\0') &&
            memcmp(world->names.bytes + i, name, bytes) == 0)
            return true;
    }
    return false;
}

/* What stands at a path: 0 with its kind, -ENOENT, or the errno that opening it gives. */
static int look(const struct world *world, const char *path, struct jl_os_file *out,
                const struct piece **out_piece)
{
    const size_t len = strlen(path);
    *out = (struct jl_os_file){ .kind = JL_OS_FOLDER, .mode = 0755 };
    *out_piece = NULL;
    for (size_t i = 0; i < FILES; i++) {
        if (strncmp(paths[i], path, len) != 0)
            continue;
        if (paths[i][len] == '/' || len == 0)
            return 0;
        if (paths[i][len] != '\0')
            continue;
        const struct piece *piece = &world->pieces[i];
        const int kind = is_no_file(piece) ? piece->bytes[1] & 7 : KINDS;
        if (kind == NOTHING)
            return -ENOENT;
        *out_piece = piece;
        out->kind = kind == LINK     ? JL_OS_LINK
                    : kind == FOLDER ? JL_OS_FOLDER
                    : kind == OTHER  ? JL_OS_OTHER
                                     : JL_OS_FILE;
        return kind == REFUSED ? -EACCES : 0;
    }
    return is_extra_name(world, path) ? 0 : -ENOENT;
}

static void join(const struct world *world, int dir_fd, const char *name, char out[PATH_BYTES])
{
    const char *folder = world->handles[dir_fd].path;
    FUZZ_REQUIRE(world->handles[dir_fd].is_open && strchr(name, '/') == NULL);
    FUZZ_REQUIRE(strcmp(name, "..") != 0);
    if (strcmp(name, ".") == 0)
        name = "";
    const char *slash = folder[0] != '\0' && name[0] != '\0' ? "/" : "";
    FUZZ_REQUIRE(snprintf(out, PATH_BYTES, "%s%s%s", folder, slash, name) < PATH_BYTES);
}

static int fake_open(void *user, int dir_fd, const char *name, unsigned flags)
{
    struct world *world = user;
    struct jl_os_file file;
    struct handle next = { .is_open = true };
    join(world, dir_fd, name, next.path);
    const int rc = look(world, next.path, &file, &next.piece);
    FUZZ_REQUIRE((flags & ~(unsigned)JL_OS_FOLDER_FD) == JL_OS_READ);
    if (rc < 0)
        return rc;
    if (flags == JL_OS_FOLDER_FD && file.kind != JL_OS_FOLDER)
        return -ENOTDIR;
    FUZZ_REQUIRE(flags == JL_OS_FOLDER_FD || file.kind == JL_OS_FILE); /* nothing else is opened */
    for (int fd = 1; fd < HANDLES; fd++) {
        if (!world->handles[fd].is_open) {
            world->handles[fd] = next;
            return fd;
        }
    }
    FUZZ_REQUIRE(false); /* descriptors leak */
    return -EMFILE;
}

static int fake_close(void *user, int fd)
{
    struct world *world = user;
    FUZZ_REQUIRE(fd > 0 && fd < HANDLES && world->handles[fd].is_open);
    world->handles[fd].is_open = false;
    return 0;
}

static int64_t fake_pread(void *user, int fd, void *bytes, size_t len, uint64_t offset)
{
    const struct world *world = user;
    const struct piece *piece = world->handles[fd].piece;
    FUZZ_REQUIRE(world->handles[fd].is_open && piece != NULL);
    if (is_no_file(piece)) /* the first byte of the rest is an errno */
        return piece->len > 2 ? -(1 + (piece->bytes[2] & 127)) : -ENODATA;
    if (offset >= piece->len)
        return 0;
    const size_t left = piece->len - (size_t)offset;
    memcpy(bytes, piece->bytes + offset, left < len ? left : len);
    return (int64_t)(left < len ? left : len);
}

static int fake_stat(void *user, int dir_fd, const char *name, struct jl_os_file *out)
{
    const struct piece *piece = NULL;
    char path[PATH_BYTES];
    join(user, dir_fd, name, path);
    const int rc = look(user, path, out, &piece);
    return rc == -EACCES ? 0 : rc;
}

static int fake_fstat(void *user, int fd, struct jl_os_file *out)
{
    const struct world *world = user;
    const struct piece *piece = NULL;
    return look(user, world->handles[fd].path, out, &piece);
}

/* Adds the next component of each path, once. */
static size_t list_paths(const char *folder, char *names, size_t size)
{
    const size_t len = strlen(folder);
    size_t used = 0;
    for (size_t i = 0; i < FILES; i++) {
        if (strncmp(paths[i], folder, len) != 0 || (len > 0 && paths[i][len] != '/'))
            continue;
        const char *start = paths[i] + len + (len > 0);
        const size_t bytes = strcspn(start, "/");
        bool is_there = false;
        for (size_t at = 0; at < used; at += strlen(names + at) + 1)
            is_there |= strlen(names + at) == bytes && memcmp(names + at, start, bytes) == 0;
        if (is_there)
            continue;
        FUZZ_REQUIRE(used + bytes + 1 <= size);
        memcpy(names + used, start, bytes);
        names[used + bytes] = '\0';
        used += bytes + 1;
    }
    return used;
}

static int64_t fake_list(void *user, int fd, char *names, size_t size)
{
    struct world *world = user;
    struct handle *handle = &world->handles[fd];
    FUZZ_REQUIRE(handle->is_open && handle->piece == NULL);
    if (handle->is_listed)
        return 0;
    handle->is_listed = true;
    size_t used = list_paths(handle->path, names, size);
    const size_t extra = world->names.len;
    if (strcmp(handle->path, ZONES) == 0 && extra > 0 && world->names.bytes[extra - 1] == '\0' &&
        used + extra <= size) {
        memcpy(names + used, world->names.bytes, extra);
        used += extra;
    }
    return (int64_t)used;
}

/* ---- what must hold ---- */

static void check_texts(const struct jl_host_facts *facts)
{
    for (size_t i = 0; i < facts->warning_count; i++)
        FUZZ_REQUIRE(jl_root_is_printable(facts->warnings[i].where));
    FUZZ_REQUIRE(facts->warning_count <= 256);
    FUZZ_REQUIRE(facts->cpu_model == NULL || jl_root_is_printable(facts->cpu_model));
    FUZZ_REQUIRE(facts->cpu_vendor == NULL || strlen(facts->cpu_vendor) <= 128);
    FUZZ_REQUIRE(facts->boot_id == NULL || strchr(facts->boot_id, '/') == NULL);
}

static void check_facts(const struct jl_host_facts *facts)
{
    check_texts(facts);
    FUZZ_REQUIRE(facts->zone_count <= JL_LIMIT_ZONES && facts->policy_count <= 2);
    FUZZ_REQUIRE(facts->cpu_count <= 2 && facts->gpu_count <= 1 && facts->numa_count <= 1);
    FUZZ_REQUIRE(facts->cpuinfo_packages <= facts->cpuinfo_cores);
    for (size_t i = 0; i < facts->zone_count; i++) {
        const struct jl_zone *zone = &facts->zones[i];
        FUZZ_REQUIRE(zone->parent == SIZE_MAX || zone->parent < i);
        FUZZ_REQUIRE(zone->name == NULL || jl_root_is_printable(zone->name));
        FUZZ_REQUIRE(strncmp(zone->path, "sys/devices/virtual/powercap/", 29) == 0);
    }
    for (size_t i = 0; i < facts->policy_count; i++) {
        for (size_t c = 0; c < facts->policies[i].cpu_count; c++)
            FUZZ_REQUIRE(facts->policies[i].cpus[c] < 65536);
    }
}

static void check_status(const struct jl_hardware_status *status)
{
    const struct jl_cpu_package *packages = status->cpu.packages.items;
    struct jl_buffer json = { 0 };
    char *line = NULL;
    for (size_t i = 0; i < status->cpu.packages.count; i++) {
        FUZZ_REQUIRE(i == 0 || packages[i - 1].index < packages[i].index);
        FUZZ_REQUIRE(packages[i].max_w >= 0 && packages[i].max_w <= 4096.0 * JL_LIMIT_ZONES);
        FUZZ_REQUIRE(!packages[i].controllable || packages[i].max_w > 0);
    }
    jl_encode(&json, &jl_hardware_status_table, status);
    FUZZ_REQUIRE(joulie_format(json.data, json.len, JOULIE_FORM_LINE, &line, NULL) == 0);
    joulie_free(line);
    jl_buffer_clear(&json);
}

static int check_entry(void *user, const struct jl_snapshot_entry *entry)
{
    (void)user;
    FUZZ_REQUIRE(jl_root_is_printable(entry->path));
    for (size_t i = 0; i < entry->len; i++) {
        const unsigned char c = (unsigned char)entry->bytes[i];
        FUZZ_REQUIRE((c >= ' ' && c < 0x7F) || c == '\n' || c == '\t');
    }
    return 0;
}

static void take_piece(struct piece *left, struct piece *out)
{
    const char *end = left->len > 0 ? memchr(left->bytes, 0xFE, left->len) : NULL;
    out->bytes = left->bytes;
    out->len = end != NULL ? (size_t)(end - left->bytes) : left->len;
    const size_t taken = out->len + (end != NULL);
    left->bytes += taken;
    left->len -= taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    struct piece left = { (const char *)data, size };
    memset(&world, 0, sizeof world);
    for (size_t i = 0; i < FILES; i++)
        take_piece(&left, &world.pieces[i]);
    take_piece(&left, &world.names);
    world.handles[0].is_open = true;

    const struct jl_os os = { .user = &world,
                              .open = fake_open,
                              .close = fake_close,
                              .pread = fake_pread,
                              .stat = fake_stat,
                              .fstat = fake_fstat,
                              .list = fake_list };
    const struct jl_root root = { os, 0 };
    struct jl_arena arena = { 0 };
    struct jl_host_facts facts;
    struct jl_hardware_status status;
    struct jl_snapshot snapshot = { .sink = check_entry, .arena = &arena };
    FUZZ_REQUIRE(jl_host_scan(&root, &arena, &facts) == 0);
    check_facts(&facts);
    FUZZ_REQUIRE(jl_node_hardware_status(&facts, &arena, &status) == 0);
    check_status(&status);
    FUZZ_REQUIRE(jl_host_snapshot(&root, &snapshot) == 0);
    for (int fd = 1; fd < HANDLES; fd++)
        FUZZ_REQUIRE(!world.handles[fd].is_open);
    jl_arena_clear(&arena);
    return 0;
}
