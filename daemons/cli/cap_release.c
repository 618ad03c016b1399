/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The kill switch: from now on nobody caps this machine, and what is capped is given back. By us
 * when nobody holds the machine, else by the agent that does; it finds the file at its next tick.
 */

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli.h"
#include "host.h"
#include "tree.h"

#define LONGEST_MS INT64_C(30000) /* of a hung agent joulie-capd gives back within 15 s */
#define PAUSE_MS INT64_C(250)

static struct json_object *caps_of(struct joulie_host *host, struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (joulie_host_caps(host, &json, err) < 0)
        return NULL;
    struct json_object *caps = jd_json_parse(json, strlen(json));
    if (!caps)
        jl_fail_memory(err);
    return caps;
}

static bool has_control(struct json_object *controls, const char *key)
{
    for (size_t i = 0; i < jd_json_count(controls); i++) {
        if (jl_same(jd_json_text(jd_item(controls, i), "key"), key))
            return true;
    }
    return false;
}

/* The members of `before` that are in `after` (still open) or are not (given back). */
static struct json_object *list_of(struct json_object *before, struct json_object *after,
                                   bool is_open)
{
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < jd_json_count(before); i++) {
        struct json_object *control = jd_item(before, i);
        const char *key = jd_json_text(control, "key");
        if (has_control(after, key) != is_open)
            continue;
        struct json_object *item = json_object_new_object();
        jd_set_text(item, "key", key);
        json_object_object_add(item, "value", json_object_get(jd_json_at(control, "baseline")));
        json_object_object_add(item, "unit", json_object_get(jd_json_at(control, "unit")));
        if (is_open)
            jd_set_text(item, "message",
                        "the process that holds the machine has not given it back");
        json_object_array_add(list, item);
    }
    return list;
}

/* What another process gave back, in the form of joulie_host_restore(). */
static int put_given_back(struct jd_call *call, struct json_object *before,
                          struct json_object *after)
{
    JL_CLEANUP(jd_json_freep) struct json_object *answer = json_object_new_object();
    json_object_object_add(answer, "restored", list_of(before, after, false));
    json_object_object_add(answer, "failed", list_of(before, after, true));
    jd_put_answer(call, jd_tree_text(answer));
    return jd_json_count(after) == 0 ? JD_EXIT_OK : JD_EXIT_BAD;
}

/* Until the holder of the lock, whom err names, has given everything back, or is gone and we can.
 */
static int wait_for_agent(struct jd_call *call, struct joulie_host *host,
                          struct json_object *before, struct joulie_error *err)
{
    struct json_object *now = json_object_get(before);
    int64_t left_ms = LONGEST_MS;
    fprintf(stderr, "%s: %s; waiting for it to give back\n", jd_program, err->message);
    while (jd_json_count(jd_json_at(now, "controls")) > 0 && left_ms > 0) {
        jd_pause_ms(PAUSE_MS);
        left_ms -= PAUSE_MS;
        json_object_put(now);
        if (joulie_host_claim(host, jd_now_ms(), NULL) == JOULIE_OK)
            return jd_restore(call, host, err);
        now = caps_of(host, err);
    }
    const int status =
        now ? put_given_back(call, jd_json_at(before, "controls"), jd_json_at(now, "controls"))
            : jd_put_error(call, err);
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
    JL_CLEANUP(jd_json_freep) struct json_object *before = caps_of(host, &caps_err);
    const bool is_off = switch_off(call, host, err);
    int rc = jd_find_keeper(call, host, err);
    if (rc == 0)
        rc = joulie_host_claim(host, jd_now_ms(), err);
    int status;
    if (rc == 0)
        status = jd_restore(call, host, err);
    else if (rc == JOULIE_E_CONFLICT && before && is_off)
        status = wait_for_agent(call, host, before, err);
    else
        status = jd_put_error(call, rc == JOULIE_E_CONFLICT && !before ? &caps_err : err);
    return is_off ? status : jd_worse(status, JD_EXIT_BAD);
}

static int run(struct jd_call *call)
{
    if (!call->values.all)
        return jd_usage("\"cap release\" gives back every cap of the machine: say --all");
    jd_outlive_readers();
    return jd_on_kept_host(call, jd_host_options(call), release);
}

static const struct jd_setting options[] = {
    JD_BOOLEAN_ROW("ALL", all, "every cap; there is no other choice"),
    JD_ROOT_ROW,
    JD_STATE_DIR_ROW,
    JD_CAPD_PROGRAM_ROW,
    JD_VERBOSE_ROW,
    JD_FORM_ROW,
};

const struct jd_command jd_command_cap_release = {
    .name = "cap release",
    .summary = "Gives back every cap of a machine and allows no more",
    .text = "Makes etc/joulie/disable below the root, which every agent obeys, and gives back what "
            "is capped: itself,\n"
            "or by waiting up to 30 s for the agent that holds the machine. Works on the live "
            "machine without --yes.\n"
            "joulie cap allow takes it back.",
    JD_ROWS(options),
    .run = run,
};
