/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The kill switch: from now on nobody caps this machine, and what is capped is given back. By us
 * when nobody holds the machine, else by the agent that does; it finds the file at its next tick.
 */

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli.h"
#include "host.h"
#include "runtime/json.h"

#define LONGEST_MS INT64_C(15000)
#define PAUSE_MS INT64_C(250)

static struct json_object *caps_of(struct joulie_host *host, struct joulie_error *err)
{
    char *json = NULL;
    if (joulie_host_caps(host, &json, err) < 0)
        return NULL;
    struct json_object *caps = jd_json_parse(json, strlen(json));
    joulie_free(json);
    if (!caps)
        jl_fail_memory(err);
    return caps;
}

static struct json_object *controls_of(struct json_object *caps)
{
    struct json_object *controls = NULL;
    json_object_object_get_ex(caps, "controls", &controls);
    return controls;
}

static bool has_control(struct json_object *controls, const char *key)
{
    struct json_object *found = NULL;
    for (size_t i = 0; i < json_object_array_length(controls); i++) {
        json_object_object_get_ex(json_object_array_get_idx(controls, i), "key", &found);
        if (jl_same(json_object_get_string(found), key))
            return true;
    }
    return false;
}

static void put_member(struct jl_buffer *out, struct json_object *control, const char *member,
                       const char *name)
{
    struct json_object *found = NULL;
    json_object_object_get_ex(control, member, &found);
    jl_put_string(out, name);
    jl_put_string(out, json_object_to_json_string_ext(found, JSON_C_TO_STRING_PLAIN |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE));
}

/* The members of `before` that are in `after` (still open) or are not (given back). */
static void put_list(struct jl_buffer *out, struct json_object *before, struct json_object *after,
                     bool is_open)
{
    bool is_first = true;
    for (size_t i = 0; i < json_object_array_length(before); i++) {
        struct json_object *control = json_object_array_get_idx(before, i);
        struct json_object *key = NULL;
        json_object_object_get_ex(control, "key", &key);
        if (has_control(after, json_object_get_string(key)) != is_open)
            continue;
        jl_put_string(out, is_first ? "{" : ",{");
        put_member(out, control, "key", "\"key\":");
        put_member(out, control, "baseline", ",\"value\":");
        put_member(out, control, "unit", ",\"unit\":");
        if (is_open)
            jl_put_string(out, ",\"message\":\"the process that holds the machine has not given "
                               "it back\"");
        jl_put_char(out, '}');
        is_first = false;
    }
}

/* What another process gave back, in the form of joulie_host_restore(). */
static int put_given_back(struct jd_call *call, struct json_object *before,
                          struct json_object *after)
{
    struct jl_buffer out = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const bool is_done = json_object_array_length(after) == 0;
    jl_put_string(&out, "{\"restored\":[");
    put_list(&out, before, after, false);
    jl_put_string(&out, "],\"failed\":[");
    put_list(&out, before, after, true);
    jl_put_string(&out, "]}");
    const bool is_failed = jl_buffer_code(&out) != 0;
    if (is_failed)
        jl_fail_memory(&err);
    else
        jd_put_answer(call, out.data);
    jl_buffer_clear(&out);
    if (is_failed)
        return jd_fail_answer(call, &err);
    return is_done ? JD_EXIT_OK : JD_EXIT_BAD;
}

/* Until the holder of the lock, whom err names, has given everything back, or is gone and we can.
 */
static int wait_for_agent(struct jd_call *call, struct joulie_host *host,
                          struct json_object *before, struct joulie_error *err)
{
    struct json_object *now = json_object_get(before);
    int64_t left_ms = LONGEST_MS;
    fprintf(stderr, "%s: %s; waiting for it to give back\n", jd_program, err->message);
    while (now && json_object_array_length(controls_of(now)) > 0 && left_ms > 0) {
        jd_pause_ms(PAUSE_MS);
        left_ms -= PAUSE_MS;
        json_object_put(now);
        if (joulie_host_claim(host, jd_now_ms(), NULL) == JOULIE_OK)
            return jd_restore(call, host, err);
        now = caps_of(host, err);
    }
    const int status = now ? put_given_back(call, controls_of(before), controls_of(now))
                           : jd_fail_answer(call, err);
    json_object_put(now);
    return status;
}

static bool switch_off(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    const char *root = jd_root(call);
    const char *slash = jl_ends_with(root, "/") ? "" : "/";
    if (joulie_host_set_disabled(host, 1, err) == JOULIE_OK) {
        fprintf(stderr,
                "%s: caps are switched off by %s%setc/joulie/disable; joulie cap allow removes "
                "it\n",
                jd_program, root, slash);
        return true;
    }
    fprintf(stderr, "%s: caps are NOT switched off: %s%s%s: %s; an agent can cap again\n",
            jd_program, root, slash, err->where, err->message);
    return false;
}

/* The switch comes first: nothing that fails later may keep it from being there. Without it what is
 * capped is given back all the same, when no agent is there that would cap again. */
static int release(struct jd_call *call, struct joulie_host *host, struct joulie_error *err)
{
    struct joulie_error caps_err = JOULIE_INIT(struct joulie_error);
    struct json_object *before = caps_of(host, &caps_err);
    const bool is_off = switch_off(call, host, err);
    const int rc = joulie_host_claim(host, jd_now_ms(), err);
    int status;
    if (rc == 0)
        status = jd_restore(call, host, err);
    else if (rc == JOULIE_E_CONFLICT && before && is_off)
        status = wait_for_agent(call, host, before, err);
    else
        status = jd_fail_answer(call, rc == JOULIE_E_CONFLICT && !before ? &caps_err : err);
    json_object_put(before);
    return is_off ? status : jd_worse(status, JD_EXIT_BAD);
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_host *host = NULL;
    if (!call->values.all)
        return jd_usage("\"cap release\" gives back every cap of the machine: say --all");
    jd_outlive_readers();
    struct joulie_host_options host_options = jd_host_options(call);
    host_options.enforces = 1;
    const int status = joulie_host_open(&host_options, &host, &err) < 0 ? jd_fail_answer(call, &err)
                                                                        : release(call, host, &err);
    joulie_host_free(host);
    return status;
}

static const struct jd_setting options[] = {
    JD_BOOLEAN_ROW("ALL", all, "every cap; there is no other choice"),
    JD_ROOT_ROW,
    JD_STATE_DIR_ROW,
    JD_VERBOSE_ROW,
    JD_FORM_ROW,
};

const struct jd_command jd_command_cap_release = {
    .name = "cap release",
    .summary = "Gives back every cap of a machine and allows no more",
    .text = "Makes etc/joulie/disable below the root, which every agent obeys, and gives back what "
            "is capped: itself,\n"
            "or by waiting up to 15 s for the agent that holds the machine. Works on the live "
            "machine without --yes.\n"
            "joulie cap allow takes it back.",
    .options = options,
    .option_count = JL_COUNT(options),
    .run = run,
};
