/* SPDX-License-Identifier: Apache-2.0 */

/* Reading and writing one control (docs/rules/enforcement.md#write) and giving it back
 * (#restore). Called by controls.c and write.c for a host, and by joulie-rescue. */

#include "enforce/control_file.h"

#include <errno.h>

#include "base/limits.h"
#include "power/rapl.h"

#define COARSEST_UNIT_UW UINT64_C(1000000) /* of small parts */

/* Of what a package can be believed to take, and the share of it that a limit keeps at least
 * (docs/rules/enforcement.md#bounds-of-a-restore). */
#define REFERENCE_MIN_UW UINT64_C(5000000)
#define REFERENCE_MAX_UW UINT64_C(2000000000)
#define FLOOR_PCT 30

static const struct jl_fact unknown = { .code = JOULIE_E_UNSUPPORTED };

struct jl_control_file jl_control_file_new(enum jl_control_kind kind)
{
    return (struct jl_control_file){
        .kind = kind,
        .fd = -1,
        .fd_enabled = -1,
        .unit = 1,
        .now = unknown,
        .enabled = unknown,
        .max = unknown,
        .zone_max = unknown,
    };
}

bool jl_is_limit_kind(enum jl_control_kind kind)
{
    return kind == JL_CONTROL_LONG || kind == JL_CONTROL_SHORT;
}

static bool is_limit(const struct jl_control_file *file)
{
    return jl_is_limit_kind(file->kind);
}

/* ---- opening and reading ---- */

static int open_number(const struct jl_root *root, const char *path, bool writes,
                       bool *is_read_only)
{
    *is_read_only = !writes;
    int fd = writes ? jl_root_file(root, path, JL_OS_WRITE) : -EACCES;
    if (fd == -EACCES || fd == -EPERM || fd == -EROFS) {
        *is_read_only = true;
        fd = jl_root_file(root, path, JL_OS_READ);
    }
    return fd;
}

int jl_control_file_open(const struct jl_root *root, struct jl_control_file *file, bool writes)
{
    if (file->fd >= 0)
        return 0;
    const int fd = file->path != NULL ? open_number(root, file->path, writes, &file->is_read_only)
                                      : -ENOENT; /* memory ran out when it was found */
    file->is_lost = fd < 0;
    if (fd < 0) {
        file->now = (struct jl_fact){ .code = fd == -ENOENT ? JOULIE_E_UNSUPPORTED : JOULIE_E_IO,
                                      .sys_errno = -fd };
        return fd;
    }
    file->fd = fd;
    return 0;
}

void jl_control_file_close(const struct jl_root *root, struct jl_control_file *file)
{
    jl_fd_close(&root->os, &file->fd);
    jl_fd_close(&root->os, &file->fd_enabled);
    file->now = file->enabled = unknown;
}

/* The device, not just this reading, is lost. */
static bool is_gone(const struct jl_fact *fact)
{
    return fact->code == JOULIE_E_UNSUPPORTED ||
           (fact->code == JOULIE_E_IO &&
            (fact->sys_errno == ENODEV || fact->sys_errno == ENOENT || fact->sys_errno == ENXIO));
}

static int open_enabled(const struct jl_root *root, const struct jl_control_file *file,
                        unsigned flags)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena memory = { 0 };
    const char *path = JL_JOIN(&memory, file->folder, "/enabled");
    return path != NULL ? jl_root_file(root, path, flags) : -ENOMEM;
}

bool jl_control_file_read(const struct jl_root *root, struct jl_control_file *file, bool writes)
{
    if (jl_control_file_open(root, file, writes) == 0)
        file->now = jl_fd_number(&root->os, file->fd);
    if (is_gone(&file->now)) {
        jl_control_file_close(root, file);
        file->is_lost = true;
        file->now = (struct jl_fact){ .code = JOULIE_E_IO, .sys_errno = ENODEV };
        return false;
    }
    file->is_lost = false;
    if (file->kind != JL_CONTROL_LONG)
        return true;
    if (file->fd_enabled < 0)
        file->fd_enabled = open_enabled(root, file, JL_OS_READ);
    file->enabled = jl_fd_number(&root->os, file->fd_enabled);
    return true;
}

/* ---- writing ---- */

/* What the kernel's refusal means for the control (docs/rules/enforcement.md#write). */
static enum jl_wrote from_errno(const struct jl_control_file *file, int sys_errno)
{
    switch (sys_errno) {
    case EACCES:
    case EPERM:
    case EROFS:
        return JL_WROTE_DENIED;
    case ENODEV:
    case ENOENT:
    case ENXIO:
        return JL_WROTE_LOST;
    case ENODATA: /* of powercap: the driver refuses, often because the firmware locked it */
        return is_limit(file) && file->enabled.code == 0 && file->enabled.value == 0
                   ? JL_WROTE_LOCKED
                   : JL_WROTE_REFUSED;
    case EINVAL:
    case EBUSY:
        return JL_WROTE_REFUSED;
    default:
        return JL_WROTE_FAILED;
    }
}

/* (1) of the protocol: the zone is still the one that the key names. */
static bool is_still_named(const struct jl_root *root, const struct jl_control_file *file)
{
    if (file->zone_name == NULL)
        return true;
    JL_CLEANUP(jl_arena_clear) struct jl_arena memory = { 0 };
    const char *path = JL_JOIN(&memory, file->folder, "/name");
    struct jl_text name;
    int sys_errno = 0;
    return path != NULL &&
           jl_root_text(root, path, JL_LIMIT_NUMBER_FILE_BYTES, &memory, &name, &sys_errno) == 0 &&
           jl_text_is(jl_text_trim(name), file->zone_name);
}

/* The driver floors to its unit; a part with a coarser one than we took shows it here. */
bool jl_control_file_floors(struct jl_control_file *file, uint64_t value, uint64_t read_back)
{
    if (jl_rapl_agrees(value, read_back, file->unit))
        return true;
    if (read_back > value || value - read_back >= COARSEST_UNIT_UW)
        return false;
    while (file->unit <= value - read_back)
        file->unit *= 2;
    return true;
}

/* The kernel combines frequency requests with those of others and rounds them to its table: what
 * was taken is not above what was asked for, unless the table has nothing lower. What is given back
 * must be seen. */
static bool is_proven(struct jl_control_file *file, uint64_t value, bool is_restore, bool has_moved,
                      uint64_t read_back)
{
    const struct jl_freq_range range = file->range;
    const bool is_max = file->kind == JL_CONTROL_FREQ_MAX;
    if (is_limit(file))
        return jl_control_file_floors(file, value, read_back);
    if (!is_restore)
        return read_back <= value || has_moved || (is_max && read_back <= range.min_khz);
    return is_max ? read_back >= (value < range.max_khz ? value : range.max_khz)
                  : read_back <= (value > range.min_khz ? value : range.min_khz);
}

/* The descriptor was opened at the scan; the name is read by path, because the zone behind the path
 * may be another one now. */
enum jl_wrote jl_control_file_write(const struct jl_root *root, struct jl_control_file *file,
                                    uint64_t value, bool is_restore, struct jl_write_result *out)
{
    const struct jl_fact before = file->now;
    if (jl_control_file_open(root, file, true) < 0)
        return from_errno(file, file->now.sys_errno);
    if (file->is_read_only)
        return JL_WROTE_DENIED;
    if (!is_still_named(root, file))
        return JL_WROTE_LOST;
    const int rc = jl_fd_write_number(&root->os, file->fd, value);
    if (rc < 0)
        return from_errno(file, -rc);
    out->is_taken = true;
    file->now = jl_fd_number(&root->os, file->fd);
    if (file->now.code != 0)
        return JL_WROTE_FAILED;
    out->read_back = file->now.value;
    const bool has_moved = before.code == 0 && out->read_back != before.value;
    return is_proven(file, value, is_restore, has_moved, out->read_back) ? JL_WROTE_VERIFIED
                                                                         : JL_WROTE_DISAGREES;
}

void jl_control_file_switch(const struct jl_root *root, struct jl_control_file *file, bool is_on)
{
    const int fd = open_enabled(root, file, JL_OS_WRITE);
    if (fd < 0)
        return;
    if (jl_fd_write_number(&root->os, fd, is_on ? 1 : 0) == 0)
        file->enabled = jl_fd_number(&root->os, fd);
    root->os.close(root->os.user, fd);
}

/* ---- giving back ---- */

/* 0 = none that can be believed. */
static uint64_t believed_max(const struct jl_control_file *file)
{
    const struct jl_fact *max = &file->zone_max;
    const bool is_good =
        max->code == 0 && max->value >= REFERENCE_MIN_UW && max->value <= REFERENCE_MAX_UW;
    return is_good ? max->value : 0;
}

bool jl_control_file_is_low(const struct jl_control_file *file, uint64_t found, uint64_t *out_uw)
{
    *out_uw = believed_max(file);
    return file->kind == JL_CONTROL_LONG && found < *out_uw;
}

/* Below it a package is too slow to be restored; above it the register wraps. A limit that was far
 * above what the package can draw is what some boards are set to, and is given back as it was. */
uint64_t jl_control_file_bounded(const struct jl_control_file *file, uint64_t baseline)
{
    const uint64_t max_uw = believed_max(file);
    const uint64_t floor_uw = max_uw > 0 ? max_uw * FLOOR_PCT / 100 : REFERENCE_MIN_UW;
    if (!is_limit(file))
        return baseline; /* the kernel keeps frequencies within the hardware's */
    if (baseline < floor_uw)
        return floor_uw;
    return baseline < JL_RAPL_LIMIT_MAX_UW ? baseline : JL_RAPL_LIMIT_MAX_UW;
}

/* A switch that we may have turned on is still on. */
static bool has_switch(const struct jl_control_file *file, const struct jl_journal_entry *entry)
{
    return file->kind == JL_CONTROL_LONG && entry->has_enabled && !entry->enabled &&
           file->enabled.code == 0 && file->enabled.value != 0;
}

bool jl_control_file_is_back(const struct jl_control_file *file,
                             const struct jl_journal_entry *entry)
{
    return file->now.code == 0 && file->now.value == entry->value && !has_switch(file, entry);
}

bool jl_control_file_is_ours(const struct jl_control_file *file,
                             const struct jl_journal_entry *entry)
{
    if (file->now.code != 0 || file->now.value == entry->value)
        return false;
    return (entry->has_written && file->now.value == entry->written) ||
           (entry->has_earlier && file->now.value == entry->earlier);
}

enum jl_wrote jl_control_file_restore(const struct jl_root *root, struct jl_control_file *file,
                                      const struct jl_journal_entry *entry,
                                      struct jl_write_result *out)
{
    const uint64_t value = jl_control_file_bounded(file, entry->value);
    const enum jl_wrote wrote = jl_control_file_write(root, file, value, true, out);
    if (wrote != JL_WROTE_VERIFIED || !has_switch(file, entry))
        return wrote;
    jl_control_file_switch(root, file, false);
    return has_switch(file, entry) ? JL_WROTE_DISAGREES
                                   : wrote; /* what does not go off is not back */
}

const char *jl_wrote_word(enum jl_wrote wrote)
{
    static const char *const words[] = {
        [JL_WROTE_VERIFIED] = "verified",   [JL_WROTE_DISAGREES] = "disagrees",
        [JL_WROTE_LOCKED] = "locked",       [JL_WROTE_REFUSED] = "refused",
        [JL_WROTE_DENIED] = "denied",       [JL_WROTE_LOST] = "lost",
        [JL_WROTE_FAILED] = "failed",       [JL_WROTE_REVERTED] = "reverted",
        [JL_WROTE_UNBOUNDED] = "unbounded",
    };
    return words[wrote];
}
