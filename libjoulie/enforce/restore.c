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

/* What came of an entry, with the value that counts. */
static void put_result(struct jl_buffer *out, const struct jl_gift *gift, const char *message)
{
    if (out == NULL)
        return;
    if (out->len > 0)
        jl_put_char(out, ',');
    jl_put_entry(out, gift->entry);
    jl_put_string(out, ",\"value\":");
    jl_put_u64(out, gift->is_back && gift->is_tried ? gift->value : gift->entry->value);
    if (message != NULL) {
        jl_put_string(out, ",\"message\":");
        jl_put_json_string(out, message, jl_text(message).len);
    }
    jl_put_char(out, '}');
}

struct giving { /* what the loop of give_back.c comes back to */
    struct joulie_host *host;
    jl_keep_fn *keep;
    bool is_patient; /* what failed lately waits */
    bool is_other;   /* of another boot */
    struct jl_buffer *restored_text;
    struct jl_buffer *failed_text;
};

static struct jl_control_file *find(void *user, const char *key)
{
    const struct giving *giving = user;
    struct jl_control *control = jl_control_find(giving->host, key);
    if (control == NULL)
        return NULL;
    jl_control_read(giving->host, control);
    return &control->file;
}

static bool keeps(void *user, const struct jl_journal_entry *entry)
{
    const struct giving *giving = user;
    const struct jl_control *control = jl_control_find(giving->host, entry->key);
    return giving->keep != NULL && control != NULL && giving->keep(giving->host, control);
}

static bool may_try(void *user, const struct jl_gift *gift)
{
    const struct giving *giving = user;
    struct jl_control *control = jl_control_of(gift->file);
    uint64_t value = 0;
    control->view = (struct jl_cap_life_view){
        .goal = JL_GOAL_RESTORE,
        .target = gift->value,
        .has_value = gift->file->now.code == 0,
        .value = gift->file->now.value,
        .unit = gift->file->unit,
        .now_ms = jl_host_monotonic_ms(giving->host),
    };
    if (!giving->is_patient)
        control->life.not_before_ms = control->view.now_ms;
    return jl_cap_life_next(&control->life, &control->view, &value);
}

static void log_back(const struct giving *giving, const struct jl_gift *gift)
{
    if (giving->is_other)
        jl_host_log(giving->host, JOULIE_LOG_LEVEL_WARN, "host",
                    "%s still had a cap of another boot", gift->entry->key);
    if (gift->value != gift->entry->value)
        jl_host_log(giving->host, JOULIE_LOG_LEVEL_WARN, "host",
                    "%s: the journal holds %llu, which is not safe to write: bounded",
                    gift->entry->key, (unsigned long long)gift->entry->value);
    jl_host_log(giving->host, JOULIE_LOG_LEVEL_INFO, "host", "%s is given back: %llu",
                gift->entry->key, (unsigned long long)gift->value);
}

static void finish(const struct giving *giving, const struct jl_gift *gift)
{
    struct jl_control *control = jl_control_of(gift->file);
    const bool is_bounded = gift->is_tried && gift->value != gift->entry->value;
    giving->host->restores++;
    put_result(giving->restored_text, gift, is_bounded ? "bounded" : NULL);
    control->found = gift->is_tried ? gift->value : gift->entry->value;
    if (control->life.state != JL_DEVICE_MONITOR) /* a lock stays one */
        control->life = (struct jl_cap_life){ .state = JL_DEVICE_IDLE };
}

/* As after any other write. */
static void note_try(const struct giving *giving, const struct jl_gift *gift)
{
    struct joulie_host *host = giving->host;
    struct jl_control *control = jl_control_of(gift->file);
    const struct jl_keep_item item = {
        .file = gift->file,
        .value = gift->value,
        .wrote = gift->wrote,
        .has_before = gift->before.code == 0,
        .before = gift->before.value,
        .result = gift->result,
    };
    jl_host_remember(host, &item);
    jl_cap_life_wrote(&control->life, &control->view, gift->wrote, gift->value,
                      gift->result.read_back);
    if (gift->is_back)
        log_back(giving, gift);
}

static void tell(void *user, const struct jl_gift *gift)
{
    const struct giving *giving = user;
    if (gift->is_tried)
        note_try(giving, gift);
    if (gift->is_back)
        finish(giving, gift);
    else if (gift->file == NULL)
        put_result(giving->failed_text, gift, "this machine has no such control now");
    else if (gift->is_tried)
        put_result(giving->failed_text, gift, jl_wrote_word(gift->wrote));
    else if (!giving->is_other)
        put_result(giving->failed_text, gift, "waiting to try again");
}

static struct jl_give_back how_of(struct giving *giving)
{
    struct joulie_host *host = giving->host;
    return (struct jl_give_back){
        .root = &host->root,
        .journal = host->journal,
        .memory = &host->tick_memory,
        .user = giving,
        .find = find,
        .keeps = keeps,
        .may_try = may_try,
        .tell = tell,
    };
}

size_t jl_host_give_back(struct joulie_host *host, jl_keep_fn *keep, int64_t now_ms,
                         struct jl_buffer *restored, struct jl_buffer *failed)
{
    struct giving giving = { .host = host,
                             .keep = keep,
                             .is_patient = keep != NULL,
                             .restored_text = restored,
                             .failed_text = failed };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jl_give_back how = how_of(&giving);
    const size_t failures = host->client != NULL
                                ? jl_client_give_back(host->client, &how, &err)
                                : jl_give_back(&how, jl_journal_now(host->journal), now_ms, &err);
    if (err.code < 0)
        jl_host_log_journal(host, &err);
    return failures;
}

size_t jl_host_give_back_others(struct joulie_host *host, int64_t now_ms,
                                struct jl_buffer *restored, struct jl_buffer *failed)
{
    const struct jl_journal *others = host->client == NULL ? jl_journal_others(host->journal)
                                                           : NULL; /* a keeper does it itself */
    struct giving giving = { .host = host,
                             .is_patient = true,
                             .is_other = true,
                             .restored_text = restored,
                             .failed_text = failed };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jl_give_back how = how_of(&giving);
    (void)now_ms;
    if (host->has_seen_others || others == NULL)
        return 0;
    const size_t failures =
        jl_give_back_others(&how, others, jl_journal_now(host->journal), &host->has_seen_others);
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
    if (rc == 0)
        rc = jl_host_check_writer(host, err);
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
    if (rc == 0)
        rc = jl_host_check_keeper(host, err);
    if (rc == 0 && failures > 0)
        rc = jl_fail(err, JOULIE_E_IO, jl_host_state_name(host),
                     "%zu controls could not be given back and stay in the journal", failures);
    return rc;
}
