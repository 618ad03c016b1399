/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Writing to controls (docs/rules/enforcement.md#write): journal first, then the write, then the
 * proof by reading. A failure in a group takes back what the group had changed.
 */

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "enforce/host.h"
#include "power/rapl.h"

#define COARSEST_UNIT_UW UINT64_C(1000000) /* of small parts */

/* ---- the journal ---- */

/* What gives back the control as it is now. */
static uint64_t baseline_of(const struct jl_control *control)
{
    if (jl_is_limit(control))
        return control->now.value;
    return control->kind == JL_CONTROL_FREQ_MAX
               ? jl_cpufreq_baseline_max_khz(control->range, control->now.value)
               : jl_cpufreq_baseline_min_khz(control->range, control->now.value);
}

/* The first value wins for as long as the key is open, so this is what is given back, whatever is
 * written in between. */
static struct jl_journal_record record_baseline(const struct joulie_host *host,
                                                const struct jl_control *control, int64_t now_ms)
{
    return (struct jl_journal_record){
        .op = JL_JOURNAL_BASELINE,
        .key = control->key,
        .value = baseline_of(control),
        .unit = jl_is_limit(control) ? JL_UNIT_UW : JL_UNIT_KHZ,
        .has_enabled = control->enabled.code == 0,
        .enabled = control->enabled.code == 0 && control->enabled.value != 0,
        .owner = host->owner,
        .at_ms = now_ms,
    };
}

/* It repeats the baseline: where the baseline's lines were lost, this line alone can give back. */
static struct jl_journal_record record_write(const struct joulie_host *host,
                                             const struct jl_control *control, uint64_t value,
                                             int64_t now_ms)
{
    const struct jl_journal_entry *entry = jl_journal_find(host->journal, control->key);
    return (struct jl_journal_record){
        .op = JL_JOURNAL_WRITE,
        .key = control->key,
        .value = value,
        .baseline = entry != NULL ? entry->value : baseline_of(control),
        .at_ms = now_ms,
    };
}

/* Once, however often it is tried. */
static void log_journal(struct joulie_host *host, const struct joulie_error *err)
{
    if (!host->is_journal_logged)
        jl_host_log(host, JOULIE_LOG_LEVEL_ERROR, "journal", "it takes nothing: %s", err->message);
    host->is_journal_logged = true;
}

/* Baselines of controls that are touched for the first time, and the writes to come; one sync when
 * there is a baseline among them. */
static int write_ahead(struct joulie_host *host, const struct jl_todo *todos, size_t count,
                       int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_journal_record *records =
        JL_NEW_ARRAY(&host->tick_memory, 2 * count + 1, struct jl_journal_record);
    size_t used = 0;
    if (records == NULL || host->journal == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!todos[i].is_restore && jl_journal_find(host->journal, todos[i].control->key) == NULL)
            records[used++] = record_baseline(host, todos[i].control, now_ms);
    }
    const bool is_synced = used > 0;
    for (size_t i = 0; i < count; i++) {
        if (!todos[i].is_restore)
            records[used++] = record_write(host, todos[i].control, todos[i].value, now_ms);
    }
    const int rc = used > 0 ? jl_journal_append(host->journal, records, used, is_synced, &err) : 0;
    if (rc == 0 && used > 0)
        (void)jl_journal_compact(host->journal, &err); /* a controller writes for weeks */
    if (rc < 0) {
        host->journal_message = JL_JOIN(&host->tick_memory, "no journal, no write: ", err.message);
        log_journal(host, &err);
    } else if (used > 0) {
        host->is_journal_logged = false;
    }
    return rc;
}

int jl_host_note_restored(struct joulie_host *host, const struct jl_control *const *controls,
                          size_t count, int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_journal_record *records =
        JL_NEW_ARRAY(&host->tick_memory, count + 1, struct jl_journal_record);
    if (records == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        records[i] = (struct jl_journal_record){ .op = JL_JOURNAL_RESTORED,
                                                 .key = controls[i]->key,
                                                 .at_ms = now_ms };
    const int rc = count > 0 ? jl_journal_append(host->journal, records, count, true, &err) : 0;
    if (rc < 0)
        log_journal(host, &err);
    host->is_journal_logged = rc < 0;
    if (rc == 0 && jl_journal_compact(host->journal, &err) < 0) /* it holds more than it must */
        jl_host_log(host, JOULIE_LOG_LEVEL_WARN, "journal", "%s", err.message);
    return rc;
}

/* ---- one write ---- */

/* What the kernel's refusal means for the control (docs/rules/enforcement.md#write). */
static enum jl_wrote from_errno(const struct jl_control *control, int sys_errno)
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
        return jl_is_limit(control) && control->enabled.code == 0 && control->enabled.value == 0
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
static bool is_still_named(const struct joulie_host *host, const struct jl_control *control)
{
    if (control->zone_name == NULL)
        return true;
    JL_CLEANUP(jl_arena_clear) struct jl_arena memory = { 0 };
    const char *path = JL_JOIN(&memory, control->folder, "/name");
    struct jl_text name;
    int sys_errno = 0;
    return path != NULL &&
           jl_root_text(&host->root, path, JL_LIMIT_NUMBER_FILE_BYTES, &memory, &name,
                        &sys_errno) == 0 &&
           jl_text_is(jl_text_trim(name), control->zone_name);
}

/* The driver floors to its unit; a part with a coarser one than we took shows it here. */
static bool is_floored(struct jl_control *control, uint64_t value, uint64_t read_back)
{
    if (jl_rapl_agrees(value, read_back, control->unit))
        return true;
    if (read_back > value || value - read_back >= COARSEST_UNIT_UW)
        return false;
    while (control->unit <= value - read_back)
        control->unit *= 2;
    return true;
}

static bool has_moved(const struct jl_todo *todo)
{
    return todo->has_before && todo->read_back != todo->before;
}

/* The kernel combines frequency requests with those of others and rounds them to its table: what
 * was taken is not above what was asked for, unless the table has nothing lower. What is given back
 * must be seen. */
static bool is_proven(struct jl_control *control, const struct jl_todo *todo)
{
    const uint64_t read_back = todo->read_back;
    const struct jl_freq_range range = control->range;
    const bool is_max = control->kind == JL_CONTROL_FREQ_MAX;
    if (jl_is_limit(control))
        return is_floored(control, todo->value, read_back);
    if (!todo->is_restore)
        return read_back <= todo->value || has_moved(todo) ||
               (is_max && read_back <= range.min_khz);
    return is_max ? read_back >= (todo->value < range.max_khz ? todo->value : range.max_khz)
                  : read_back <= (todo->value > range.min_khz ? todo->value : range.min_khz);
}

/* An unset limit must not wrap in the register, and 0 is a limit of 0 W. */
static bool is_writable_value(const struct jl_control *control, uint64_t value)
{
    return !jl_is_limit(control) || (value >= control->unit && value <= JL_RAPL_LIMIT_MAX_UW);
}

/* Name, number, proof. The descriptor was opened at the scan; the name is read by path, because the
 * zone behind the path may be another one now. */
static enum jl_wrote write_number(struct joulie_host *host, struct jl_todo *todo)
{
    struct jl_control *control = todo->control;
    if (jl_control_open(host, control) < 0)
        return from_errno(control, control->now.sys_errno);
    if (control->is_read_only)
        return JL_WROTE_DENIED;
    if (!is_still_named(host, control)) {
        host->needs_scan = true;
        return JL_WROTE_LOST;
    }
    const int rc = jl_fd_write_number(&host->root.os, control->fd, todo->value);
    if (rc < 0)
        return from_errno(control, -rc);
    todo->is_taken = true;
    host->writes++;
    control->now = jl_fd_number(&host->root.os, control->fd);
    if (control->now.code != 0)
        return JL_WROTE_FAILED;
    todo->read_back = control->now.value;
    return is_proven(control, todo) ? JL_WROTE_VERIFIED : JL_WROTE_DISAGREES;
}

/* A limit that is switched off holds nothing. */
static void switch_on(struct joulie_host *host, struct jl_control *control, bool is_on)
{
    const int fd = jl_control_open_enabled(host, control, JL_OS_WRITE);
    if (fd < 0)
        return;
    if (jl_fd_write_number(&host->root.os, fd, is_on ? 1 : 0) == 0)
        control->enabled = jl_fd_number(&host->root.os, fd);
    host->root.os.close(host->root.os.user, fd);
}

/* Whether the limit is switched other than is_on and may be switched: only where the journal knows
 * what to put back. */
static bool can_switch(const struct joulie_host *host, const struct jl_todo *todo, bool is_on)
{
    const struct jl_control *control = todo->control;
    const struct jl_journal_entry *entry =
        todo->entry != NULL ? todo->entry : jl_journal_find(host->journal, control->key);
    return control->kind == JL_CONTROL_LONG && entry != NULL && entry->has_enabled &&
           (is_on || !entry->enabled) && control->enabled.code == 0 &&
           (control->enabled.value != 0) != is_on;
}

static void switch_for_cap(struct joulie_host *host, struct jl_todo *todo)
{
    struct jl_control *control = todo->control;
    if (!host->may_enable || !can_switch(host, todo, true))
        return;
    control->has_tried_switch = true;
    control->tried_switch_ms = jl_host_monotonic_ms(host);
    switch_on(host, control, true);
    todo->is_switched = true;
}

/* After the limit; what does not go off is not given back. */
static void switch_back(struct joulie_host *host, struct jl_todo *todo)
{
    if (can_switch(host, todo, false))
        switch_on(host, todo->control, false);
    if (can_switch(host, todo, false))
        todo->wrote = JL_WROTE_DISAGREES;
}

static void remember(struct joulie_host *host, const struct jl_todo *todo)
{
    if (todo->wrote == JL_WROTE_LOST || host->made_count >= JL_MADE_MAX ||
        JL_GROW(&host->made, &host->made_room, host->made_count + 1) < 0)
        return;
    host->made[host->made_count++] = (struct jl_made){
        .control = (size_t)(todo->control - host->controls),
        .has_from = todo->has_before,
        .from = todo->before,
        .to = todo->value,
        .has_read_back = todo->wrote == JL_WROTE_VERIFIED || todo->wrote == JL_WROTE_DISAGREES,
        .read_back = todo->read_back,
        .wrote = todo->wrote,
    };
}

/* ---- a group ---- */

/* What is there before a write, if it can be read. */
static void note_before(struct jl_todo *todo)
{
    todo->has_before = todo->control->now.code == 0;
    todo->before = todo->control->now.value;
}

/* In reverse order, to the value that each control had before the group. What ignored the write is
 * left as it is. */
static void take_back(struct joulie_host *host, struct jl_todo *todos, size_t count, int64_t now_ms)
{
    for (size_t i = count; i-- > 0;) {
        struct jl_todo *todo = &todos[i];
        const bool is_ignored = todo->wrote == JL_WROTE_DISAGREES && !has_moved(todo);
        if (todo->is_restore || !todo->is_taken || !todo->has_before || is_ignored)
            continue;
        struct jl_todo back = { .control = todo->control, .value = todo->before };
        note_before(&back);
        if (todo->is_switched)
            switch_on(host, todo->control, false);
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        const struct jl_journal_record record =
            record_write(host, todo->control, back.value, now_ms);
        /* going back is not stopped by a journal that is full: the baseline is in it */
        (void)jl_journal_append(host->journal, &record, 1, false, &err);
        back.wrote = write_number(host, &back);
        remember(host, &back);
        const bool is_back = back.wrote == JL_WROTE_VERIFIED;
        if (todo->wrote == JL_WROTE_VERIFIED)
            todo->wrote = is_back ? JL_WROTE_REVERTED : back.wrote;
        jl_host_log(host, is_back ? JOULIE_LOG_LEVEL_WARN : JOULIE_LOG_LEVEL_ERROR, "rapl",
                    is_back ? "%s went back to %llu: another part failed"
                            : "%s could not go back to %llu after another part failed",
                    todo->control->key, (unsigned long long)back.value);
    }
}

static bool is_bad(enum jl_wrote wrote)
{
    return wrote != JL_WROTE_VERIFIED;
}

/* Every limit of a machine is written through here: without its records in the journal only a
 * restore is. Switching a zone on and taking back what failed are parts of it. */
void jl_host_write(struct joulie_host *host, struct jl_todo *todos, size_t count, bool is_group,
                   int64_t now_ms)
{
    const bool is_journaled = write_ahead(host, todos, count, now_ms) == 0;
    bool has_failed = false;
    size_t done = 0;
    for (; done < count && !(is_group && has_failed); done++) {
        struct jl_todo *todo = &todos[done];
        note_before(todo);
        todo->wrote = JL_WROTE_FAILED;
        if (todo->is_restore || (is_journaled && is_writable_value(todo->control, todo->value)))
            todo->wrote = write_number(host, todo);
        if (todo->wrote == JL_WROTE_VERIFIED && todo->is_restore)
            switch_back(host, todo);
        else if (todo->wrote == JL_WROTE_VERIFIED)
            switch_for_cap(host, todo);
        remember(host, todo);
        has_failed |= is_bad(todo->wrote);
    }
    if (is_group && has_failed) {
        take_back(host, todos, done, now_ms);
        for (size_t i = done; i < count; i++)
            todos[i].wrote = JL_WROTE_REVERTED; /* not tried */
    }
    for (size_t i = 0; i < count; i++) {
        struct jl_control *control = todos[i].control;
        jl_cap_life_wrote(&control->life, &control->view, todos[i].wrote, todos[i].value,
                          todos[i].read_back);
    }
}

const char *jl_wrote_word(enum jl_wrote wrote)
{
    static const char *const words[] = {
        [JL_WROTE_VERIFIED] = "verified", [JL_WROTE_DISAGREES] = "disagrees",
        [JL_WROTE_LOCKED] = "locked",     [JL_WROTE_REFUSED] = "refused",
        [JL_WROTE_DENIED] = "denied",     [JL_WROTE_LOST] = "lost",
        [JL_WROTE_FAILED] = "failed",     [JL_WROTE_REVERTED] = "reverted",
    };
    return words[wrote];
}
