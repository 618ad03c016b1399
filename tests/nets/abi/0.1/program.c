/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program as it was written for libjoulie 0.1 and is compiled against the headers of 0.1, kept
 * beside it. It is run against today's library: every struct of 0.1 must still mean the same.
 */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <joulie/joulie.h>

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static int failures;

#define CHECK(condition)                                            \
    do {                                                            \
        if (!(condition)) {                                         \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition); \
            failures++;                                             \
        }                                                           \
    } while (0)

static const char node_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"a\",\"labels\":"
    "{\"joulie.io/managed\":\"true\"}},\"status\":{\"allocatable\":{\"cpu\":\"192\"}}}";
static const char hardware_text[] =
    "apiVersion: joulie.io/v1alpha1\n"
    "kind: NodeHardware\n"
    "metadata: {name: a}\n"
    "spec: {nodeName: a}\n"
    "status:\n"
    "  cpu:\n"
    "    sockets: 2\n"
    "    totalCores: 192\n"
    "    capRange: {maxWattsPerSocket: 360}\n"
    "    packages:\n"
    "    - {index: 0, maxWatts: 360, powerUnitWatts: 0.125, controllable: true}\n";
static const char twin_text[] =
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"a\"},"
    "\"spec\":{\"nodeName\":\"a\",\"profile\":\"eco\",\"cpu\":{\"packagePowerCapPctOfMax\":60}},"
    "\"status\":{\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}";

static void check_errors(void)
{
    char *answer = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_ask_options options = JOULIE_INIT(struct joulie_ask_options);
    const char text[] = "{\"value\":\"100m\",\"format\":\"quantity\"}";

    CHECK(strncmp(joulie_version(), "0.", 2) == 0);
    CHECK(joulie_has_feature("twin") == 1 && joulie_has_feature("no such thing") == 0);
    CHECK(strcmp(joulie_code_word(JOULIE_E_UNKNOWN_MEMBER), "unknown-member") == 0);
    CHECK(joulie_ask("no.such.question", text, strlen(text), &options, &answer, &err) ==
          JOULIE_E_UNSUPPORTED);
    CHECK(err.code == JOULIE_E_UNSUPPORTED && err.struct_size == sizeof err);
    CHECK(strcmp(err.where, "question") == 0 && err.message[0] != '\0');
    options.struct_size = 1;
    CHECK(joulie_ask("quantity", text, strlen(text), &options, &answer, &err) == JOULIE_E_ABI);
    CHECK(joulie_ask_list(&answer, &err) == JOULIE_OK);
    CHECK(answer != NULL && strstr(answer, "\"predict\"") != NULL);
    joulie_free(answer);
}

/* 2 x 360 W at 60 % are 432 W; 310 W of them are drawn (joulie-control.md, 3.5). */
static void check_twin(void)
{
    struct joulie_twin_input in = JOULIE_INIT(struct joulie_twin_input);
    struct joulie_twin_output out = JOULIE_INIT(struct joulie_twin_output);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);

    in.has = JOULIE_TWIN_HAS_CPU_SOCKETS | JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_CPU_CAP_PCT |
             JOULIE_TWIN_HAS_NODE_POWER;
    in.cpu_sockets = 2;
    in.cpu_max_w = 360;
    in.cpu_cap_pct = 60;
    in.measured_node_power_w = 310;
    CHECK(joulie_twin_predict(&in, &out, &err) == JOULIE_OK);
    CHECK((out.has & JOULIE_TWIN_OUT_HEADROOM) != 0);
    CHECK(fabs(out.power_headroom_score - 100.0 * (432 - 310) / 432) < 1e-9);
    CHECK(out.cpu_tdp_w == 720 && out.node_capped_w == 432 && out.cpu_effective_pct == 60);
    CHECK(out.power_tier == JOULIE_POWER_TIER_MEASURED);
    CHECK(out.cpu_cap_state == JOULIE_CAP_STATE_REQUESTED);
    CHECK(out.gpu_cap_state == JOULIE_CAP_STATE_NONE);
    CHECK(out.struct_size == sizeof out);
    in.measured_node_power_w = -1;
    CHECK(joulie_twin_predict(&in, &out, &err) == JOULIE_E_RANGE);
    CHECK(strcmp(err.where, "measuredNodePowerW") == 0);
    in.struct_size = 8;
    CHECK(joulie_twin_predict(&in, &out, &err) == JOULIE_E_ABI);
}

static void check_documents(void)
{
    struct joulie_splitter splitter = JOULIE_INIT(struct joulie_splitter);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *text = NULL;
    size_t len = 0;
    uint32_t line = 0;
    char *out = NULL;

    splitter.text = "a: 1\n---\nb: 2\n";
    splitter.len = strlen(splitter.text);
    CHECK(joulie_split(&splitter, &text, &len, &line, &err) == 1 && line == 1);
    CHECK(joulie_split(&splitter, &text, &len, &line, &err) == 1 && line == 2);
    CHECK(joulie_format(text, len, JOULIE_FORM_LINE, &out, &err) == JOULIE_OK);
    CHECK(out != NULL && strcmp(out, "{\"b\":2}") == 0);
    joulie_free(out);
    CHECK(joulie_split(&splitter, &text, &len, &line, &err) == 0);
}

/* The same as check_twin() for a node whose reading lies in a table of the program's own. */
static void check_columns(void)
{
    struct joulie_twin_columns in = JOULIE_INIT(struct joulie_twin_columns);
    struct joulie_twin_columns_out out = JOULIE_INIT(struct joulie_twin_columns_out);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);

    const struct {
        uint64_t known;
        double power_w;
    } rows[] = {
        { JOULIE_TWIN_HAS_CPU_SOCKETS | JOULIE_TWIN_HAS_CPU_MAX | JOULIE_TWIN_HAS_NODE_POWER, 180 },
        { 0, 0 },
        { JOULIE_TWIN_HAS_NODE_POWER, -1 }
    };

    const double sockets = 2, max_w = 360;
    uint64_t has[3];
    int32_t code[3];
    double headroom[3];
    size_t failed = 0;

    in.has = (struct joulie_column_bits){ &rows[0].known, sizeof rows[0] };
    in.measured_node_power_w = (struct joulie_column){ &rows[0].power_w, sizeof rows[0] };
    in.cpu_sockets = (struct joulie_column){ &sockets, 0 };
    in.cpu_max_w = (struct joulie_column){ &max_w, 0 };
    out.has = (struct joulie_column_bits_out){ has, sizeof has[0] };
    out.code = (struct joulie_column_int_out){ code, sizeof code[0] };
    out.power_headroom_score = (struct joulie_column_out){ headroom, sizeof headroom[0] };
    CHECK(joulie_twin_predict_columns(&in, 3, &out, &failed, &err) == JOULIE_OK);
    CHECK(code[0] == JOULIE_OK && headroom[0] == 75); /* 180 of 720 W */
    CHECK((has[0] & JOULIE_TWIN_OUT_HEADROOM) != 0);
    CHECK(code[1] == JOULIE_OK && (has[1] & JOULIE_TWIN_OUT_HEADROOM) == 0);
    CHECK(code[2] == JOULIE_E_RANGE && failed == 1);
}

/* Performance work never goes to an eco node (joulie-scheduler.md, 4). */
static void check_place(void)
{
    struct joulie_place_columns nodes = JOULIE_INIT(struct joulie_place_columns);
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    struct joulie_place_config config = JOULIE_INIT(struct joulie_place_config);
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int32_t classes[] = { JOULIE_NODE_CLASS_ECO, JOULIE_NODE_CLASS_PERFORMANCE };
    const double headroom = 60, cooling = 30;
    const int64_t updated = NOW_MS;
    int32_t reject[2];
    int32_t basis[2];
    size_t failed = 1;

    CHECK(joulie_place_config_init(&config, JOULIE_PLACE_RULES_CURRENT) == JOULIE_OK);
    nodes.node_class = (struct joulie_column_int){ classes, sizeof classes[0] };
    nodes.headroom_score = (struct joulie_column){ &headroom, 0 };
    nodes.cooling_stress_score = (struct joulie_column){ &cooling, 0 };
    nodes.updated_ms = (struct joulie_column_ms){ &updated, 0 };
    out.reject = (struct joulie_column_int_out){ reject, sizeof reject[0] };
    out.basis = (struct joulie_column_int_out){ basis, sizeof basis[0] };
    work.has = JOULIE_WORK_HAS_CPU;
    work.cpu_cores = 16;
    work.workload_class = JOULIE_WORKLOAD_PERFORMANCE;
    CHECK(joulie_place_nodes(&config, &work, &nodes, 2, NOW_MS, &out, &failed, &err) == JOULIE_OK);
    CHECK(failed == 0 && reject[0] != JOULIE_REJECT_NONE && reject[1] == JOULIE_REJECT_NONE);
    CHECK(joulie_place_reject_text(reject[0]) != NULL && basis[1] == JOULIE_BASIS_FRESH);
}

static void check_object(void)
{
    struct joulie_object *before = NULL;
    struct joulie_object *after = NULL;
    struct joulie_v1alpha1_node_twin_spec spec = JOULIE_INIT(struct joulie_v1alpha1_node_twin_spec);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *patch = NULL;

    CHECK(joulie_object_parse(twin_text, strlen(twin_text), NULL, 0, &before, &err) == JOULIE_OK);
    CHECK(joulie_object_copy(before, &after, &err) == JOULIE_OK);
    CHECK(joulie_v1alpha1_get_node_twin_spec(before, &spec, &err) == JOULIE_OK);
    CHECK((spec.has & JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_CPU_CAP_PCT) != 0);
    CHECK((spec.has & JOULIE_V1ALPHA1_NODE_TWIN_SPEC_HAS_CPU_CAP_W) == 0);
    CHECK(spec.cpu_cap_pct == 60 && spec.profile == JOULIE_PROFILE_ECO);
    CHECK(strcmp(spec.node_name, "a") == 0 && strcmp(joulie_object_name(after), "a") == 0);
    CHECK(joulie_object_set_number(after,
                                   JOULIE_V1ALPHA1_NODE_TWIN_SPEC_CPU_PACKAGE_POWER_CAP_PCT_OF_MAX,
                                   70, &err) == JOULIE_OK);
    CHECK(joulie_object_diff(before, after, &patch, &err) == JOULIE_OK);
    CHECK(patch != NULL &&
          strcmp(patch, "{\"spec\":{\"cpu\":{\"packagePowerCapPctOfMax\":70}}}") == 0);
    joulie_free(patch);
    joulie_object_free(after);
    joulie_object_free(before);
}

/* 90 % of CPU use are a high intensity, bound by compute (joulie-classifier.md, 6, C01). */
static void check_classify(void)
{
    struct joulie_classify_input in = JOULIE_INIT(struct joulie_classify_input);
    struct joulie_classify_output out = JOULIE_INIT(struct joulie_classify_output);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char reason[JOULIE_CLASSIFY_REASON_BYTES];

    in.has = JOULIE_CLASSIFY_HAS_CPU_UTIL | JOULIE_CLASSIFY_HAS_GPU_UTIL |
             JOULIE_CLASSIFY_HAS_MEM_PRESSURE;
    in.cpu_util_pct = 90;
    in.mem_pressure_pct = 20;
    out.reason = reason;
    out.reason_size = sizeof reason;
    CHECK(joulie_classify(&in, &out, &err) == JOULIE_OK);
    CHECK(out.workload_class == JOULIE_WORKLOAD_STANDARD && out.confidence == 0.5);
    CHECK(out.cpu_intensity == JOULIE_LEVEL_HIGH && out.cpu_bound == JOULIE_BOUND_COMPUTE);
    CHECK(out.cpu_sensitivity == JOULIE_LEVEL_HIGH && out.gpu_intensity == JOULIE_LEVEL_NONE);
    CHECK((out.flags & JOULIE_CLASSIFY_RELIABLE) != 0 && out.cpu_util_pct == 90);
    CHECK(out.reason_len == strlen(reason) && strncmp(reason, "cpu-intensity=high", 18) == 0);
    in.cpu_util_pct = -1;
    CHECK(joulie_classify(&in, &out, &err) == JOULIE_E_RANGE);
}

/* 60 % of 270 W are 162 W (joulie-node-agent.md, 6.2); down from 205 W in steps of 41 W. */
static void check_caps(void)
{
    struct joulie_caps_intent intent = JOULIE_INIT(struct joulie_caps_intent);
    struct joulie_caps_limits limits = JOULIE_INIT(struct joulie_caps_limits);
    struct joulie_caps_out out = JOULIE_INIT(struct joulie_caps_out);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const double max_w[] = { 270, 0 };
    double limit_uw[2];
    int32_t block[2];
    size_t failed = 1;

    intent.device = JOULIE_CAP_DEVICE_PACKAGE;
    intent.has = JOULIE_CAPS_HAS_CAP_PCT;
    intent.cap_pct = 60;
    limits.max_w = (struct joulie_column){ max_w, sizeof max_w[0] };
    out.limit_uw = (struct joulie_column_out){ limit_uw, sizeof limit_uw[0] };
    out.block = (struct joulie_column_int_out){ block, sizeof block[0] };
    CHECK(joulie_caps_resolve(&intent, &limits, 2, &out, &failed, &err) == JOULIE_OK);
    CHECK(failed == 0 && block[0] == JOULIE_CAP_BLOCK_NONE && limit_uw[0] == 162000000);
    CHECK(block[1] == JOULIE_CAP_BLOCK_NO_MAX && limit_uw[1] == 0);
    CHECK(joulie_caps_next_w(205, 205, 90) == 164 && joulie_caps_next_w(205, 90, 205) == 205);
}

/* 1000 W to 1200 W in two minutes; a CPU at 0.6 of its frequency (joulie-control.md, 3.13). */
static void check_trend_and_slowdown(void)
{
    struct joulie_twin_trend_input samples = JOULIE_INIT(struct joulie_twin_trend_input);
    struct joulie_twin_trend_output trend = JOULIE_INIT(struct joulie_twin_trend_output);
    struct joulie_slowdown_input work = JOULIE_INIT(struct joulie_slowdown_input);
    struct joulie_slowdown_output cost = JOULIE_INIT(struct joulie_slowdown_output);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int64_t t_ms[] = { NOW_MS, NOW_MS + 60000, NOW_MS + 120000 };
    const double power_w[] = { 1000, 1100, 1200 };

    samples.at_ms = (struct joulie_column_ms){ t_ms, sizeof t_ms[0] };
    samples.power_w = (struct joulie_column){ power_w, sizeof power_w[0] };
    CHECK(joulie_twin_trend(&samples, 3, &trend, &err) == JOULIE_OK);
    CHECK((trend.has & JOULIE_TWIN_TREND_OUT_TREND) != 0 && trend.sample_count == 3);
    CHECK(fabs(trend.trend_w_per_min - 100) < 1e-9);
    work.has = JOULIE_SLOWDOWN_HAS_CPU_FREQ;
    work.cpu_freq_frac = 0.6;
    work.cpu_bound = JOULIE_BOUND_COMPUTE;
    CHECK(joulie_slowdown_predict(&work, &cost, &err) == JOULIE_OK);
    CHECK(fabs(cost.cpu_throughput - 0.643418571) < 1e-6);
    CHECK((cost.has & JOULIE_SLOWDOWN_OUT_GPU_THROUGHPUT) == 0);
}

static void check_cluster(void)
{
    struct joulie_cluster *cluster = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    struct joulie_cluster_node view = JOULIE_INIT(struct joulie_cluster_node);
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    size_t count = 0;
    size_t i;

    CHECK(joulie_cluster_new(NULL, 0, &cluster, &err) == JOULIE_OK);
    CHECK(joulie_cluster_upsert(cluster, node_text, strlen(node_text), &err) == JOULIE_OK);
    CHECK(joulie_cluster_upsert(cluster, hardware_text, strlen(hardware_text), &err) == JOULIE_OK);
    sample.has = JOULIE_SAMPLE_HAS_NODE_POWER;
    sample.at_ms = NOW_MS;
    sample.node_power_w = 310;
    CHECK(joulie_cluster_put_sample(cluster, "a", &sample, &err) == JOULIE_OK);
    CHECK(joulie_cluster_step(cluster, NOW_MS, &count, &err) == JOULIE_OK && count > 0);
    for (i = 0; i < count; i++) {
        struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
        CHECK(joulie_cluster_action_at(cluster, i, &action, &err) == JOULIE_OK);
        CHECK(strcmp(action.node_name, "a") == 0 && action.verb != JOULIE_ACTION_UNKNOWN);
        CHECK(joulie_cluster_action_done(cluster, action.id, JOULIE_OUTCOME_APPLIED, &err) ==
              JOULIE_OK);
    }
    CHECK(joulie_cluster_node_at(cluster, 0, &view, &err) == JOULIE_OK);
    CHECK(strcmp(view.name, "a") == 0 && (view.has & JOULIE_NODE_VIEW_HAS_HEADROOM) != 0);
    CHECK(joulie_cluster_node_at(cluster, 1, &view, &err) == JOULIE_E_RANGE);
    CHECK(joulie_cluster_get_totals(cluster, &totals, &err) == JOULIE_OK);
    CHECK(totals.pods_performance == 0 && totals.pods_general == 0);
    joulie_cluster_free(cluster);
}

/* A scheduler without Kubernetes: flat structs instead of objects. */
static void check_machines(void)
{
    struct joulie_cluster *cluster = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_machine machine = JOULIE_INIT(struct joulie_cluster_machine);
    struct joulie_cluster_work job = JOULIE_INIT(struct joulie_cluster_work);
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    struct joulie_work needs = JOULIE_INIT(struct joulie_work);
    const char *names[2];
    size_t count = 0;

    CHECK(joulie_cluster_new(NULL, 0, &cluster, &err) == JOULIE_OK);
    machine.name = "m";
    machine.has = JOULIE_MACHINE_HAS_CPU_SOCKETS | JOULIE_MACHINE_HAS_CPU_MAX;
    machine.cpu_sockets = 2;
    machine.cpu_max_w = 360;
    CHECK(joulie_cluster_put_machine(cluster, &machine, &err) == JOULIE_OK);
    needs.workload_class = JOULIE_WORKLOAD_PERFORMANCE;
    job.node_name = "m";
    job.needs = &needs;
    job.movable = JOULIE_MOVABLE_NO;
    CHECK(joulie_cluster_put_work(cluster, "user", "job", &job, &err) == JOULIE_OK);
    CHECK(joulie_cluster_step(cluster, NOW_MS, &count, &err) == JOULIE_OK);
    CHECK(joulie_cluster_node_by_name(cluster, "m", &node, &err) == JOULIE_OK);
    CHECK(strcmp(node.name, "m") == 0 && node.node_tdp_w == 720);
    CHECK(joulie_cluster_place(cluster, &needs, NOW_MS, names, NULL, 2, &count, &err) == JOULIE_OK);
    CHECK(count == 1 && strcmp(names[0], "m") == 0);
    joulie_cluster_free(cluster);
}

/* 60 % of 360 W are 216 W (joulie-node-agent.md, 6.2). */
static void check_node(void)
{
    struct joulie_node *node = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_node_options options = JOULIE_INIT(struct joulie_node_options);
    struct joulie_node_write write = JOULIE_INIT(struct joulie_node_write);
    struct joulie_node_reading reading = JOULIE_INIT(struct joulie_node_reading);
    size_t count = 0;
    char *json = NULL;

    options.enforces = 1;
    CHECK(joulie_node_new(&options, &node, &err) == JOULIE_OK);
    CHECK(joulie_node_put_hardware(node, hardware_text, strlen(hardware_text), &err) == JOULIE_OK);
    CHECK(joulie_node_put_twin(node, twin_text, strlen(twin_text), &err) == JOULIE_OK);
    reading.kind = JOULIE_NODE_KIND_PACKAGE;
    reading.has = JOULIE_READING_HAS_LIMIT;
    reading.limit_w = 360;
    CHECK(joulie_node_put_reading(node, &reading, &err) == JOULIE_OK);
    CHECK(joulie_node_step(node, NOW_MS, &count, &err) == JOULIE_OK && count == 1);
    CHECK(joulie_node_write_at(node, 0, &write, &err) == JOULIE_OK);
    CHECK(write.kind == JOULIE_NODE_KIND_PACKAGE && write.index == 0 && write.is_restore == 0);
    CHECK(write.limit_w == 216 && write.power_limit_uw == 216000000);
    reading.limit_w = 216;
    reading.outcome = JOULIE_NODE_OUTCOME_WRITTEN;
    CHECK(joulie_node_put_reading(node, &reading, &err) == JOULIE_OK);
    CHECK(joulie_node_report(node, &json, &err) == JOULIE_OK);
    CHECK(json != NULL && strstr(json, "\"result\":\"applied\"") != NULL);
    joulie_free(json);
    joulie_node_free(node);
}

static void check_simulation(void)
{
    struct joulie_sim *sim = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim_outcome outcome = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_workload_options workload = JOULIE_INIT(struct joulie_workload_options);
    char *trace = NULL;

    workload.has = JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_GPU_RATIO;
    workload.jobs = 5;
    workload.gpu_ratio = 0;
    CHECK(joulie_workload_generate(&workload, &trace, &err) == JOULIE_OK);
    options.inventory = "nodes: [{node_name: a, cpu_cores: 192, memory_gib: 1536}]\n";
    options.inventory_len = strlen(options.inventory);
    options.trace = trace != NULL ? trace : "";
    options.trace_len = strlen(options.trace);
    CHECK(joulie_sim_new(&options, &sim, &err) == JOULIE_OK);
    if (sim == NULL) {
        fprintf(stderr, "%s: %s\n", err.where, err.message);
        return;
    }
    CHECK(joulie_sim_run_until(sim, INFINITY, &err) == JOULIE_OK);
    CHECK(joulie_sim_get_view(sim, &view, &err) == JOULIE_OK && view.nodes == 1 && view.jobs == 5);
    CHECK(joulie_sim_get_outcome(sim, 0, &outcome, &err) == JOULIE_OK && outcome.completed == 5);
    CHECK((outcome.has & JOULIE_SIM_OUTCOME_HAS_MAKESPAN) != 0 && outcome.makespan_s > 0);
    CHECK(joulie_sim_instant_ms(0) == INT64_C(1767225600000));
    joulie_sim_free(sim);
    joulie_free(trace);
}

int main(void)
{
    check_errors();
    check_twin();
    check_columns();
    check_trend_and_slowdown();
    check_place();
    check_classify();
    check_caps();
    check_documents();
    check_object();
    check_cluster();
    check_machines();
    check_node();
    check_simulation();
    if (failures == 0)
        printf("a program of 0.1 runs with libjoulie %s\n", joulie_version());
    return failures == 0 ? 0 : 1;
}
