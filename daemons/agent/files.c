/* SPDX-License-Identifier: Apache-2.0 */

/* The agent of one machine with a spec in a file: poll it, step, write the status when something is
 * new; at the end give back. agent.c calls it. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <joulie/remote.h>

#include "agent/agent.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/clock.h"
#include "runtime/json.h"

#define ONCE_LIMIT_MS 30000 /* a ramp from the top to the floor takes 20 s */
#define HOST_NAME_BYTES 256

static const char *node_name_of(const struct jd_agent *agent)
{
    if (agent->values.node_name)
        return agent->values.node_name;
    return agent->files.spec.words.node_name ? agent->files.spec.words.node_name
                                             : agent->files.host_name;
}

/* One line: apiVersion, kind, metadata.name, spec.nodeName, spec.profile where it is known,
 * status.controlStatus. */
static int put_twin(struct jl_buffer *out, const char *node_name, const char *profile,
                    const char *report, struct joulie_error *err)
{
    char *name = NULL; /* a node name that has no object name stands for itself */
    const int rc = joulie_node_object_name(node_name, &name, err);
    jl_put_string(out,
                  "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{");
    jd_json_put_text(out, "name", rc == JOULIE_OK ? name : node_name);
    joulie_free(name);
    jl_put_string(out, "},\"spec\":{");
    jd_json_put_text(out, "nodeName", node_name);
    if (profile)
        jd_json_put_text(out, "profile", profile);
    jl_put_string(out, "},\"status\":{\"controlStatus\":");
    jl_put_string(out, report);
    jl_put_string(out, "}}\n");
    return rc == JOULIE_E_NOMEM || out->is_failed ? jl_fail_memory(err) : 0;
}

static bool publish(struct jd_agent *agent)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    char *report = NULL;
    int rc = joulie_host_report(agent->host.host, &report, &err);
    if (rc == 0)
        rc = put_twin(&text, node_name_of(agent), agent->files.spec.words.profile, report, &err);
    joulie_free(report);
    if (rc < 0)
        jd_log_error(&agent->edges.log, "status", "no report", &err);
    return rc == 0 && jd_status_file_write(&agent->files.status, &text);
}

/* true = nothing is on its way any more. */
static bool step(struct jd_agent *agent)
{
    struct jd_files *files = &agent->files;
    const bool is_new_spec = jd_spec_poll(&files->spec, agent->host.host);
    if (jd_host_step(&agent->host, jd_clock_now().now_ms) < 0)
        return false;
    if (agent->host.has_news || is_new_spec || !files->is_published)
        files->is_published = publish(agent);
    return agent->host.is_settled;
}

/* One step is enough, but a ramp has to arrive: nobody would go on with it. */
static bool is_over(const struct jd_agent *agent, bool is_settled)
{
    return agent->values.once && (is_settled || !agent->shared.enforces || !agent->is_live ||
                                  jd_clock_ms() - agent->files.started_ms >= ONCE_LIMIT_MS);
}

/* Each doubling is logged. */
static void count_skipped(struct jd_agent *agent, uint64_t intervals)
{
    struct jd_files *files = &agent->files;
    if (intervals <= 1)
        return;
    files->skipped += intervals - 1;
    if (files->skipped < 2 * files->logged_skipped)
        return;
    files->logged_skipped = files->skipped;
    jd_log(&agent->edges.log, JOULIE_LOG_LEVEL_WARN, "loop",
           "steps took longer than the interval: %llu intervals were skipped so far",
           (unsigned long long)files->skipped);
}

void jd_files_on_period(void *user, uint64_t intervals)
{
    struct jd_agent *agent = user;
    count_skipped(agent, intervals);
    if (is_over(agent, step(agent)))
        jd_loop_stop(&agent->edges.loop);
}

int jd_files_open(struct jd_agent *agent, struct joulie_error *err)
{
    struct jd_files *files = &agent->files;
    char name[HOST_NAME_BYTES] = "";
    gethostname(name, sizeof name - 1);
    files->host_name = jl_strdup(name[0] ? name : "localhost");
    files->spec = (struct jd_spec){
        .file = { .path = agent->values.spec },
        .node_name = agent->values.node_name,
        .log = &agent->edges.log,
    };
    files->status.log = &agent->edges.log;
    return files->host_name ? jd_status_file_open(&files->status, agent->values.status, err)
                            : jl_fail_memory(err);
}

/* What is not there yet may come. */
static int check_file(const char *path, int mode, const char *user, struct joulie_error *err)
{
    if (!path || faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 || errno == ENOENT)
        return 0;
    return jl_fail(err, JOULIE_E_IO, "", "%s: %s cannot %s it (RUN_AS): %s", path, user,
                   mode == R_OK ? "read" : "write", strerror(errno));
}

int jd_files_check(const struct jd_agent *agent, const char *user, struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *folder = NULL;
    const struct jd_files *files = &agent->files;
    const char *status = files->status.path;
    if (status) {
        const char *const slash = strrchr(status, '/');
        folder = jl_strdup(slash ? status : ".");
        if (!folder)
            return jl_fail_memory(err);
        if (slash)
            folder[slash == status ? 1 : slash - status] = '\0';
    }
    const int rc = check_file(files->spec.file.path, R_OK, user, err);
    return rc == 0 ? check_file(folder, W_OK | X_OK, user, err) : rc;
}

void jd_files_close(struct jd_agent *agent)
{
    jd_spec_clear(&agent->files.spec);
    jd_status_file_close(&agent->files.status);
    jl_free(agent->files.host_name);
}

/* The step after everything was given back finds nothing desired, which makes the last report. */
static int give_back(struct jd_agent *agent)
{
    const int rc = jd_host_give_back_at_end(&agent->host);
    jd_host_step(&agent->host, jd_clock_now().now_ms);
    publish(agent);
    return rc == 0 ? JD_DONE : JD_BROKEN;
}

/* Without a server of probes it is for the service manager. */
static const char *steps_problem(void *user)
{
    return jd_steps_problem(&((struct jd_agent *)user)->host.steps);
}

int jd_files_run(struct jd_agent *agent)
{
    const struct jd_files *files = &agent->files;
    agent->files.started_ms = jd_clock_ms();
    jd_steps_begin(&agent->host.steps, agent->values.control_interval_ms);
    agent->edges.health.live = (struct jd_check){ "steps", steps_problem, agent };
    const int status = is_over(agent, step(agent)) ? JD_DONE : jd_daemon_run(&agent->edges);
    if (agent->values.once)
        return status == JD_DONE && !files->spec.is_bad && files->is_published ? JD_DONE
                                                                               : JD_BROKEN;
    const int end =
        agent->shared.enforces && agent->values.restore_on_exit ? give_back(agent) : JD_DONE;
    return status == JD_DONE ? end : status;
}
