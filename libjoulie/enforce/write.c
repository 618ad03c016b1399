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
        return control->file.now.value;
    return control->file.kind == JL_CONTROL_FREQ_MAX
               ? jl_cpufreq_baseline_max_khz(control->file.range, control->file.now.value)
               : jl_cpufreq_baseline_min_khz(control->file.range, control->file.now.value);
}

/* The first value wins for as long as the key is open, so this is what is given back, whatever is
 * written in between. */
static struct jl_journal_record record_baseline(const struct joulie_host *host,
                                                const struct jl_control *control, int64_t now_ms)
{
    return (struct jl_journal_record){
        .op = JL_JOURNAL_BASELINE,
        .key = control->file.key,
        .value = baseline_of(control),
        .unit = jl_is_limit(control) ? JL_UNIT_UW : JL_UNIT_KHZ,
        .has_enabled = control->file.enabled.code == 0,
        .enabled = control->file.enabled.code == 0 && control->file.enabled.value != 0,
        .owner = host->owner,
        .at_ms = now_ms,
    };
}

/* It repeats the baseline: where the baseline's lines were lost, its lines alone can give back. */
static struct jl_journal_record record_write(const struct joulie_host *host,
                                             const struct jl_control *control, uint64_t value,
                                             int64_t now_ms)
{
    const struct jl_journal_entry *entry = jl_journal_find(host->journal, control->file.key);
    struct jl_journal_record record = record_baseline(host, control, now_ms);
    record.op = JL_JOURNAL_WRITE;
    record.baseline = record.value;
    record.value = value;
    if (entry == NULL)
        return record;
    record.baseline = entry->value;
    record.unit = entry->unit;
    record.has_enabled = entry->has_enabled;
    record.enabled = entry->enabled;
    record.owner = entry->owner;
    return record;
}

/* Once, however often it is tried. */
void jl_host_log_journal(struct joulie_host *host, const struct joulie_error *err)
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
        if (jl_journal_find(host->journal, todos[i].control->file.key) == NULL)
            records[used++] = record_baseline(host, todos[i].control, now_ms);
    }
    const bool is_synced = used > 0;
    for (size_t i = 0; i < count; i++)
        records[used++] = record_write(host, todos[i].control, todos[i].value, now_ms);
    const int rc = used > 0 ? jl_journal_append(host->journal, records, used, is_synced, &err) : 0;
    if (rc == 0 && used > 0)
        (void)jl_journal_compact(host->journal, &err); /* a controller writes for weeks */
    if (rc < 0) {
        host->journal_message = JL_JOIN(&host->tick_memory, "no journal, no write: ", err.message);
        jl_host_log_journal(host, &err);
    } else if (used > 0) {
        host->is_journal_logged = false;
    }
    return rc;
}

/* ---- one write ---- */

/* An unset limit must not wrap in the register, and 0 is a limit of 0 W. */
static bool is_writable_value(const struct jl_control *control, uint64_t value)
{
    return !jl_is_limit(control) || (value >= control->file.unit && value <= JL_RAPL_LIMIT_MAX_UW);
}

/* A zone that is lost, or is another one by now, is looked for again. */
static enum jl_wrote write_number(struct joulie_host *host, struct jl_todo *todo)
{
    const enum jl_wrote wrote =
        jl_control_file_write(&host->root, &todo->control->file, todo->value, false, &todo->result);
    host->writes += todo->result.is_taken;
    if (wrote == JL_WROTE_LOST)
        host->needs_scan = true;
    return wrote;
}

/* Whether the limit is off and may be switched on: only where the journal knows what to put back.
 */
static bool can_switch_on(const struct joulie_host *host, const struct jl_todo *todo)
{
    const struct jl_control_file *file = &todo->control->file;
    const struct jl_journal_entry *entry = jl_journal_find(host->journal, file->key);
    return file->kind == JL_CONTROL_LONG && entry != NULL && entry->has_enabled &&
           file->enabled.code == 0 && file->enabled.value == 0;
}

static void switch_for_cap(struct joulie_host *host, struct jl_todo *todo)
{
    struct jl_control *control = todo->control;
    if (!host->may_enable || !can_switch_on(host, todo))
        return;
    control->has_tried_switch = true;
    control->tried_switch_ms = jl_host_monotonic_ms(host);
    jl_control_file_switch(&host->root, &control->file, true);
    todo->is_switched = true;
}

void jl_host_remember(struct joulie_host *host, const struct jl_todo *todo)
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
        .read_back = todo->result.read_back,
        .wrote = todo->wrote,
    };
}

/* ---- a group ---- */

static bool has_moved(const struct jl_todo *todo)
{
    return todo->has_before && todo->result.read_back != todo->before;
}

/* What is there before a write, if it can be read. */
static void note_before(struct jl_todo *todo)
{
    todo->has_before = todo->control->file.now.code == 0;
    todo->before = todo->control->file.now.value;
}

/* In reverse order, to the value that each control had before the group. What ignored the write is
 * left as it is. */
static void take_back(struct joulie_host *host, struct jl_todo *todos, size_t count, int64_t now_ms)
{
    for (size_t i = count; i-- > 0;) {
        struct jl_todo *todo = &todos[i];
        const bool is_ignored = todo->wrote == JL_WROTE_DISAGREES && !has_moved(todo);
        if (!todo->result.is_taken || !todo->has_before || is_ignored)
            continue;
        struct jl_todo back = { .control = todo->control, .value = todo->before };
        note_before(&back);
        if (todo->is_switched)
            jl_control_file_switch(&host->root, &todo->control->file, false);
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        const struct jl_journal_record record =
            record_write(host, todo->control, back.value, now_ms);
        /* going back is not stopped by a journal that is full: the baseline is in it */
        (void)jl_journal_append(host->journal, &record, 1, false, &err);
        back.wrote = write_number(host, &back);
        jl_host_remember(host, &back);
        const bool is_back = back.wrote == JL_WROTE_VERIFIED;
        if (todo->wrote == JL_WROTE_VERIFIED)
            todo->wrote = is_back ? JL_WROTE_REVERTED : back.wrote;
        jl_host_log(host, is_back ? JOULIE_LOG_LEVEL_WARN : JOULIE_LOG_LEVEL_ERROR, "rapl",
                    is_back ? "%s went back to %llu: another part failed"
                            : "%s could not go back to %llu after another part failed",
                    todo->control->file.key, (unsigned long long)back.value);
    }
}

static bool is_bad(enum jl_wrote wrote)
{
    return wrote != JL_WROTE_VERIFIED;
}

/* Every cap on a machine is written through here, behind its records in the journal. Switching a
 * zone on and taking back what failed are parts of it. */
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
        if (is_journaled && is_writable_value(todo->control, todo->value))
            todo->wrote = write_number(host, todo);
        if (todo->wrote == JL_WROTE_VERIFIED)
            switch_for_cap(host, todo);
        jl_host_remember(host, todo);
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
                          todos[i].result.read_back);
    }
}
