/* SPDX-License-Identifier: Apache-2.0 */

/* Giving back what the journal holds (docs/rules/enforcement.md#restore): package limits, then
 * frequencies. */

#include "base/buffer.h"
#include "enforce/host.h"

void jl_put_entry(struct jl_buffer *out, const struct jl_journal_entry *entry)
{
    jl_put_string(out, "{\"key\":");
    jl_put_json_string(out, entry->key, jl_text(entry->key).len);
    jl_put_string(out, ",\"unit\":");
    const char *unit = jl_word_of(&jl_journal_unit_words, (int)entry->unit);
    jl_put_json_string(out, unit != NULL ? unit : "", jl_text(unit).len);
}

static void put_result(struct jl_buffer *out, const struct jl_journal_entry *entry,
                       const char *message)
{
    if (out == NULL)
        return;
    if (out->len > 0)
        jl_put_char(out, ',');
    jl_put_entry(out, entry);
    jl_put_string(out, ",\"value\":");
    jl_put_u64(out, entry->value);
    if (message != NULL) {
        jl_put_string(out, ",\"message\":");
        jl_put_json_string(out, message, jl_text(message).len);
    }
    jl_put_char(out, '}');
}

static bool is_given_back(const struct jl_control *control, uint64_t value)
{
    return control->now.code == 0 && control->now.value == value;
}

/* A switch that we may have turned on is still on. */
static bool has_switch(const struct jl_control *control, const struct jl_journal_entry *entry)
{
    return entry->has_enabled && !entry->enabled && control->enabled.code == 0 &&
           control->enabled.value != 0;
}

struct batch {
    struct joulie_host *host;
    const struct jl_journal_entry *entries;
    size_t count;
    struct jl_todo *todos; /* todos[i] is of entry of_todo[i] */
    size_t *of_todo;
    size_t todo_count;
    const struct jl_control **done; /* to be noted in the journal */
    size_t done_count;
    size_t failed;
    struct jl_buffer *restored_text;
    struct jl_buffer *failed_text;
};

static void fail(struct batch *batch, const struct jl_journal_entry *entry, const char *message)
{
    batch->failed++;
    put_result(batch->failed_text, entry, message);
}

static void finish(struct batch *batch, struct jl_control *control,
                   const struct jl_journal_entry *entry)
{
    batch->done[batch->done_count++] = control;
    batch->host->restores++;
    put_result(batch->restored_text, entry, NULL);
    control->found = entry->value;
    if (control->life.state != JL_DEVICE_MONITOR) /* a lock stays one */
        control->life = (struct jl_cap_life){ .state = JL_DEVICE_IDLE };
}

/* How a control is looked at that goes back to a value. */
static struct jl_cap_life_view view_restore(const struct joulie_host *host,
                                            const struct jl_control *control, uint64_t value)
{
    return (struct jl_cap_life_view){
        .goal = JL_GOAL_RESTORE,
        .target = value,
        .has_value = control->now.code == 0,
        .value = control->now.value,
        .unit = control->unit,
        .now_ms = jl_host_monotonic_ms(host),
    };
}

/* A value that reads back as the baseline needs no write; one that failed lately waits, unless
 * somebody asks for everything back at once. */
static void prepare(struct batch *batch, size_t i, bool is_patient)
{
    struct joulie_host *host = batch->host;
    const struct jl_journal_entry *entry = &batch->entries[i];
    struct jl_control *control = jl_control_find(host, entry->key);
    uint64_t value = 0;
    if (control == NULL) {
        fail(batch, entry, "this machine has no such control now");
        return;
    }
    jl_control_read(host, control);
    control->view = view_restore(host, control, entry->value);
    if (is_given_back(control, entry->value) && !has_switch(control, entry)) {
        finish(batch, control, entry);
        return;
    }
    if (!is_patient)
        control->life.not_before_ms = control->view.now_ms;
    if (!jl_cap_life_next(&control->life, &control->view, &value)) {
        fail(batch, entry, "waiting to try again");
        return;
    }
    batch->of_todo[batch->todo_count] = i;
    batch->todos[batch->todo_count++] =
        (struct jl_todo){ .control = control, .value = value, .is_restore = true };
}

static void write_batch(struct batch *batch, int64_t now_ms)
{
    struct joulie_host *host = batch->host;
    jl_host_write(host, batch->todos, batch->todo_count, false, now_ms);
    for (size_t i = 0; i < batch->todo_count; i++) {
        const struct jl_todo *todo = &batch->todos[i];
        const struct jl_journal_entry *entry = &batch->entries[batch->of_todo[i]];
        if (todo->wrote == JL_WROTE_VERIFIED) {
            jl_host_log(host, JOULIE_LOG_LEVEL_INFO, "host", "%s is given back: %llu", entry->key,
                        (unsigned long long)entry->value);
            finish(batch, todo->control, entry);
        } else {
            fail(batch, entry, jl_wrote_word(todo->wrote));
        }
    }
}

/* The entries are copied first: noting a restore changes the journal that they stand in. */
size_t jl_host_give_back(struct joulie_host *host, jl_keep_fn *keep, int64_t now_ms,
                         struct jl_buffer *restored, struct jl_buffer *failed)
{
    const struct jl_journal *now = jl_journal_now(host->journal);
    struct jl_journal_entry *entries =
        JL_NEW_ARRAY(&host->tick_memory, now->open_count + 1, struct jl_journal_entry);
    struct batch batch = {
        .host = host,
        .entries = entries,
        .todos = JL_NEW_ARRAY(&host->tick_memory, now->open_count + 1, struct jl_todo),
        .of_todo = JL_NEW_ARRAY(&host->tick_memory, now->open_count + 1, size_t),
        .done = JL_NEW_ARRAY(&host->tick_memory, now->open_count + 1, const struct jl_control *),
        .restored_text = restored,
        .failed_text = failed,
    };
    if (entries == NULL || batch.todos == NULL || batch.of_todo == NULL || batch.done == NULL)
        return now->open_count;
    for (size_t i = 0; i < now->open_count; i++) {
        const struct jl_control *control = jl_control_find(host, now->open[i].key);
        if (keep != NULL && control != NULL && keep(host, control))
            continue;
        entries[batch.count] = now->open[i];
        entries[batch.count].key = jl_arena_string(&host->tick_memory, now->open[i].key);
        if (entries[batch.count].key == NULL)
            return now->open_count;
        batch.count++;
    }
    for (size_t i = 0; i < batch.count; i++)
        prepare(&batch, i, keep != NULL);
    write_batch(&batch, now_ms);
    if (batch.done_count > 0 &&
        jl_host_note_restored(host, batch.done, batch.done_count, now_ms) < 0)
        batch.failed += batch.done_count; /* given back, and still open */
    return batch.failed;
}

/* One of the last two: the record of a write stands before the write, which may not have come. */
static bool is_ours_still(const struct jl_control *control, const struct jl_journal_entry *entry)
{
    if (control->now.code != 0 || control->now.value == entry->value)
        return false;
    return (entry->has_written && control->now.value == entry->written) ||
           (entry->has_earlier && control->now.value == entry->earlier);
}

/*
 * Journals of other boots: the firmware reset what they hold, unless the machine did not really
 * boot (kexec, hibernation). Then the value is still one that was written, and is not what
 * was found before. What cannot be read now cannot be judged: its journal stays.
 */
size_t jl_host_give_back_others(struct joulie_host *host, int64_t now_ms,
                                struct jl_buffer *restored, struct jl_buffer *failed)
{
    const struct jl_journal *others = jl_journal_others(host->journal);
    size_t failures = 0;
    if (host->has_seen_others || others == NULL)
        return 0;
    host->has_seen_others = true;
    for (size_t i = 0; i < others->open_count; i++) {
        const struct jl_journal_entry *entry = &others->open[i];
        struct jl_control *control = jl_control_find(host, entry->key);
        if (jl_journal_find(host->journal, entry->key) != NULL)
            continue;
        if (control != NULL)
            jl_control_read(host, control);
        if (control == NULL || control->now.code != 0) {
            host->has_seen_others = false;
            continue;
        }
        if (!is_ours_still(control, entry))
            continue;
        struct jl_todo todo = {
            .control = control, .value = entry->value, .is_restore = true, .entry = entry
        };
        uint64_t unused = 0;
        control->view = view_restore(host, control, entry->value);
        control->found = entry->value;
        if (!jl_cap_life_next(&control->life, &control->view, &unused)) {
            host->has_seen_others = false; /* again, later */
            continue;
        }
        jl_host_log(host, JOULIE_LOG_LEVEL_WARN, "host", "%s still has a cap of another boot",
                    entry->key);
        jl_host_write(host, &todo, 1, false, now_ms);
        if (todo.wrote == JL_WROTE_VERIFIED) {
            host->restores++;
            put_result(restored, entry, NULL);
            continue;
        }
        host->has_seen_others = false;
        put_result(failed, entry, jl_wrote_word(todo.wrote));
        failures++;
    }
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (host->has_seen_others && jl_journal_put_others_away(host->journal, &err) < 0)
        jl_host_log(host, JOULIE_LOG_LEVEL_WARN, "journal", "%s", err.message);
    return failures;
}

/* ---- joulie_host_restore() ---- */

int joulie_host_restore(struct joulie_host *host, int64_t now_ms, char **json,
                        struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer restored = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer failed = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    int rc = jl_host_check_now(now_ms, err);
    if (rc < 0)
        return rc;
    if (!host->is_claimed)
        return jl_fail(err, JOULIE_E_CONFLICT, "", "only the writer of a machine gives back");
    host->shown.is_there = false; /* writes are to come */
    size_t failures = jl_host_give_back_others(host, now_ms, &restored, &failed);
    failures += jl_host_give_back(host, NULL, now_ms, &restored, &failed);
    jl_put_string(&text, "{\"restored\":[");
    jl_put(&text, restored.data != NULL ? restored.data : "", restored.len);
    jl_put_string(&text, "],\"failed\":[");
    jl_put(&text, failed.data != NULL ? failed.data : "", failed.len);
    jl_put_string(&text, "]}");
    if (restored.is_failed || failed.is_failed)
        return jl_fail_memory(err);
    rc = json != NULL ? jl_hand_out(&text, json, err) : 0;
    if (rc == 0 && failures > 0)
        rc = jl_fail(err, JOULIE_E_IO, jl_host_state_name(host),
                     "%zu controls could not be given back and stay in the journal", failures);
    return rc;
}
