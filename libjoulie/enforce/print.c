/* SPDX-License-Identifier: Apache-2.0 */

/* What is planned, what came of it and which caps are in force, as structs and as JSON:
 * joulie_host_plan(), _outcome(), _package_at(), _write_at(), _report(), _get_summary(), _caps().
 */

#include "base/buffer.h"
#include "base/sized.h"
#include "base/time.h"
#include "enforce/host.h"
#include "power/rapl.h"
#include "schema/encode.h"

/* NULL is no member. */
static void put_text(struct jl_buffer *out, const char *key, const char *text)
{
    if (text == NULL)
        return;
    jl_put_string(out, key);
    jl_put_json_string(out, text, jl_text(text).len);
}

static void put_u64(struct jl_buffer *out, const char *key, uint64_t value)
{
    jl_put_string(out, key);
    jl_put_u64(out, value);
}

static void put_double(struct jl_buffer *out, const char *key, double value)
{
    jl_put_string(out, key);
    jl_put_double(out, value);
}

/* ---- packages ---- */

/* The worst state of a package's limits. */
static const char *state_of(const struct joulie_host *host, size_t p)
{
    enum jl_device_state state = JL_DEVICE_UNKNOWN;
    enum joulie_control_result worst = JOULIE_CONTROL_NONE;
    bool has_one = false;
    const struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_LONG, p, control)) != NULL) {
        const enum joulie_control_result now =
            jl_cap_worse(worst, jl_device_result(control->life.state));
        if (!has_one || now != worst)
            state = control->life.state;
        worst = now;
        has_one = true;
    }
    const char *word = jl_word_of(&jl_device_state_words, (int)state);
    if (!has_one)
        return NULL;
    return word != NULL ? word : "unknown";
}

/* The zone of a package whose limit would be written and holds nothing; NULL = there is none. */
static const char *switched_off(const struct joulie_host *host, size_t p)
{
    if (host->may_enable || !jl_is_cap_wanted(host, p))
        return NULL;
    const struct jl_control *control = NULL;
    while ((control = jl_control_next(host, JL_CONTROL_LONG, p, control)) != NULL) {
        if (control->file.enabled.code == 0 && control->file.enabled.value == 0)
            return control->file.zone_name;
    }
    return NULL;
}

/* What a tick would come to, as far as it can be known without a write. */
static enum joulie_control_result planned(const struct joulie_host *host, size_t p)
{
    if (host->backend == JL_BACKEND_DVFS && jl_host_can_throttle(host, p))
        return JOULIE_CONTROL_APPLIED;
    switch (host->wants[p].reason) {
    case JL_REASON_CAP:
        return host->backend == JL_BACKEND_DVFS || switched_off(host, p) != NULL
                   ? JOULIE_CONTROL_BLOCKED
                   : JOULIE_CONTROL_APPLIED;
    case JL_REASON_BLOCKED:
    case JL_REASON_NO_CONTROL:
        return JOULIE_CONTROL_BLOCKED;
    case JL_REASON_NO_SPEC:
    case JL_REASON_STALE_SPEC:
    case JL_REASON_OBSERVING:
    case JL_REASON_NO_INTENT:
        break;
    }
    return JOULIE_CONTROL_NONE;
}

static const char *message_of(struct joulie_host *host, size_t p, bool is_plan)
{
    const struct jl_part_want *want = &host->wants[p];
    const char *zone = is_plan ? switched_off(host, p) : NULL;
    if (zone != NULL)
        return jl_reason_text(&host->tick_memory, zone, JL_CAP_REASON_NOT_ENFORCED);
    if (host->readings[p].message != NULL)
        return host->readings[p].message;
    if (is_plan && host->backend == JL_BACKEND_DVFS && planned(host, p) == JOULIE_CONTROL_BLOCKED)
        return jl_host_no_loop_text(host);
    return want->reason == JL_REASON_BLOCKED ? jl_cap_message(&want->cap, &host->tick_memory)
                                             : NULL;
}

static struct joulie_host_package package_of(struct joulie_host *host, size_t p, bool is_plan)
{
    const struct jl_part_want *want = &host->wants[p];
    const struct jl_part_reading *reading = &host->readings[p];
    struct joulie_host_package out = {
        .struct_size = sizeof out,
        .index = host->packages[p].index,
        .state = is_plan ? NULL : state_of(host, p),
        .message = message_of(host, p, is_plan),
        .result = is_plan ? planned(host, p) : jl_node_result(want, reading),
    };
    if (want->cap.has_requested) {
        out.has |= JOULIE_HOST_PACKAGE_HAS_REQUESTED;
        out.requested_w = want->cap.requested_w;
    }
    if (want->reason == JL_REASON_CAP) {
        out.has |= JOULIE_HOST_PACKAGE_HAS_CAP;
        out.cap_w = want->cap.cap_w;
        out.power_limit_uw = want->cap.power_limit_uw;
        out.clamp = jl_word_of(&jl_cap_clamp_words, (int)want->cap.clamp);
    }
    if (reading->has_limit) {
        out.has |= JOULIE_HOST_PACKAGE_HAS_LIMIT;
        out.limit_w = reading->limit_w;
    }
    return out;
}

/* ---- writes ---- */

static void plan_write(struct joulie_host *host, const struct jl_control *control, uint64_t to)
{
    host->shown.writes[host->shown.write_count++] = (struct joulie_host_write){
        .struct_size = sizeof(struct joulie_host_write),
        .has = control->file.now.code == 0 ? JOULIE_HOST_WRITE_HAS_OLD_VALUE : 0,
        .key = control->file.key,
        .file = control->file.path,
        .old_value = control->file.now.code == 0 ? control->file.now.value : 0,
        .new_value = to,
    };
}

/* What nobody asks for any more is given back before anything is lowered. */
static void plan_restores(struct joulie_host *host)
{
    const struct jl_journal *now = jl_host_open_keys(host);
    for (size_t i = 0; now != NULL && i < now->open_count; i++) {
        struct jl_control *control = jl_control_find(host, now->open[i].key);
        if (control == NULL || jl_host_keeps(host, control))
            continue;
        jl_control_read(host, control);
        if (control->file.now.code != 0 || control->file.now.value != now->open[i].value)
            plan_write(host, control, now->open[i].value);
    }
}

static void plan_limits(struct joulie_host *host)
{
    for (int is_raise = 0; is_raise < 2; is_raise++) {
        struct jl_control *control = NULL;
        while ((control = jl_control_next(host, JL_CONTROL_LONG, JL_NOWHERE, control)) != NULL) {
            struct jl_keep_item small;
            if (!jl_is_cap_wanted(host, control->package))
                continue;
            const uint64_t target =
                jl_control_target_uw(host, control, host->wants[control->package].target_w);
            const bool is_there =
                control->file.now.code == 0 &&
                jl_rapl_agrees(target, control->file.now.value, control->file.unit);
            if (is_there || (target > control->file.now.value) != (is_raise != 0))
                continue;
            if (jl_host_raise_short(host, control, target, &small) > 0)
                plan_write(host, jl_control_of(small.file), small.value);
            plan_write(host, control, target);
        }
    }
}

static struct joulie_host_write made_write(const struct joulie_host *host,
                                           const struct jl_made *made)
{
    const struct jl_control *control = &host->controls[made->control];
    return (struct joulie_host_write){
        .struct_size = sizeof(struct joulie_host_write),
        .has = (made->has_from ? JOULIE_HOST_WRITE_HAS_OLD_VALUE : 0) |
               (made->has_read_back ? JOULIE_HOST_WRITE_HAS_READ_BACK : 0),
        .key = control->file.key,
        .file = control->file.path,
        .old_value = made->from,
        .new_value = made->to,
        .read_back = made->read_back,
        .result = jl_wrote_word(made->wrote),
    };
}

/* ---- packages and writes together: of a plan, or of what ticks did ---- */

/* Room for every write that a plan or the ticks can have, in the memory of the tick. */
static int make_room(struct joulie_host *host, size_t writes)
{
    host->shown.write_count = 0;
    host->shown.packages =
        JL_NEW_ARRAY(&host->tick_memory, host->part_count + 1, struct joulie_host_package);
    host->shown.writes = JL_NEW_ARRAY(&host->tick_memory, writes + 1, struct joulie_host_write);
    return host->shown.packages != NULL && host->shown.writes != NULL ? 0 : JOULIE_E_NOMEM;
}

static int show_plan(struct joulie_host *host)
{
    const struct jl_journal *now = jl_host_open_keys(host);
    if (make_room(host, 2 * host->control_count + (now != NULL ? now->open_count : 0)) < 0)
        return JOULIE_E_NOMEM;
    for (size_t p = 0; p < host->part_count; p++)
        host->shown.packages[p] = package_of(host, p, true);
    plan_restores(host);
    if (host->backend == JL_BACKEND_RAPL)
        plan_limits(host);
    host->shown.is_there = true;
    return 0;
}

/* Of what the ticks did, when somebody asks for it. */
static int show_outcome(struct joulie_host *host)
{
    if (make_room(host, host->made_count) < 0)
        return JOULIE_E_NOMEM;
    for (size_t p = 0; p < host->part_count; p++)
        host->shown.packages[p] = package_of(host, p, false);
    for (size_t i = 0; i < host->made_count; i++)
        host->shown.writes[i] = made_write(host, &host->made[i]);
    host->shown.write_count = host->made_count;
    host->shown.is_there = true;
    return 0;
}

static void put_package(const struct joulie_host_package *package, struct jl_buffer *out)
{
    jl_put_string(out, "{\"index\":");
    jl_put_i64(out, package->index);
    if (package->has & JOULIE_HOST_PACKAGE_HAS_REQUESTED)
        put_double(out, ",\"requestedW\":", package->requested_w);
    if (package->has & JOULIE_HOST_PACKAGE_HAS_CAP) {
        put_double(out, ",\"capW\":", package->cap_w);
        put_u64(out, ",\"powerLimitUw\":", package->power_limit_uw);
    }
    put_text(out, ",\"clamp\":", package->clamp);
    if (package->has & JOULIE_HOST_PACKAGE_HAS_LIMIT)
        put_double(out, ",\"limitW\":", package->limit_w);
    put_text(out, ",\"state\":", package->state);
    put_text(out, ",\"result\":", jl_word_of(&jl_control_result_words, (int)package->result));
    put_text(out, ",\"message\":", package->message);
    jl_put_char(out, '}');
}

static void put_write(const struct joulie_host_write *write, struct jl_buffer *out)
{
    put_text(out, "{\"key\":", write->key);
    put_text(out, ",\"file\":", write->file);
    if (write->has & JOULIE_HOST_WRITE_HAS_OLD_VALUE)
        put_u64(out, ",\"from\":", write->old_value);
    put_u64(out, ",\"to\":", write->new_value);
    if (write->has & JOULIE_HOST_WRITE_HAS_READ_BACK)
        put_u64(out, ",\"readBack\":", write->read_back);
    put_text(out, ",\"result\":", write->result);
    jl_put_char(out, '}');
}

static void put_shown(const struct joulie_host *host, struct jl_buffer *out)
{
    put_text(out, "{\"backend\":", host->config.cpu_backend);
    jl_put_string(out, ",\"packages\":[");
    for (size_t p = 0; p < host->part_count; p++) {
        jl_put_string(out, p > 0 ? "," : "");
        put_package(&host->shown.packages[p], out);
    }
    jl_put_string(out, "],\"gpus\":[],\"writes\":[");
    for (size_t i = 0; i < host->shown.write_count; i++) {
        jl_put_string(out, i > 0 ? "," : "");
        put_write(&host->shown.writes[i], out);
    }
    jl_put_string(out, "]}");
}

/* ---- caps in force ---- */

static void put_cap(struct joulie_host *host, const struct jl_journal_entry *entry,
                    struct jl_buffer *out)
{
    char since[JL_TIME_TEXT];
    struct jl_control *control = jl_control_find(host, entry->key);
    uint64_t most = 0;
    jl_put_entry(out, entry);
    put_u64(out, ",\"baseline\":", entry->value);
    if (control != NULL && jl_control_file_is_low(&control->file, entry->value, &most))
        put_u64(out, ",\"maximum\":", most);
    if (entry->has_written)
        put_u64(out, ",\"written\":", entry->written);
    if (control != NULL)
        jl_control_read(host, control);
    if (control != NULL && control->file.now.code == 0)
        put_u64(out, ",\"now\":", control->file.now.value);
    put_text(out, ",\"owner\":", entry->owner);
    jl_format_time(entry->since_ms, since);
    put_text(out, ",\"since\":", since);
    jl_put_char(out, '}');
}

static void put_caps(struct joulie_host *host, const struct jl_journal *now, struct jl_buffer *out)
{
    jl_put_string(out, "{\"disabled\":");
    jl_put_string(out, jl_host_stat_disable(host) ? "true" : "false");
    if (now != NULL && now->skipped > 0)
        put_u64(out, ",\"skippedLines\":", now->skipped);
    jl_put_string(out, ",\"controls\":[");
    for (size_t i = 0; now != NULL && i < now->open_count; i++) {
        if (i > 0)
            jl_put_char(out, ',');
        put_cap(host, &now->open[i], out);
    }
    jl_put_string(out, "]}");
}

/* ---- joulie_host_plan(), _outcome(), _report(), _caps() ---- */

/* What was planned as a reading of each package, so that a plan is reported as a tick is. */
static int sum_up_plan(struct joulie_host *host)
{
    struct jl_control_status status = { 0 };
    for (size_t p = 0; p < host->part_count; p++) {
        host->readings[p].message = host->shown.packages[p].message;
        host->readings[p].has_result = true;
        host->readings[p].result = host->shown.packages[p].result;
    }
    const int rc = jl_node_report(&host->config, &host->input, host->wants, host->readings,
                                  &host->tick_memory, &status);
    host->has_summary = rc == 0;
    host->summary = jl_node_summary(&status);
    return rc;
}

/* The same observation and the same step as a tick, without acting. Mode, memory and journal are
 * put back, so that a plan leaves no trace in the ticks after it; what was decided is not what was
 * done, so that there is no outcome until the next one. */
int joulie_host_plan(struct joulie_host *host, int64_t now_ms, char **json,
                     struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct jl_node_memory memory = host->memory;
    const enum jl_node_mode mode = host->config.mode;
    struct jl_peek peek;
    int rc = jl_host_check_now(now_ms, err);
    if (rc == 0)
        rc = jl_host_peek(host, &peek, err);
    if (rc < 0)
        return rc;
    host->peeked = peek.open;
    if (peek.open != NULL && !host->is_claimed)
        jl_host_remember_baselines(host, peek.open);
    host->config.mode = JL_NODE_ENFORCE;
    jl_host_observe(host);
    rc = host->is_disabled ? jl_fail(err, JOULIE_E_CONFLICT, JL_DISABLE_PATH,
                                     "caps are switched off on this machine")
                           : 0;
    if (rc == 0 && jl_host_decide(host, now_ms) < 0)
        rc = jl_fail_memory(err);
    if (rc == 0) {
        jl_host_see(host);
        if (show_plan(host) < 0 || sum_up_plan(host) < 0)
            rc = jl_fail_memory(err);
        else
            put_shown(host, &text);
        if (rc == 0)
            rc = jl_hand_out(&text, json, err);
    }
    host->config.mode = mode;
    host->memory = memory;
    host->peeked = NULL;
    jl_host_stop_peeking(host, &peek);
    return rc;
}

static int check_ticked(const struct joulie_host *host, struct joulie_error *err)
{
    return host->has_tick ? 0 : jl_fail(err, JOULIE_E_CONFLICT, "", "there was no tick yet");
}

static int check_shown(struct joulie_host *host, struct joulie_error *err)
{
    if (host->shown.is_there)
        return 0;
    const int rc = check_ticked(host, err);
    if (rc < 0)
        return rc;
    return show_outcome(host) == 0 ? 0 : jl_fail_memory(err);
}

int joulie_host_report(struct joulie_host *host, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct jl_control_status status = { 0 };
    int rc = check_ticked(host, err);
    if (rc < 0)
        return rc;
    rc = jl_node_report(&host->config, &host->input, host->wants, host->readings, &arena, &status);
    if (rc < 0)
        return jl_fail_memory(err);
    jl_encode(&text, &jl_control_status_table, &status);
    return jl_hand_out(&text, json, err);
}

int joulie_host_get_summary(struct joulie_host *host, struct joulie_node_summary *out,
                            struct joulie_error *err)
{
    struct jl_control_status status = { 0 };
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    if (!host->has_summary) {
        const int rc = check_ticked(host, err);
        if (rc < 0)
            return rc;
        if (jl_node_report(&host->config, &host->input, host->wants, host->readings,
                           &host->tick_memory, &status) < 0)
            return jl_fail_memory(err);
        host->summary = jl_node_summary(&status);
        host->has_summary = true;
    }
    jl_sized_write(out, &host->summary, sizeof host->summary);
    return JOULIE_OK;
}

int joulie_host_outcome(struct joulie_host *host, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    int rc = check_ticked(host, err);
    if (rc == 0)
        rc = check_shown(host, err);
    if (rc < 0)
        return rc;
    put_shown(host, &text);
    return jl_hand_out(&text, json, err);
}

int joulie_host_package_at(struct joulie_host *host, size_t index, struct joulie_host_package *out,
                           struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    const int rc = check_shown(host, err);
    if (rc < 0)
        return rc;
    if (index >= host->part_count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "there is no such package");
    jl_sized_write(out, &host->shown.packages[index], sizeof *out);
    return JOULIE_OK;
}

int joulie_host_write_at(struct joulie_host *host, size_t index, struct joulie_host_write *out,
                         struct joulie_error *err)
{
    if (jl_sized_check(out, sizeof *out) < 0)
        return jl_fail_abi(err, "");
    const int rc = check_shown(host, err);
    if (rc < 0)
        return rc;
    if (index >= host->shown.write_count)
        return jl_fail(err, JOULIE_E_RANGE, "index", "there is no such write");
    jl_sized_write(out, &host->shown.writes[index], sizeof *out);
    return JOULIE_OK;
}

int joulie_host_caps(struct joulie_host *host, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct jl_peek peek;
    int rc = jl_host_peek(host, &peek, err);
    if (rc < 0)
        return rc;
    put_caps(host, peek.open, &text);
    rc = jl_hand_out(&text, json, err);
    jl_host_stop_peeking(host, &peek);
    return rc;
}
