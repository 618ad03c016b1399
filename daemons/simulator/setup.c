/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-simulator: reading the inputs, opening the edges in order, running, and closing them. */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "runtime/file.h"
#include "runtime/json.h"
#include "simulator/simulator.h"

#define MOST_BYTES ((size_t)1 << 30)

/* ---- inputs ---- */

static int is_jsonl(const struct dirent *entry)
{
    const size_t len = strlen(entry->d_name);
    return len > 6 && strcmp(entry->d_name + len - 6, ".jsonl") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The traces of a folder in the order of their names. */
static int read_folder(const char *folder, struct jl_buffer *out, struct joulie_error *err)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_jsonl, by_bytes);
    int rc = count < 0 ? jd_fail_system(folder, err) : 0;
    for (int i = 0; i < count; i++) {
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer path = { 0 };
        jd_put_format(&path, "%s/%s", folder, entries[i]->d_name);
        if (rc == 0)
            rc = path.is_failed ? jl_fail_memory(err)
                                : jd_read_file(path.data, MOST_BYTES, out, err);
        if (rc == 0 && out->len > 0 && out->data[out->len - 1] != '\n')
            jl_put_char(out, '\n');
        free(entries[i]);
    }
    free(entries);
    return rc;
}

static int read_trace(const char *path, struct jl_buffer *out, struct joulie_error *err)
{
    struct stat facts;
    if (!path)
        return 0;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return read_folder(path, out, err);
    return jd_read_file(path, MOST_BYTES, out, err);
}

static const char *bytes_of(const struct jl_buffer *text)
{
    return text->data ? text->data : "";
}

/* The simulation from its files; the texts are copied by the library. */
static int make_world(struct jd_simulator *simulator, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer inventory = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer trace = { 0 };
    const struct jd_simulator_values *values = &simulator->values;
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    if (jl_is_empty(values->inventory))
        return jl_fail(err, JOULIE_E_REQUIRED, "", "SIM_INVENTORY_PATH: needed");
    int rc = jd_read_file(values->inventory, MOST_BYTES, &inventory, err);
    if (rc == 0)
        rc = read_trace(values->trace, &trace, err);
    if (rc < 0)
        return rc;
    options.inventory = bytes_of(&inventory);
    options.inventory_len = inventory.len;
    options.trace = bytes_of(&trace);
    options.trace_len = trace.len;
    options.placement = values->placement;
    options.baseline = values->baseline;
    options.physics = values->physics;
    options.seed = (uint64_t)values->seed;
    options.hours = values->hours;
    options.nodes = values->nodes;
    options.compare = jl_same(values->compare, "uncontrolled");
    options.is_lenient = values->lenient;
    options.keeps_hours = values->out != NULL;
    options.is_external = 1;
    rc = joulie_sim_new(&options, &simulator->sim, err);
    if (rc == 0 && joulie_sim_get_view(simulator->sim, &view, NULL) == 0)
        simulator->node_count = (size_t)view.nodes;
    return rc;
}

/* A text of the library's failure with the file that it is about. */
static void report_bad_input(const struct jd_simulator *simulator, const struct joulie_error *err)
{
    const char *file = "";
    if (jl_starts_with(err->where, "inventory"))
        file = simulator->values.inventory;
    else if (jl_starts_with(err->where, "trace"))
        file = simulator->values.trace;
    fprintf(stderr, "%s: %s", jd_simulator_daemon.name, file ? file : "");
    if (err->line > 0)
        fprintf(stderr, ":%u", err->line);
    fprintf(stderr, "%s%s%s%s\n", !jl_is_empty(file) ? ": " : "", err->where,
            err->where[0] ? ": " : "", err->message);
}

/* Options and inputs are checked before anything is opened: exit status 2. */
static int configure(struct jd_simulator *simulator, int argc, char **argv)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int status = jd_daemon_configure(&simulator->edges, &jd_simulator_daemon, argc, argv,
                                           &simulator->values);
    if (status != JD_GO_ON)
        return status;
    if (make_world(simulator, &err) < 0) {
        report_bad_input(simulator, &err);
        return JD_USAGE;
    }
    jd_daemon_log_options(&simulator->edges, "simulating");
    return JD_GO_ON;
}

/* ---- opening ---- */

/* The hardware model that each entry of the inventory came to, once. */
static void log_models(struct jd_simulator *simulator)
{
    JL_CLEANUP(jl_freep) char *models = NULL;
    if (joulie_sim_models(simulator->sim, &models, NULL) == 0)
        jd_log(&simulator->edges.log, JOULIE_LOG_LEVEL_INFO, "world", "%s", models);
}

static void on_signal(void *user, int number)
{
    struct jd_simulator *simulator = user;
    jd_daemon_log_end(&simulator->edges, number);
    jd_loop_stop(&simulator->edges.loop);
}

static int open_api(struct jd_simulator *simulator, struct joulie_error *err)
{
    const struct jd_simulator_values *values = &simulator->values;
    const struct jd_api_options options = {
        .address = values->api_addr,
        .hosts = values->allowed_hosts,
        .ring_events = (size_t)values->api_ring_events,
        .now_ms = jd_world_now_ms,
        .on_write = jd_world_on_write,
        .user = simulator,
        .faults = {
            .seed = (uint64_t)values->fault_seed,
            .cut_streams = values->fault_cut_streams,
            .gone = values->fault_gone,
            .too_many = values->fault_too_many,
            .internal = values->fault_internal,
            .slow_bytes = values->fault_slow_bytes,
            .limit = (uint64_t)values->fault_limit,
        },
    };
    return jd_options_blame(
        "SIM_API_ADDR", jd_api_open(&simulator->edges.loop, &options, &simulator->api, err), err);
}

static int write_kubeconfig(struct jd_simulator *simulator, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (!simulator->values.kubeconfig_out)
        return 0;
    jd_api_put_kubeconfig(simulator->api, &text);
    if (text.is_failed)
        return jl_fail_memory(err);
    return jd_write_bytes(simulator->values.kubeconfig_out, text.data, text.len, err);
}

static int open_debug(struct jd_simulator *simulator, struct joulie_error *err)
{
    simulator->debug = (struct jd_debug){ .sim = simulator->sim,
                                          .values = &simulator->values,
                                          .loop = &simulator->edges.loop,
                                          .log = &simulator->edges.log,
                                          .now_s = &simulator->now_s };
    return jd_debug_open(&simulator->debug, err);
}

/* The world before the contract: a client that can ask finds the machines. */
static int open_all(struct jd_simulator *simulator, struct joulie_error *err)
{
    const struct jd_daemon_signals signals = { .on_signal = on_signal, .user = simulator };
    int rc = jd_daemon_open(&simulator->edges, &signals, err);
    if (rc == 0)
        rc = open_api(simulator, err);
    if (rc == 0)
        rc = open_debug(simulator, err);
    if (rc == 0)
        rc = jd_world_open(simulator, err);
    if (rc == 0)
        rc = jd_contract_open(simulator, err);
    return rc == 0 ? write_kubeconfig(simulator, err) : rc;
}

static int open_simulator(struct jd_simulator *simulator)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = open_all(simulator, &err);
    if (rc < 0)
        return jd_daemon_failed(&simulator->edges, rc, &err);
    log_models(simulator);
    jd_log(&simulator->edges.log, JOULIE_LOG_LEVEL_INFO, "simulator",
           "%zu nodes; the API is %s, telemetry, control and clock are at %s",
           simulator->node_count, jd_api_url(simulator->api), jd_server_url(simulator->server));
    return JD_GO_ON;
}

/* ---- running and the end ---- */

static int run(struct jd_simulator *simulator)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (jd_daemon_run(&simulator->edges) != JD_DONE)
        return JD_BROKEN;
    if (!simulator->is_finished && !simulator->is_broken && simulator->values.out &&
        jd_write_report(simulator, &err) < 0) {
        jd_log_error(&simulator->edges.log, "world", "the tables are not written", &err);
        return JD_BROKEN;
    }
    return simulator->is_broken ? JD_BROKEN : JD_DONE;
}

/* In the opposite order of opening; what was never opened is NULL or zero. */
static void close_simulator(struct jd_simulator *simulator)
{
    if (simulator->debug.events)
        jd_debug_close(&simulator->debug);
    jd_server_close(simulator->server); /* its calls are gone for the clock */
    jd_api_close(simulator->api);
    jd_world_close(simulator);
    jd_daemon_close(&simulator->edges);
    joulie_sim_free(simulator->sim);
}

int main(int argc, char **argv)
{
    static struct jd_simulator simulator;
    if (!jd_hold_standard_files())
        return JD_BROKEN;
    int status = configure(&simulator, argc, argv);
    if (status == JD_GO_ON)
        status = open_simulator(&simulator);
    if (status == JD_GO_ON)
        status = run(&simulator);
    close_simulator(&simulator);
    return status;
}
