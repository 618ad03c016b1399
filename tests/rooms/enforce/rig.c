/* SPDX-License-Identifier: Apache-2.0 */

/* A host over a simulated kernel, and short ways to ask for its state. */

#include "enforce/rig.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "enforce/host.h"
#include "enforce/keeper.h"
#include "fakehost/hosts.h"
#include "host/boot_id.h"

#define EPOCH_MS INT64_C(1700000000000)
#define TEXT_BYTES 512

struct rig rig_new(const char *host)
{
    struct rig rig = { .fk = fk_load_host(host),
                       .options = JOULIE_INIT(struct joulie_host_options),
                       .tick = JOULIE_INIT(struct joulie_host_tick_result) };
    rig.options.root = "/";
    rig.options.enforces = 1;
    rig.options.has_backed_twin = 1;
    return rig;
}

int64_t rig_now_ms(const struct rig *rig)
{
    return EPOCH_MS + rig->slept_ms + fk_now_ms(rig->fk);
}

/* ---- a keeper ---- */

#ifdef RIG_KEEPER

/* The process that writes, without a process: a packet is answered by a call. */
struct rig_keeper {
    struct jl_keeper is;
    struct jl_arena texts;
    struct fk *fk;
};

static int answer(void *user, struct jl_packet *packet, struct joulie_error *err)
{
    static struct jl_wire_reply unused;
    struct rig_keeper *keeper = user;
    const int64_t now_ms = fk_now_ms(keeper->fk);
    const struct jl_keeper_answer got =
        jl_keeper_answer(&keeper->is, packet->request, packet->request_bytes,
                         (struct jl_keeper_time){ EPOCH_MS + now_ms, now_ms },
                         packet->reply != NULL ? packet->reply : &unused);
    (void)err;
    assert_false(got.ends);
    packet->reply_bytes = got.bytes;
    packet->fd = got.fd;
    return 0;
}

/* What joulie-rescue does before joulie-capd starts is done by a host that writes itself; where
 * that fails, the keeper says why. */
static void prepare(const struct rig *rig)
{
    struct joulie_host *host = NULL;
    if (jl_host_open_over(fk_os(rig->fk), &rig->options, &host, NULL) == 0 &&
        joulie_host_claim(host, rig_now_ms(rig), NULL) == 0) {
        (void)jl_host_give_back_others(host, rig_now_ms(rig), NULL, NULL);
        (void)jl_journal_make(host->journal, NULL);
    }
    joulie_host_free(host);
}

/* As the host opens what it needs, without bounds that only a keeper has. */
static int start_keeper(struct rig *rig, struct joulie_error *err)
{
    struct rig_keeper *keeper = test_calloc(1, sizeof *keeper);
    struct jl_keeper *is = &keeper->is;
    const struct jl_os os = fk_os(rig->fk);
    rig->keeper = keeper;
    keeper->fk = rig->fk;
    *is = jl_keeper_new();
    is->root = (struct jl_root){ os, os.open(os.user, -1, "/", JL_OS_FOLDER_FD) };
    is->boot_id = jl_root_boot_id(&is->root, &keeper->texts);
    is->state_name = JL_STATE_FOLDER;
    is->may_enable = true;
    prepare(rig);
    is->state_fd = jl_journal_open_folder(&is->root, rig->options.state_dir);
    return is->state_fd >= 0 ? jl_host_keep_by(rig->host, answer, keeper, err)
                             : jl_root_fail(err, JL_STATE_FOLDER, "", -is->state_fd);
}

static void end_keeper(struct rig *rig)
{
    if (rig->keeper == NULL)
        return;
    jl_keeper_close(&rig->keeper->is);
    jl_arena_clear(&rig->keeper->texts);
    test_free(rig->keeper);
    rig->keeper = NULL;
}

#endif

void rig_close(struct rig *rig)
{
    joulie_host_free(rig->host);
#ifdef RIG_KEEPER
    end_keeper(rig);
#endif
    joulie_free(rig->report);
    rig->host = NULL;
    rig->report = NULL;
}

void rig_free(struct rig *rig)
{
    rig_close(rig);
    fk_free(rig->fk);
}

int rig_try_open(struct rig *rig, struct joulie_error *err)
{
    const int rc = jl_host_open_over(fk_os(rig->fk), &rig->options, &rig->host, err);
#ifdef RIG_KEEPER
    return rc == 0 ? start_keeper(rig, err) : rc;
#else
    return rc;
#endif
}

int rig_try_claim(struct rig *rig, struct joulie_error *err)
{
    return joulie_host_claim(rig->host, rig_now_ms(rig), err);
}

void rig_open(struct rig *rig)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (rig_try_open(rig, &err) != 0 || rig_try_claim(rig, &err) != 0)
        fail_msg("%s: %s", err.where, err.message);
}

void rig_twin(struct rig *rig, const char *text)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_host_put_twin(rig->host, text, text != NULL ? strlen(text) : 0, &err) != 0)
        fail_msg("%s: %s", err.where, err.message);
}

static void cap(struct rig *rig, const char *cpu)
{
    char text[2 * TEXT_BYTES];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\","
             "\"metadata\":{\"name\":\"n1\"},"
             "\"spec\":{\"nodeName\":\"n1\",\"profile\":\"eco\"%s}}",
             cpu);
    rig_twin(rig, text);
}

void rig_cap_w(struct rig *rig, double watts)
{
    char text[TEXT_BYTES / 2];
    snprintf(text, sizeof text, ",\"cpu\":{\"packagePowerCapWatts\":%.9g}", watts);
    cap(rig, text);
}

void rig_cap_pct(struct rig *rig, double pct)
{
    char text[TEXT_BYTES / 2];
    snprintf(text, sizeof text, ",\"cpu\":{\"packagePowerCapPctOfMax\":%.9g}", pct);
    cap(rig, text);
}

void rig_cap_none(struct rig *rig)
{
    cap(rig, "");
}

int rig_try_tick(struct rig *rig)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
    time.now_ms = rig_now_ms(rig);
    time.monotonic_us = 1000 * fk_now_ms(rig->fk);
    time.boottime_us = time.monotonic_us + 1000 * rig->slept_ms;
    const int rc = joulie_host_tick(rig->host, &time, &rig->tick, &err);
    joulie_free(rig->report);
    rig->report = NULL;
    return rc;
}

void rig_tick(struct rig *rig)
{
    if (rig_try_tick(rig) != 0 || joulie_host_report(rig->host, &rig->report, NULL) != 0)
        fail_msg("a tick failed");
}

void rig_pass_s(struct rig *rig, int seconds)
{
    for (int i = 0; i < seconds; i++) {
        fk_advance_ms(rig->fk, 1000);
        rig_tick(rig);
    }
}

int rig_restore(struct rig *rig)
{
    return joulie_host_restore(rig->host, rig_now_ms(rig), NULL, NULL);
}

void rig_fault(struct rig *rig, const char *line)
{
    if (fk_fault(rig->fk, line) != 0)
        fail_msg("%s: %s", line, fk_message(rig->fk));
}

/* ---- answers ---- */

/* The member at a path of names and indexes; NULL = absent. */
static struct json_object *member(struct json_object *from, const char *path)
{
    char name[64];
    while (from != NULL && *path != '\0') {
        const size_t len = strcspn(path, ".");
        assert_true(len < sizeof name);
        memcpy(name, path, len);
        name[len] = '\0';
        path += len + (path[len] == '.');
        struct json_object *next = NULL;
        if (json_object_is_type(from, json_type_array))
            next = json_object_array_get_idx(from, (size_t)strtoul(name, NULL, 10));
        else
            json_object_object_get_ex(from, name, &next);
        from = next;
    }
    return from;
}

/* Copies, so that the document can go. */
static const char *copy_word(const char *json, const char *path)
{
    static char text[TEXT_BYTES];
    struct json_object *document = json_tokener_parse(json);
    struct json_object *found = member(document, path);
    snprintf(text, sizeof text, "%s", found != NULL ? json_object_get_string(found) : "");
    json_object_put(document);
    return text;
}

const char *rig_word(struct rig *rig, const char *path)
{
    assert_non_null(rig->report);
    return copy_word(rig->report, path);
}

double rig_value(struct rig *rig, const char *path)
{
    struct json_object *document = json_tokener_parse(rig->report);
    struct json_object *found = member(document, path);
    const double value = found != NULL ? json_object_get_double(found) : (double)NAN;
    json_object_put(document);
    return value;
}

const char *rig_state(struct rig *rig, size_t package)
{
    char path[TEXT_BYTES];
    char *json = NULL;
    assert_int_equal(joulie_host_outcome(rig->host, &json, NULL), 0);
    snprintf(path, sizeof path, "packages.%zu.state", package);
    const char *state = copy_word(json, path);
    joulie_free(json);
    return state;
}

struct joulie_host_zone rig_zone(struct rig *rig, const char *name)
{
    struct joulie_host_zone zone = JOULIE_INIT(struct joulie_host_zone);
    for (size_t i = 0; joulie_host_zone_at(rig->host, i, &zone, NULL) == 0; i++)
        if (jl_same(zone.name, name))
            return zone;
    fail_msg("there is no zone %s", name);
    return zone;
}

size_t rig_open_keys(struct rig *rig)
{
    char *json = NULL;
    assert_int_equal(joulie_host_caps(rig->host, &json, NULL), 0);
    struct json_object *document = json_tokener_parse(json);
    const size_t count = json_object_array_length(member(document, "controls"));
    json_object_put(document);
    joulie_free(json);
    return count;
}
