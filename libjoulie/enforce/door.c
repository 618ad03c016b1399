/* SPDX-License-Identifier: Apache-2.0 */

/* The public door joulie/host.h: checks what comes in, calls the files beside it. */

#include "node/door.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/time.h"
#include "enforce/host.h"
#include "host/snapshot.h"
#include "kinds/kinds.h"
#include "kinds/naming.h"
#include "kinds/node_hardware.h"
#include "node/hardware.h"
#include "schema/decode.h"
#include "schema/document.h"
#include "schema/encode.h"

/* ---- answers ---- */

static int hand_out(struct jl_buffer *text, char **json, struct joulie_error *err)
{
    char *taken = jl_buffer_take(text);
    if (taken == NULL)
        return jl_fail_memory(err);
    *json = taken;
    return 0;
}

static int check_now(int64_t now_ms, struct joulie_error *err)
{
    return jl_is_instant(now_ms)
               ? 0
               : jl_fail(err, JOULIE_E_RANGE, "now_ms", "the year is not within 0 to 9999");
}

/* ---- what it is made of ---- */

static int peek(struct joulie_host *host, struct jl_journal_file **out, int *out_fd,
                struct joulie_error *err);
static void stop_peeking(struct joulie_host *host, struct jl_journal_file *file, int fd);

/* A machine is described as it is without our caps: limits of the journal, not those that read. */
static void describe_uncapped(struct joulie_host *host, const struct jl_journal_file *file)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena memory = { 0 };
    for (size_t i = 0; file != NULL && i < host->facts.zone_count; i++) {
        const struct jl_zone *zone = &host->facts.zones[i];
        for (size_t k = 0; k < zone->constraint_count; k++) {
            struct jl_zone_constraint *constraint = &zone->constraints[k];
            const char *const parts[] = { "rapl/", zone->name != NULL ? zone->name : "", "/",
                                          constraint->name != NULL ? constraint->name : "" };
            const char *key = jl_arena_join(&memory, parts, JL_COUNT(parts));
            const struct jl_journal_entry *entry = key != NULL ? jl_journal_find(file, key) : NULL;
            if (entry != NULL)
                constraint->limit_uw = (struct jl_fact){ .value = entry->value };
        }
    }
}

static int read_uncapped(struct joulie_host *host, struct joulie_error *err)
{
    struct jl_journal_file *file = NULL;
    int fd = -1;
    const int rc = host->is_claimed ? 0 : peek(host, &file, &fd, err);
    if (rc == 0)
        describe_uncapped(host, host->is_claimed ? host->journal : file);
    stop_peeking(host, file, fd);
    return rc;
}

static int describe(struct joulie_host *host, const char *node_name, int64_t now_ms, char **json,
                    struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct jl_node_hardware object = { 0 };
    char now[JL_TIME_TEXT];
    int rc = jl_door_check_text(node_name, "node_name", err);
    if (rc == 0 && (node_name == NULL || node_name[0] == '\0'))
        rc = jl_fail(err, JOULIE_E_REQUIRED, "node_name", "a node has a name");
    if (rc == 0)
        rc = check_now(now_ms, err);
    if (rc == 0)
        rc = read_uncapped(host, err);
    if (rc < 0)
        return rc;
    rc = jl_node_hardware_status(&host->facts, &arena, &object.status);
    const char *name = rc == 0 ? jl_object_name(&arena, node_name, NULL, NULL) : NULL;
    if (name == NULL)
        return rc < 0 ? jl_fail(err, rc, "", "the machine cannot be described")
                      : jl_fail_memory(err);
    jl_format_time(now_ms, now);
    JL_PUT(&object, JL_ROOT_API_VERSION, api_version, "joulie.io/v1alpha1");
    JL_PUT(&object, JL_ROOT_KIND, kind, "NodeHardware");
    JL_PUT(&object.meta, 0, name, name);
    JL_MARK(&object, JL_ROOT_META);
    JL_SET(&object.spec, node_name, node_name);
    JL_MARK(&object, JL_ROOT_SPEC);
    JL_SET(&object.status, updated_at, now);
    JL_MARK(&object, JL_ROOT_STATUS);
    jl_encode(&text, &jl_node_hardware_table, &object);
    return hand_out(&text, json, err);
}

int joulie_host_hardware(struct joulie_host *host, const char *node_name, int64_t now_ms,
                         char **json, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(describe(host, node_name, now_ms, json, &full), &full, err);
}

struct relay {
    joulie_host_sink_fn *sink;
    void *user;
};

static int pass_on(void *user, const struct jl_snapshot_entry *entry)
{
    const struct relay *relay = user;
    const struct joulie_host_entry theirs = {
        .struct_size = sizeof theirs,
        .path = entry->path,
        .bytes = entry->bytes,
        .len = entry->len,
        .mode = entry->mode,
        .is_folder = entry->is_folder,
    };
    return relay->sink(relay->user, &theirs);
}

int joulie_host_snapshot(struct joulie_host *host, joulie_host_sink_fn *sink, void *user,
                         struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    struct relay relay = { sink, user };
    struct jl_snapshot snapshot = { .sink = pass_on, .user = &relay, .arena = &arena };
    int rc = jl_host_snapshot(&host->root, &snapshot);
    if (rc == JOULIE_E_NOMEM)
        rc = jl_fail_memory(&full);
    else if (rc != 0)
        rc = jl_fail(&full, rc, "", "the snapshot is not complete");
    for (size_t i = 0; i < snapshot.warning_count; i++)
        jl_host_say(host, JOULIE_HOST_LEVEL_WARN, "host", "%s: %s", snapshot.warnings[i].where,
                    snapshot.warnings[i].message);
    return jl_door_return(rc, &full, err);
}

/* ---- what is desired ---- */

/* A whole NodeTwin says what it is; else the text is its spec. */
static int decode_twin(struct joulie_host *host, struct jl_decode *decode, struct jl_arena *arena,
                       const struct jl_twin_spec **out_spec, const char **out_updated)
{
    struct jl_raw kind = { 0 };
    int rc = jl_decode_member(decode, "kind", &kind);
    if (rc < 0)
        return rc;
    decode->flags = host->has_backed_twin ? 0 : JL_LENIENT;
    const bool is_whole = kind.text != NULL;
    const struct jl_table *table = is_whole ? &jl_node_twin_table : &jl_twin_spec_table;
    void *object = jl_arena_alloc(arena, table->size);
    if (object == NULL)
        return jl_fail_memory(decode->err);
    rc = jl_decode_document(decode, table, object);
    if (rc < 0)
        return rc;
    if (!is_whole) {
        *out_spec = object;
        return 0;
    }
    const struct jl_node_twin *twin = object;
    if (!JL_HAS(twin, JL_ROOT_SPEC))
        return jl_fail(decode->err, JOULIE_E_REQUIRED, "spec",
                       "the twin does not say what it desires");
    *out_spec = &twin->spec;
    *out_updated = twin->status.last_updated;
    return 0;
}

static int take_twin(struct joulie_host *host, const char *text, size_t len,
                     struct joulie_error *err)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_twin_spec *spec = NULL;
    const char *updated = NULL;
    if (text != NULL) {
        JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
        int rc = jl_document_read(&document, text, len, err);
        struct jl_decode decode = { .arena = &arena,
                                    .text = document.text,
                                    .len = document.len,
                                    .lines = document.lines,
                                    .flags = JL_LENIENT,
                                    .err = err };
        if (rc == 0)
            rc = decode_twin(host, &decode, &arena, &spec, &updated);
        if (rc < 0)
            return rc;
    }
    const bool is_of_tick = host->input.spec != NULL && host->input.spec == host->spec;
    if (is_of_tick) { /* the report needs it until the next tick */
        jl_arena_clear(&host->old_twin_memory);
        host->old_twin_memory = host->twin_memory;
    } else {
        jl_arena_clear(&host->twin_memory);
    }
    host->twin_memory = arena;
    arena = (struct jl_arena){ 0 };
    host->spec = spec;
    host->last_updated = updated;
    host->has_twin_word = true;
    host->is_unread = false;
    return 0;
}

int joulie_host_put_twin(struct joulie_host *host, const char *text, size_t len,
                         struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(take_twin(host, text, len, &full), &full, err);
}

void joulie_host_twin_unread(struct joulie_host *host, int32_t is_unread)
{
    host->is_unread = is_unread != 0;
}

void joulie_host_heartbeat(struct joulie_host *host, int64_t at_ms)
{
    if (!jl_is_instant(at_ms))
        return;
    host->config.freshness.has_heartbeat = true;
    host->config.freshness.heartbeat_ms = at_ms;
}

/* ---- the journal ---- */

static int open_journal(struct joulie_host *host, bool is_writer, struct jl_journal_file **out,
                        int *out_fd, struct joulie_error *err)
{
    const int fd = jl_host_open_state(host, is_writer);
    *out_fd = fd;
    if (fd < 0) {
        const int rc =
            jl_fail(err, JOULIE_E_IO, jl_host_state_name(host), "%s", jl_root_errno_text(-fd));
        err->sys_errno = -fd;
        return rc;
    }
    const struct jl_journal_setup setup = {
        .os = host->root.os,
        .folder_fd = fd,
        .boot_id = host->facts.boot_id,
        .is_writer = is_writer,
        .pid = is_writer ? jl_os_pid() : 0,
    };
    return jl_journal_open(&setup, out, err);
}

/* A reader's look; no folder yet is an empty journal. */
static int peek(struct joulie_host *host, struct jl_journal_file **out, int *out_fd,
                struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    const int rc = open_journal(host, false, out, out_fd, &full);
    if (rc == JOULIE_E_IO && *out_fd == -ENOENT)
        return 0;
    if (rc < 0)
        *err = full;
    return rc;
}

static void stop_peeking(struct joulie_host *host, struct jl_journal_file *file, int fd)
{
    jl_journal_close(file);
    if (fd >= 0)
        host->root.os.close(host->root.os.user, fd);
}

/* What was found before anybody's first write is in the journal, not in the file. */
static void remember_baselines(struct joulie_host *host, const struct jl_journal_file *file)
{
    const struct jl_journal *now = jl_journal_now(file);
    for (size_t i = 0; i < now->open_count; i++) {
        struct jl_control *control = jl_control_find(host, now->open[i].key);
        if (control == NULL)
            continue;
        control->has_found = true;
        control->found = now->open[i].value;
    }
}

static int claim(struct joulie_host *host, int64_t now_ms, struct joulie_error *err)
{
    int rc = check_now(now_ms, err);
    if (rc < 0 || host->is_claimed)
        return rc;
    rc = open_journal(host, true, &host->journal, &host->state_fd, err);
    if (rc < 0) {
        if (host->state_fd >= 0)
            host->root.os.close(host->root.os.user, host->state_fd);
        host->state_fd = -1;
        return rc;
    }
    host->is_claimed = true;
    remember_baselines(host, host->journal);
    jl_host_reopen(host);
    const struct jl_journal *now = jl_journal_now(host->journal);
    if (now->open_count > 0)
        jl_host_say(host, JOULIE_HOST_LEVEL_INFO, "journal",
                    "%zu controls still have what an earlier process wrote", now->open_count);
    if (now->skipped > 0)
        jl_host_say(host, JOULIE_HOST_LEVEL_WARN, "journal", "%zu lines could not be read",
                    now->skipped);
    return 0;
}

int joulie_host_claim(struct joulie_host *host, int64_t now_ms, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(claim(host, now_ms, &full), &full, err);
}

static int give_back(struct joulie_host *host, int64_t now_ms, char **json,
                     struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer restored = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer failed = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    int rc = check_now(now_ms, err);
    if (rc < 0)
        return rc;
    if (!host->is_claimed)
        return jl_fail(err, JOULIE_E_CONFLICT, "", "only the writer of a machine gives back");
    size_t failures = jl_host_give_back_others(host, now_ms, &restored, &failed);
    failures += jl_host_give_back(host, NULL, now_ms, &restored, &failed);
    jl_put_string(&text, "{\"restored\":[");
    jl_put(&text, restored.data != NULL ? restored.data : "", restored.len);
    jl_put_string(&text, "],\"failed\":[");
    jl_put(&text, failed.data != NULL ? failed.data : "", failed.len);
    jl_put_string(&text, "]}");
    if (restored.is_failed || failed.is_failed)
        return jl_fail_memory(err);
    rc = json != NULL ? hand_out(&text, json, err) : 0;
    if (rc == 0 && failures > 0)
        rc = jl_fail(err, JOULIE_E_IO, jl_host_state_name(host),
                     "%zu controls could not be given back and stay in the journal", failures);
    return rc;
}

int joulie_host_restore(struct joulie_host *host, int64_t now_ms, char **json,
                        struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(give_back(host, now_ms, json, &full), &full, err);
}

static int list_caps(struct joulie_host *host, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    struct jl_journal_file *file = NULL;
    int fd = -1;
    int rc = host->is_claimed ? 0 : peek(host, &file, &fd, err);
    if (rc < 0)
        return rc;
    jl_put_caps(host, host->is_claimed ? host->journal : file, &text);
    rc = hand_out(&text, json, err);
    stop_peeking(host, file, fd);
    return rc;
}

int joulie_host_caps(struct joulie_host *host, char **json, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(list_caps(host, json, &full), &full, err);
}

/* ---- steps ---- */

static int plan(struct joulie_host *host, int64_t now_ms, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const struct jl_node_memory memory = host->memory;
    const enum jl_node_mode mode = host->config.mode;
    struct jl_journal_file *file = NULL;
    int fd = -1;
    int rc = check_now(now_ms, err);
    if (rc == 0 && !host->is_claimed)
        rc = peek(host, &file, &fd, err);
    if (rc < 0)
        return rc;
    if (file != NULL) {
        host->journal = file;
        remember_baselines(host, file);
    }
    host->config.mode = JL_NODE_ENFORCE;
    jl_host_observe(host);
    rc = jl_host_decide(host, now_ms) == 0 ? 0 : jl_fail_memory(err);
    if (rc == 0) {
        jl_host_see(host);
        jl_put_plan(host, &text);
        rc = hand_out(&text, json, err);
    }
    host->config.mode = mode;
    host->memory = memory;
    host->has_tick = false; /* what was decided is not what was done */
    if (!host->is_claimed) {
        host->journal = NULL;
        stop_peeking(host, file, fd);
    }
    return rc;
}

int joulie_host_plan(struct joulie_host *host, int64_t now_ms, char **json,
                     struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(plan(host, now_ms, json, &full), &full, err);
}

#define TIME_SIZE_0_1 (offsetof(struct joulie_host_time, boottime_us) + sizeof(int64_t))
#define TICK_SIZE_0_1 (offsetof(struct joulie_host_tick_result, is_disabled) + sizeof(int32_t))

_Static_assert(sizeof(struct joulie_host_time) == TIME_SIZE_0_1, "no tail padding");
_Static_assert(sizeof(struct joulie_host_tick_result) == TICK_SIZE_0_1, "no tail padding");

/* Differences of these never overflow. */
static int check_clock(const char *where, int64_t us, struct joulie_error *err)
{
    return us >= 0 && us <= INT64_MAX / 4
               ? 0
               : jl_fail(err, JOULIE_E_RANGE, where, "no clock shows this time");
}

static int tick(struct joulie_host *host, const struct joulie_host_time *theirs,
                struct joulie_host_tick_result *out, struct joulie_error *err)
{
    struct joulie_host_time time;
    if (jl_sized_check(theirs, TIME_SIZE_0_1) < 0 ||
        jl_sized_read(&time, sizeof time, theirs) < 0 ||
        (out != NULL && jl_sized_check(out, TICK_SIZE_0_1) < 0))
        return jl_door_fail_abi(err);
    int rc = check_now(time.now_ms, err);
    if (rc == 0)
        rc = check_clock("monotonic_us", time.monotonic_us, err);
    if (rc == 0)
        rc = check_clock("boottime_us", time.boottime_us, err);
    if (rc == 0)
        rc = jl_host_tick(host, &time, err);
    if (rc < 0 || out == NULL)
        return rc;
    const struct joulie_host_tick_result ours = {
        .writes = host->writes,
        .is_news = jl_host_is_news(host),
        .is_settled = host->is_settled,
        .is_disabled = host->is_disabled,
    };
    jl_sized_write(out, &ours, sizeof ours);
    return 0;
}

int joulie_host_tick(struct joulie_host *host, const struct joulie_host_time *time,
                     struct joulie_host_tick_result *out, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(tick(host, time, out, &full), &full, err);
}

static int check_ticked(const struct joulie_host *host, struct joulie_error *err)
{
    return host->has_tick ? 0 : jl_fail(err, JOULIE_E_CONFLICT, "", "there was no tick yet");
}

static int report(struct joulie_host *host, char **json, struct joulie_error *err)
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
    return hand_out(&text, json, err);
}

int joulie_host_report(struct joulie_host *host, char **json, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(report(host, json, &full), &full, err);
}

static int outcome(struct joulie_host *host, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const int rc = check_ticked(host, err);
    if (rc < 0)
        return rc;
    jl_put_outcome(host, &text);
    return hand_out(&text, json, err);
}

int joulie_host_outcome(struct joulie_host *host, char **json, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(outcome(host, json, &full), &full, err);
}

/* ---- the kill switch ---- */

static int set_disabled(struct joulie_host *host, bool is_disabled, struct joulie_error *err)
{
    const struct jl_os *os = &host->root.os;
    const int folder = is_disabled ? jl_root_make_folder(&host->root, JL_DISABLE_FOLDER)
                                   : jl_root_folder(&host->root, JL_DISABLE_FOLDER);
    int rc = folder;
    if (folder >= 0 && is_disabled) {
        rc = os->open(os->user, folder, JL_DISABLE_NAME, JL_OS_WRITE | JL_OS_CREATE);
        if (rc >= 0)
            os->close(os->user, rc);
        if (rc >= 0)
            rc = os->sync(os->user, folder);
    } else if (folder >= 0) {
        rc = os->unlink(os->user, folder, JL_DISABLE_NAME);
    }
    if (folder >= 0)
        os->close(os->user, folder);
    const bool is_so = rc >= 0 || (!is_disabled && rc == -ENOENT);
    if (is_so)
        return 0;
    err->sys_errno = -rc;
    return jl_fail(err, JOULIE_E_IO, JL_DISABLE_FOLDER "/" JL_DISABLE_NAME, "%s",
                   jl_root_errno_text(-rc));
}

int joulie_host_disable(struct joulie_host *host, int32_t is_disabled, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_door_return(set_disabled(host, is_disabled != 0, &full), &full, err);
}

/* ---- telemetry ---- */

#define ZONE_SIZE_0_1 (offsetof(struct joulie_host_zone, reserved) + sizeof(uint32_t))
#define COUNTS_SIZE_0_1 (offsetof(struct joulie_host_counts, restores) + sizeof(uint64_t))
#define DVFS_SIZE_0_1 (offsetof(struct joulie_host_dvfs, downs) + sizeof(uint64_t))
#define POLICY_SIZE_0_1 (offsetof(struct joulie_host_policy, max_khz) + sizeof(uint64_t))

_Static_assert(sizeof(struct joulie_host_zone) == ZONE_SIZE_0_1, "no tail padding");

int joulie_host_zone_at(struct joulie_host *host, size_t index, struct joulie_host_zone *out,
                        struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    if (jl_sized_check(out, ZONE_SIZE_0_1) < 0)
        return jl_door_return(jl_door_fail_abi(&full), &full, err);
    if (index >= host->meter_count)
        return jl_door_return(jl_fail(&full, JOULIE_E_RANGE, "index", "there is no such zone"),
                              &full, err);
    const struct jl_meter *meter = &host->meters[index];
    struct joulie_host_zone ours = {
        .name = meter->name,
        .energy_j = meter->published_j,
        .power_w = meter->published_w,
        .resets = meter->resets,
        .kind = meter->kind,
    };
    if (meter->has_last)
        ours.has |= JOULIE_HOST_ZONE_HAS_ENERGY;
    if (meter->has_published_w)
        ours.has |= JOULIE_HOST_ZONE_HAS_POWER;
    const struct jl_control *control =
        meter->control != JL_NOWHERE ? &host->controls[meter->control] : NULL;
    if (control != NULL && control->now.code == 0) {
        ours.has |= JOULIE_HOST_ZONE_HAS_LIMIT;
        ours.limit_w = (double)control->now.value / 1e6;
    }
    jl_sized_write(out, &ours, sizeof ours);
    return 0;
}

int joulie_host_dvfs_now(struct joulie_host *host, struct joulie_host_dvfs *out,
                         struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    struct joulie_host_dvfs ours = { 0 };
    if (jl_sized_check(out, DVFS_SIZE_0_1) < 0)
        return jl_door_return(jl_door_fail_abi(&full), &full, err);
    jl_host_tell_dvfs(host, &ours);
    jl_sized_write(out, &ours, sizeof ours);
    return 0;
}

int joulie_host_policy_at(struct joulie_host *host, size_t index, struct joulie_host_policy *out,
                          struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    struct joulie_host_policy ours = { 0 };
    if (jl_sized_check(out, POLICY_SIZE_0_1) < 0)
        return jl_door_return(jl_door_fail_abi(&full), &full, err);
    const int rc = jl_host_read_policy(host, index, &ours);
    if (rc == JOULIE_E_RANGE)
        jl_fail(&full, rc, "index", "there is no such policy");
    else if (rc < 0)
        jl_fail_memory(&full);
    else
        jl_sized_write(out, &ours, sizeof ours);
    return jl_door_return(rc, &full, err);
}

int joulie_host_get_counts(struct joulie_host *host, struct joulie_host_counts *out,
                           struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    if (jl_sized_check(out, COUNTS_SIZE_0_1) < 0)
        return jl_door_return(jl_door_fail_abi(&full), &full, err);
    const struct joulie_host_counts ours = {
        .calls = host->counts.calls,
        .writes = host->counts.writes,
        .syncs = host->counts.syncs,
        .restores = host->restores,
    };
    jl_sized_write(out, &ours, sizeof ours);
    return 0;
}
