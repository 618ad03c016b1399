/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-agent --restore: what the journal of the machine holds goes back, again and again until it
 * is done. agent.c calls it. */

#include "agent/restore.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <joulie/host.h>

#include "agent/host.h"
#include "agent/options.h"
#include "base/error.h"
#include "base/text.h"
#include "runtime/clock.h"
#include "runtime/daemon.h"
#include "runtime/json.h"

/* For a driver that is being loaded again; the manager of services ends it after 90 s. */
#define ZONE_MS 60000
#define LOCK_MS 5000 /* who holds the lock longer is an agent, and gives back itself */
#define PAUSE_NS 250000000

bool jd_is_restore(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (jl_same(argv[i], "--restore"))
            return true;
    }
    return false;
}

/* ---- options ---- */

/* A file that an agent cannot start with must not keep the caps of the one before in force. What is
 * wrong with it has been printed; the command line counts without it. */
static int take_words(struct jd_edges *edges, int argc, char **argv, struct jd_agent_values *values)
{
    const struct jd_sources words = { .words = argv + 1,
                                      .word_count = (size_t)argc - 1,
                                      .reads_no_file = true };
    jd_options_clear(&edges->options);
    *values = (struct jd_agent_values){ 0 };
    edges->log = jd_log_new(STDERR_FILENO, NULL, NULL);
    return jd_options_read(&jd_agent_daemon, &words, &edges->options, values, NULL) < 0 ? JD_USAGE
                                                                                        : JD_GO_ON;
}

/* ---- giving back ---- */

/* A cap that a person set (joulie cap apply) stays until a person, or an agent that enforces, gives
 * it back. */
static bool is_of_agent(struct json_object *control)
{
    const char *owner = json_object_get_string(json_object_object_get(control, "owner"));
    return !owner || !jl_starts_with(owner, "local:");
}

/* Reads only: a machine that no agent capped has no state folder, and gets none. */
static bool has_caps(struct joulie_host *host)
{
    JL_CLEANUP(jl_freep) char *json = NULL;
    if (joulie_host_caps(host, &json, NULL) != JOULIE_OK)
        return true;
    JL_CLEANUP(jd_json_freep) struct json_object *caps = jd_json_parse(json, strlen(json));
    struct json_object *controls = caps ? jd_json_at(caps, "controls") : NULL;
    bool is_held = !controls;
    for (size_t i = 0; i < jd_json_count(controls); i++)
        is_held |= is_of_agent(json_object_array_get_idx(controls, i));
    return is_held;
}

static int try_once(const struct jd_agent_values *values, struct jd_log *log, bool is_quiet,
                    struct joulie_error *err)
{
    struct joulie_host_options options = JOULIE_INIT(struct joulie_host_options);
    struct joulie_host *host = NULL;
    options.root = values->root;
    options.state_dir = values->state_dir;
    options.enforces = 1;
    options.log = is_quiet ? NULL : jd_log_of_host;
    options.log_user = log;
    int rc = joulie_host_open(&options, &host, err);
    if (rc == 0 && has_caps(host)) {
        rc = joulie_host_claim(host, jd_clock_now().now_ms, err);
        if (rc == 0)
            rc = jd_restore(host, log, "restore", is_quiet, err);
    }
    joulie_host_free(host);
    return rc;
}

static int restore(const struct jd_agent_values *values, struct jd_log *log)
{
    static const struct timespec pause = { .tv_nsec = PAUSE_NS };
    const int64_t began_ms = jd_clock_ms();
    for (bool is_again = false;; is_again = true) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        const int rc = try_once(values, log, is_again, &err);
        if (rc == 0)
            return JD_DONE;
        if (jd_clock_ms() - began_ms >= (rc == JOULIE_E_CONFLICT ? LOCK_MS : ZONE_MS)) {
            jd_log_error(log, "restore", "the caps cannot be given back", &err);
            return JD_BROKEN;
        }
        nanosleep(&pause, NULL);
    }
}

/* As ExecStopPost= after an agent whose caps are to stay. */
static bool is_to_stay(const struct jd_agent_values *values)
{
    const char *result = getenv("SERVICE_RESULT");
    return !values->restore_on_exit && result && jl_same(result, "success");
}

int jd_restore_main(int argc, char **argv)
{
    struct jd_edges edges = { 0 };
    struct jd_agent_values values = { 0 };
    int status = jd_daemon_configure(&edges, &jd_agent_daemon, argc, argv, &values);
    if (status == JD_USAGE)
        status = take_words(&edges, argc, argv, &values);
    if (status == JD_GO_ON)
        status = is_to_stay(&values) ? JD_DONE : restore(&values, &edges.log);
    jd_options_clear(&edges.options);
    return status;
}
