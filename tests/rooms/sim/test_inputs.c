/* SPDX-License-Identifier: Apache-2.0 */

/* What is wrong with an input is reported with its path. */

#include <stdio.h>
#include <string.h>

#include <joulie/sim.h>

#include "sim/inventory.h"
#include "sim/trace.h"
#include "support/test.h"

#define GOOD_INVENTORY "nodes: [{node_name_prefix: n, replicas: 2, cpu_cores: 16}]\n"
#define GOOD_LINE "{\"type\":\"job\",\"jobId\":\"a\",\"submitTimeOffsetSec\":0}\n"

struct inputs {
    const char *inventory;
    const char *trace;
    const char *policy;
    const char *placement;
    const char *baseline;
    const char *physics;
    const char *placement_base;
    const char *scoring;
    const char *speeds;
    double hours;
    int64_t nodes;
    int is_lenient;
    int is_uncontrolled;
    int is_compared;
    int is_external;
};

static int open_sim(const struct inputs *inputs, struct joulie_error *err)
{
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    options.inventory = inputs->inventory ? inputs->inventory : GOOD_INVENTORY;
    options.inventory_len = strlen(options.inventory);
    options.trace = inputs->trace ? inputs->trace : GOOD_LINE;
    options.trace_len = strlen(options.trace);
    options.policy = inputs->policy;
    options.policy_len = inputs->policy ? strlen(inputs->policy) : 0;
    options.placement = inputs->placement;
    options.baseline = inputs->baseline;
    options.physics = inputs->physics;
    options.placement_base = inputs->placement_base;
    options.scoring = inputs->scoring;
    options.scoring_len = inputs->scoring ? strlen(inputs->scoring) : 0;
    options.speeds = inputs->speeds;
    options.hours = inputs->hours;
    options.nodes = inputs->nodes;
    options.is_uncontrolled = inputs->is_uncontrolled;
    options.compare = inputs->is_compared;
    options.is_external = inputs->is_external;
    options.is_lenient = inputs->is_lenient;
    *err = JOULIE_INIT(struct joulie_error);
    const int rc = joulie_sim_new(&options, &sim, err);
    assert_true((rc == 0) == (sim != NULL));
    joulie_sim_free(sim);
    return rc;
}

static void refused(const struct inputs *inputs, int code, const char *where, uint32_t line)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = open_sim(inputs, &err);
    if (rc != code || strcmp(err.where, where) != 0 || (line > 0 && err.line != line))
        fail_msg("got %d at '%s' line %u (%s), expected %d at '%s' line %u", rc, err.where,
                 (unsigned)err.line, err.message, code, where, (unsigned)line);
    assert_true(err.message[0] != '\0');
}

static void good_inputs_are_taken(void **state)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    (void)state;
    assert_int_equal(open_sim(&(struct inputs){ 0 }, &err), 0);
    assert_int_equal(
        open_sim(&(struct inputs){ .inventory = "{\"nodes\":[{\"node_name\":\"n\"}]}" }, &err), 0);
    assert_int_equal(open_sim(&(struct inputs){ .policy = "type: queue_aware_v1\n" }, &err), 0);
    assert_int_equal(open_sim(&(struct inputs){ .trace = "" }, &err), 0);
}

static void a_truncated_trace_names_its_line(void **state)
{
    (void)state;
    refused(
        &(struct inputs){ .trace = GOOD_LINE "\n{\"type\":\"job\",\"jobId\":\"b\",\"submitTime" },
        JOULIE_E_PARSE, "trace: line 3", 3);
}

static void a_bad_member_of_a_trace_names_line_and_path(void **state)
{
    (void)state;
    refused(&(struct inputs){ .trace = GOOD_LINE
                              "{\"type\":\"job\",\"jobId\":\"b\",\"submitTimeOffsetSec\":0,"
                              "\"workloadClass\":{\"gpu\":\"gpu.compute\"}}" },
            JOULIE_E_ENUM, "trace: line 2: workloadClass.gpu", 2);
    refused(&(struct inputs){ .trace = GOOD_LINE "{\"type\":\"job\",\"submitTimeOffsetSec\":0}\n" },
            JOULIE_E_REQUIRED, "trace: line 2: jobId", 2);
    refused(&(struct inputs){ .trace = GOOD_LINE GOOD_LINE }, JOULIE_E_CONFLICT,
            "trace: line 2: jobId", 2);
    refused(
        &(struct inputs){
            .trace =
                "{\"type\":\"job\",\"jobId\":\"b\",\"submitTimeOffsetSec\":0,\"priority\":1}" },
        JOULIE_E_UNKNOWN_MEMBER, "trace: line 1: priority", 1);
    refused(&(struct inputs){ .trace = "{\"type\":\"job\",\"jobId\":\"b\",\"podTemplate\":{"
                                       "\"requests\":{\"cpu\":\"4x\"}}}" },
            JOULIE_E_PARSE, "trace: line 1: podTemplate.requests.cpu", 1);
}

static void lenient_skips_bad_lines_and_counts_them(void **state)
{
    static const char trace[] =
        GOOD_LINE "not a job\n{\"type\":\"job\"}\n{\"type\":\"workload\",\"workloadId\":\"w\"}\n";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *json;
    (void)state;
    assert_int_equal(open_sim(&(struct inputs){ .trace = trace, .is_lenient = 1 }, &err), 0);
    assert_int_equal(joulie_workload_inspect(trace, sizeof trace - 1, 1, &json, &err), 0);
    assert_non_null(strstr(
        json, "\"jobs\":1,\"lines\":4,\"workloadRecords\":1,\"skippedLines\":0,\"badLines\":2"));
    joulie_free(json);
    assert_int_equal(joulie_workload_inspect(trace, sizeof trace - 1, 0, &json, &err),
                     JOULIE_E_PARSE);
    assert_int_equal(err.line, 2);
}

/* More GPUs than any integer counts: the sum is rounded, as that of the cores is. */
static void absurd_requests_are_summed_up(void **state)
{
    static const char trace[] =
        "{\"type\":\"job\",\"jobId\":\"a\",\"podTemplate\":{\"requests\":{\"nvidia.com/gpu\":"
        "\"9223372036854775807\"}}}\n"
        "{\"type\":\"job\",\"jobId\":\"b\",\"podTemplate\":{\"requests\":{\"nvidia.com/gpu\":"
        "\"9223372036854775807\"}}}\n";
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *json = NULL;
    (void)state;
    assert_int_equal(joulie_workload_inspect(trace, sizeof trace - 1, 0, &json, &err), 0);
    assert_non_null(strstr(json, "\"gpuJobs\":2,\"gpusRequested\":18446744073709552000,"));
    joulie_free(json);
}

/* A millionth of a thousandth of a core is rounding; more is another thousandth. */
static void cores_are_rounded_up_to_thousandths(void **state)
{
    static const struct {
        double cores;
        int64_t millicores;
    } rows[] = {
        { 0.3, 300 },    { 0.300000000995, 300 },    { 0.300000001005, 301 },
        { 0.3001, 301 }, { 1e12, 1000000000000000 }, { 1e300, 1000000000000000 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_trace_job job = { .cpu_cores = rows[i].cores };
        assert_int_equal(jl_trace_millicores(&job), rows[i].millicores);
    }
}

/* 64 MiB where none is asked for; GPUs are a positive integer or none. */
static void requests_have_defaults(void **state)
{
    static const struct {
        const char *requests;
        int64_t gpus;
        size_t ignored;
    } rows[] = {
        { "", 0, 0 },
        { "\"gpu\":\"1\"", 1, 0 },
        { "\"gpu\":\"0\"", 0, 1 },
        { "\"gpu\":\"-1\"", 0, 1 },
        { "\"gpu\":\"1.5\"", 0, 1 },
        { "\"gpu\":\"two\"", 0, 1 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct jl_trace trace = { 0 };
        char text[256];
        snprintf(text, sizeof text,
                 "{\"type\":\"job\",\"jobId\":\"a\",\"podTemplate\":{\"requests\":{%s}}}\n",
                 rows[i].requests);
        assert_int_equal(jl_trace_read(text, strlen(text), false, &trace, &err), 0);
        assert_int_equal(trace.count, 1);
        assert_int_equal(trace.jobs[0].memory_bytes, 67108864);
        assert_near(trace.jobs[0].cpu_cores, 1, 0);
        assert_int_equal(trace.jobs[0].gpu_count, rows[i].gpus);
        assert_int_equal(trace.ignored_gpu_requests, rows[i].ignored);
        jl_trace_clear(&trace);
    }
}

/* One line by itself: nothing is a request, too, less is none; two vendors conflict. Without a
 * place for the error its code is all there is. */
static void a_line_says_what_is_wrong_with_its_requests(void **state)
{
    static const struct {
        const char *requests;
        int code;
        const char *where;
    } rows[] = {
        { "'cpu':'0','memory':'0'", 0, "" },
        { "'cpu':'1n','memory':'1'", 0, "" },
        { "'cpu':'-1'", JOULIE_E_RANGE, "podTemplate.requests.cpu" },
        { "'cpu':'-1n'", JOULIE_E_RANGE, "podTemplate.requests.cpu" },
        { "'memory':'-1'", JOULIE_E_RANGE, "podTemplate.requests.memory" },
        { "'memory':'9223372036854775807'", 0, "" },
        { "'memory':'9223372036854775808'", JOULIE_E_RANGE, "podTemplate.requests.memory" },
        { "'nvidia.com/gpu':'1','amd.com/gpu':'1'", JOULIE_E_CONFLICT,
          "podTemplate.requests.amd.com/gpu" },
        { "'nvidia.com/gpu':'1','gpu':'1'", JOULIE_E_CONFLICT, "podTemplate.requests.gpu" },
        { "'nvidia.com/gpu':'0','amd.com/gpu':'1'", 0, "" },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct jl_trace_line line;
        char text[256];
        snprintf(text, sizeof text, "{'type':'job','jobId':'a','podTemplate':{'requests':{%s}}}",
                 rows[i].requests);
        for (char *p = strchr(text, '\''); p; p = strchr(p, '\''))
            *p = '"';
        assert_int_equal(jl_trace_read_line(&arena, text, strlen(text), 0, &line, &err),
                         rows[i].code);
        assert_string_equal(err.where, rows[i].where);
        assert_int_equal(jl_trace_read_line(&arena, text, strlen(text), 0, &line, NULL),
                         rows[i].code);
    }
}

/* A line of 1 MiB is read, a longer one is not; what is no JSON is wrong as a whole. */
static void a_line_has_a_length(void **state)
{
    static char text[(1 << 20) + 2];
    static const char job[] = "{\"type\":\"job\",\"jobId\":\"a\"}";
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_trace_line line;
    (void)state;
    memset(text, ' ', sizeof text - 1);
    memcpy(text, job, sizeof job - 1);
    assert_int_equal(jl_trace_read_line(&arena, text, 1 << 20, 0, &line, &err), 0);
    assert_string_equal(line.job.job_id, "a");
    assert_int_equal(jl_trace_read_line(&arena, text, (1 << 20) + 1, 0, &line, &err),
                     JOULIE_E_LIMIT);
    assert_string_equal(err.where, "line 1");
    err = (struct joulie_error)JOULIE_INIT(struct joulie_error);
    assert_int_equal(jl_trace_read_line(&arena, "7", 1, 0, &line, &err), JOULIE_E_TYPE);
    assert_string_equal(err.where, "line 1");
}

/* With the word equal no machine is faster than another. */
static void equal_machines_have_speed_one(void **state)
{
    static const char text[] = "nodes: [{node_name: n, cpu: AMD EPYC 9375F, vendor: nvidia, "
                               "gpu_count: 1, gpu_relative_speed: 3}]";
    struct jl_inventory inventory;
    (void)state;
    assert_int_equal(
        jl_inventory_read(text, sizeof text - 1, 0, JL_PHYSICS_CURRENT, &inventory, NULL), 0);
    const struct jl_physics_profile *profile = &inventory.families[0].profile;
    assert_true(profile->relative_speed > 1 && profile->gpu.relative_speed > 1);
    jl_inventory_make_equal(&inventory);
    assert_true(profile->relative_speed == 1 && profile->gpu.relative_speed == 1);
    jl_inventory_clear(&inventory);
}

/* What the simulator knows itself is not the inventory's to say. */
/* NULL = it has no such label. */
static void assert_label(const struct jl_map *labels, const char *key, const char *expected)
{
    const char *value = jl_map_get(labels, key);
    if (expected == NULL)
        assert_null(value);
    else
        assert_string_equal(value, expected);
}

static void labels_of_the_inventory_hide_none_of_our_own(void **state)
{
    static const char text[] = "nodes: [{node_name: n, labels: {kubernetes.io/hostname: x, "
                               "joulie.io/managed: 'false', zone: a}}]";
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_inventory inventory;
    struct jl_node node;
    int host_names = 0;
    (void)state;
    assert_int_equal(
        jl_inventory_read(text, sizeof text - 1, 0, JL_PHYSICS_CURRENT, &inventory, NULL), 0);
    assert_int_equal(jl_sim_node_object(&inventory.machines[0], &arena, &node), 0);
    for (size_t i = 0; i < node.meta.labels.count; i++)
        host_names += strcmp(node.meta.labels.items[i].key, "kubernetes.io/hostname") == 0;
    assert_int_equal(host_names, 1);
    assert_string_equal(jl_label(&node.meta, "kubernetes.io/hostname"), "n");
    assert_string_equal(jl_label(&node.meta, "joulie.io/managed"), "true");
    assert_string_equal(jl_label(&node.meta, "zone"), "a");
    jl_inventory_clear(&inventory);
}

static void a_typo_in_the_inventory_names_its_path(void **state)
{
    (void)state;
    refused(
        &(struct inputs){ .inventory =
                              "nodes:\n  - {node_name: a}\n  - {node_name: b, cpu_coers: 64}\n" },
        JOULIE_E_UNKNOWN_MEMBER, "inventory: nodes[1].cpu_coers", 3);
    refused(&(struct inputs){ .inventory = "nodes: [{node_name: a, cpu_cores: many}]" },
            JOULIE_E_TYPE, "inventory: nodes[0].cpu_cores", 1);
    refused(&(struct inputs){ .inventory = "nodes: [{cpu_cores: 16}]" }, JOULIE_E_REQUIRED,
            "inventory: nodes[0].node_name_prefix", 0);
    refused(
        &(struct inputs){ .inventory = "nodes: [{node_name: a, vendor: nvidea, gpu_count: 1}]" },
        JOULIE_E_ENUM, "inventory: nodes[0].vendor", 1);
    refused(
        &(struct inputs){ .inventory = "nodes: [{node_name: a, product: unheard, gpu_count: 1}]" },
        JOULIE_E_REQUIRED, "inventory: nodes[0].vendor", 0);
    refused(&(struct inputs){ .inventory = "nodes: [{node_name: a}, {node_name: a}]" },
            JOULIE_E_CONFLICT, "inventory: nodes", 0);
    refused(&(struct inputs){ .inventory = "nodes: [{node_name: A_b}]" }, JOULIE_E_PARSE,
            "inventory: nodes[0].node_name", 0);
    refused(&(struct inputs){ .inventory = "nodes: []" }, JOULIE_E_REQUIRED, "inventory: nodes", 0);
    refused(&(struct inputs){ .inventory = "nodes: [{node_name_prefix: n, replicas: 1000001}]" },
            JOULIE_E_RANGE, "inventory: nodes[0].replicas", 1);
}

#define H100 "{node_name: a, product: NVIDIA H100 NVL, gpu_count: 2, cpu: AMD EPYC 9654"

/* What is given comes before the catalog; what is not is the catalog's. */
static void hardware_of_the_inventory_comes_before_the_catalog(void **state)
{
    static const char text[] =
        "nodes: [" H100 ", gpu_relative_speed: 2, physics: {cpuDriverFamily: own, "
        "fMinMHz: 1500, gpu: {idleWattsPerGpu: 30, computeGamma: 1.05}}}]";
    struct jl_inventory inventory = { 0 };
    (void)state;
    assert_int_equal(
        jl_inventory_read(text, sizeof text - 1, 0, JL_PHYSICS_CURRENT, &inventory, NULL), 0);
    const struct jl_physics_profile *profile = &inventory.families[0].profile;
    assert_near(profile->gpu.idle_w, 30, 0);
    assert_near(profile->gpu.compute_gamma, 1.05, 0);
    assert_near(profile->gpu.memory_epsilon, 0.15, 0); /* of the catalog, as the next two */
    assert_near(profile->gpu.max_w, 400, 0);
    assert_near(profile->curve_w[0], 128, 0);
    assert_near(profile->gpu.relative_speed, 2, 0);
    assert_near(profile->min_mhz, 1500, 0);
    assert_string_equal(profile->driver_family, "own");
    jl_inventory_clear(&inventory);
}

static void hardware_that_cannot_be_is_refused_with_its_place(void **state)
{
    (void)state;
    refused(&(struct inputs){ .inventory = "nodes: [" H100 ", physics: {gpu: {idleWatts: 1}}}]" },
            JOULIE_E_UNKNOWN_MEMBER, "inventory: nodes[0].physics.gpu.idleWatts", 1);
    refused(&(struct inputs){ .inventory =
                                  "nodes: [" H100 ", physics: {gpu: {minCapWattsPerGpu: 500}}}]" },
            JOULIE_E_RANGE, "inventory: nodes[0].physics.gpu.minCapWattsPerGpu", 0);
    refused(&(struct inputs){ .inventory = "nodes: [" H100 ", physics: {gpu: {count: 2}}}]" },
            JOULIE_E_CONFLICT, "inventory: nodes[0].physics.gpu.count", 0);
    refused(&(struct inputs){ .inventory = "nodes: [" H100 ", physics: {cpuSockets: 2}}]" },
            JOULIE_E_CONFLICT, "inventory: nodes[0].physics.cpuSockets", 0);
    refused(&(struct inputs){ .inventory = "nodes: [" H100 ", physics: {relativeSpeed: 2}}]" },
            JOULIE_E_CONFLICT, "inventory: nodes[0].physics.relativeSpeed", 0);
}

static void a_policy_is_read_as_plan_reads_it(void **state)
{
    (void)state;
    refused(&(struct inputs){ .policy = "{\"type\":\"static_partition\",\"staticHpFraction\":1}" },
            JOULIE_E_UNKNOWN_MEMBER, "policy: staticHpFraction", 1);
    refused(&(struct inputs){ .policy = "{\"type\":\"static\"}" }, JOULIE_E_ENUM, "policy: type",
            1);
}

static void unknown_settings_stop_the_start(void **state)
{
    (void)state;
    refused(&(struct inputs){ .placement = "random" }, JOULIE_E_UNSUPPORTED, "placement", 0);
    refused(&(struct inputs){ .baseline = "joulie" }, JOULIE_E_UNSUPPORTED, "baseline", 0);
    refused(&(struct inputs){ .baseline = "" }, JOULIE_E_UNSUPPORTED, "baseline", 0);
    refused(&(struct inputs){ .physics = "v0.2.0" }, JOULIE_E_UNSUPPORTED, "physics", 0);
    refused(&(struct inputs){ .hours = -1 }, JOULIE_E_RANGE, "hours", 0);
    refused(&(struct inputs){ .nodes = -1 }, JOULIE_E_RANGE, "nodes", 0);
    refused(&(struct inputs){ .speeds = "fast" }, JOULIE_E_UNSUPPORTED, "speeds", 0);
    refused(&(struct inputs){ .placement_base = "joulie" }, JOULIE_E_UNSUPPORTED, "placement_base",
            0);
    refused(&(struct inputs){ .scoring = "{\"profileName\":\"none\"}" }, JOULIE_E_ENUM,
            "scoring: profileName", 1);
    refused(&(struct inputs){ .scoring = "{" }, JOULIE_E_PARSE, "scoring: line 1", 1);
    /* nothing runs beside it, and nobody controls it */
    refused(&(struct inputs){ .is_uncontrolled = 1, .is_compared = 1 }, JOULIE_E_CONFLICT,
            "isUncontrolled", 0);
    refused(&(struct inputs){ .is_uncontrolled = 1, .is_external = 1 }, JOULIE_E_CONFLICT,
            "isUncontrolled", 0);
    /* a scorer outside gives no costs */
    refused(&(struct inputs){ .placement = "efficiency-cost", .is_external = 1 },
            JOULIE_E_UNSUPPORTED, "placement", 0);
}

static void known_settings_are_taken(void **state)
{
    static const struct inputs taken[] = {
        { .speeds = "equal" },
        { .speeds = "catalog" },
        { .placement_base = "kube" },
        { .scoring = "{\"profileName\":\"efficiency\"}" },
        { .scoring = "{}" },
        { .is_uncontrolled = 1 },
        { .is_compared = 1 },
        { .is_external = 1 },
        { .placement = "efficiency-cost" },
        { .physics = "v0.1.1" },
        { .nodes = 1 },
    };

    struct joulie_error err;
    (void)state;
    for (size_t i = 0; i < JL_COUNT(taken); i++) {
        if (open_sim(&taken[i], &err) != 0)
            fail_msg("%zu: %s: %s", i, err.where, err.message);
    }
}

/* 1600 units on 16 busy cores take 100 s at the speed 1, and less on faster ones. */
static void machines_have_the_speeds_that_are_asked_for(void **state)
{
    static const char inventory[] = "nodes: [{node_name: n, cpu: AMD EPYC 9375F, cpu_cores: 16}]";
    static const char trace[] =
        "{\"type\":\"job\",\"jobId\":\"a\",\"submitTimeOffsetSec\":0,\"work\":{\"cpuUnits\":1600},"
        "\"podTemplate\":{\"requests\":{\"cpu\":\"16\"}},\"workloadProfile\":{\"cpuUtilization\":1}"
        "}";
    double makespans_s[2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
        struct joulie_sim_outcome outcome = JOULIE_INIT(struct joulie_sim_outcome);
        struct joulie_sim *sim = NULL;
        options.inventory = inventory;
        options.inventory_len = sizeof inventory - 1;
        options.trace = trace;
        options.trace_len = sizeof trace - 1;
        options.is_uncontrolled = 1;
        options.speeds = i == 0 ? "equal" : "catalog";
        assert_int_equal(joulie_sim_new(&options, &sim, NULL), 0);
        assert_int_equal(joulie_sim_run_until(sim, 1000, NULL), 0);
        assert_int_equal(joulie_sim_get_outcome(sim, 0, &outcome, NULL), 0);
        makespans_s[i] = outcome.makespan_s;
        joulie_sim_free(sim);
    }
    const double speed = jl_catalog_cpu("AMD EPYC 9375F")->relative_speed;
    assert_true(speed > 1);
    assert_near(makespans_s[0], 100, 1e-9);
    assert_near(makespans_s[1], 100 / speed, 1e-9);
}

/* A label value has 63 characters at most, and ends with a letter or a digit. */
static void a_long_model_becomes_a_label_that_kubernetes_takes(void **state)
{
    static const char *const texts[] = {
        "nodes: [{node_name: n, cpu: Intel(R) Xeon(r) Gold 6530}]",
        "nodes: [{node_name: n, cpu: Intel(R)Xeon(r)}]",
        "nodes: [{node_name: n, cpu: x(Rx) (rx)}]", /* no registered trade mark */
        "nodes: [{node_name: n, cpu: ._-x.y_z--u}]",
        "nodes: [{node_name: n, cpu: "
        "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffxyzw}]",
        "nodes: [{node_name: n, cpu: aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffx "
        "w}]",
    };
    static const char *const labels[] = {
        "Intel-Xeon-Gold-6530",
        "IntelXeon",
        "x-Rx-rx",
        "x.y_z-u",
        "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffxyz",
        "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffx-w",
    };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(texts); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct jl_inventory inventory = { 0 };
        assert_int_equal(
            jl_inventory_read(texts[i], strlen(texts[i]), 0, JL_PHYSICS_CURRENT, &inventory, &err),
            0);
        assert_string_equal(jl_map_get(&inventory.families[0].labels, "joulie.io/hw.cpu-model"),
                            labels[i]);
        jl_inventory_clear(&inventory);
    }
}

static void only_nodes_with_gpus_have_labels_of_gpus(void **state)
{
    static const struct {
        const char *text, *count, *product, *is_nvidia, *is_amd;
    } rows[] = {
        { "nodes: [{node_name: n}]", NULL, NULL, NULL, NULL },
        { "nodes: [{node_name: n, product: NVIDIA L40S, gpu_count: 4}]", "4", "NVIDIA-L40S", "true",
          NULL },
        { "nodes: [{node_name: n, product: AMD Instinct MI300X, gpu_count: 8}]", "8",
          "AMD-Instinct-MI300X", NULL, "true" },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct jl_inventory inventory = { 0 };
        assert_int_equal(jl_inventory_read(rows[i].text, strlen(rows[i].text), 0,
                                           JL_PHYSICS_CURRENT, &inventory, &err),
                         0);
        const struct jl_map *labels = &inventory.families[0].labels;
        assert_label(labels, "joulie.io/hw.gpu-count", rows[i].count);
        assert_label(labels, "joulie.io/hw.gpu-model", rows[i].product);
        assert_label(labels, "joulie.io/gpu.product", rows[i].product);
        assert_label(labels, "feature.node.kubernetes.io/pci-10de.present", rows[i].is_nvidia);
        assert_label(labels, "feature.node.kubernetes.io/pci-1002.present", rows[i].is_amd);
        jl_inventory_clear(&inventory);
    }
}

static int read_scaled(const char *text, int64_t nodes, struct jl_inventory *out,
                       struct joulie_error *err)
{
    *out = (struct jl_inventory){ 0 };
    *err = JOULIE_INIT(struct joulie_error);
    return jl_inventory_read(text, strlen(text), nodes, JL_PHYSICS_CURRENT, out, err);
}

/* Largest remainder: the sum is exact, and of equal remainders the first entry gets the node. */
static void an_inventory_is_scaled_with_its_mix(void **state)
{
    static const char text[] = "nodes:\n  - {node_name_prefix: a, replicas: 3}\n"
                               "  - {node_name_prefix: b, replicas: 2}\n"
                               "  - {node_name_prefix: c, replicas: 2}\n";

    static const struct {
        int64_t wanted;
        size_t of[3];
    } rows[] = {
        { 0, { 3, 2, 2 } },  { 7, { 3, 2, 2 } },   { 1, { 1, 0, 0 } },
        { 2, { 1, 1, 0 } },  { 5, { 2, 2, 1 } },   { 6, { 2, 2, 2 } },
        { 20, { 8, 6, 6 } }, { 23, { 10, 7, 6 } }, { 70, { 30, 20, 20 } },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_inventory inventory;
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        size_t of[3] = { 0 };
        assert_int_equal(read_scaled(text, rows[i].wanted, &inventory, &err), 0);
        for (size_t k = 0; k < inventory.count; k++)
            of[inventory.machines[k].name[0] - 'a']++;
        assert_memory_equal(of, rows[i].of, sizeof of);
        jl_inventory_clear(&inventory);
    }
}

static void what_cannot_be_scaled_is_named(void **state)
{
    static const struct {
        const char *text;
        int64_t wanted;
        int code;
        const char *where;
    } rows[] = {
        { "nodes: [{node_name_prefix: a}]", 1000001, JOULIE_E_LIMIT, "nodes" },
        { "nodes: [{node_name_prefix: a}, {node_name: b}]", 4, JOULIE_E_CONFLICT,
          "nodes[1].node_name" },
        { "nodes: [{node_name_prefix: a, replicas: 1000000}, {node_name_prefix: b}]", 4,
          JOULIE_E_LIMIT, "nodes[1].replicas" },
        { "nodes: [{node_name: a, replicas: 2}]", 0, JOULIE_E_CONFLICT, "nodes[0].replicas" },
        { "nodes: [{node_name: a, node_name_prefix: b}]", 0, JOULIE_E_CONFLICT,
          "nodes[0].node_name" },
        { "nodes: [{node_name_prefix: a, replicas: 0}]", 4, JOULIE_E_REQUIRED, "nodes" },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_inventory inventory;
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        assert_int_equal(read_scaled(rows[i].text, rows[i].wanted, &inventory, &err), rows[i].code);
        assert_string_equal(err.where, rows[i].where);
        jl_inventory_clear(&inventory);
    }
}

/* The entry's word wins, then the vendor of the catalog's model. */
static void gpus_have_the_vendor_of_the_entry_or_of_the_model(void **state)
{
    static const struct {
        const char *text;
        const char *vendor;
    } rows[] = {
        { "nodes: [{node_name: n, gpu_count: 1, product: NVIDIA L40S}]", "nvidia" },
        { "nodes: [{node_name: n, gpu_count: 1, product: AMD Radeon PRO W7900}]", "amd" },
        { "nodes: [{node_name: n, gpu_count: 1, vendor: nvidia}]", "nvidia" },
        { "nodes: [{node_name: n, gpu_count: 1, vendor: amd}]", "amd" },
        { "nodes: [{node_name: n, gpu_count: 1, vendor: amd, product: NVIDIA L40S}]", "amd" },
        { "nodes: [{node_name: n, gpu_count: 1, vendor: nvidia, product: AMD Radeon PRO W7900}]",
          "nvidia" },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_inventory inventory;
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        assert_int_equal(read_scaled(rows[i].text, 0, &inventory, &err), 0);
        assert_string_equal(inventory.families[0].gpu_vendor, rows[i].vendor);
        jl_inventory_clear(&inventory);
    }
}

/* In v0.1.1 machines are those of the source's catalog, and all models are equally fast. */
static void version_words_have_machines_of_the_source(void **state)
{
    static const char text[] = "nodes: [{node_name: n, cpu: AMD EPYC 9655, gpu_count: 1, "
                               "product: H100 SXM}]";

    static const struct {
        enum jl_physics_rules rules;
        const char *provenance;
        double least_w, speed;
    } rows[] = {
        { JL_PHYSICS_CURRENT, "assumed", 200, 1.15 },
        { JL_PHYSICS_V0_1_1, "exact+official", 350, 1 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_inventory inventory = { 0 };
        assert_int_equal(jl_inventory_read(text, strlen(text), 0, rows[i].rules, &inventory, NULL),
                         0);
        const struct jl_sim_family *family = &inventory.families[0];
        assert_string_equal(family->cpu_model->provenance, rows[i].provenance);
        assert_near(family->gpu_model->min_board_w, rows[i].least_w, 0);
        assert_near(family->profile.relative_speed, rows[i].speed, 0);
        jl_inventory_clear(&inventory);
    }
}

static void an_entry_has_defaults(void **state)
{
    static const struct {
        const char *text;
        int64_t sockets, cores, gpus;
        double gib;
    } rows[] = {
        { "nodes: [{node_name: n}]", 2, 16, 0, 64 },
        { "nodes: [{node_name: n, cpu_cores: 10, cpu_sockets: 1}]", 1, 10, 0, 40 },
        { "nodes: [{node_name: n, memory_gib: 0.5, vendor: amd, gpu_count: 3}]", 2, 16, 3, 0.5 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_inventory inventory;
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        assert_int_equal(read_scaled(rows[i].text, 0, &inventory, &err), 0);
        const struct jl_sim_family *family = &inventory.families[0];
        assert_int_equal(family->sockets, rows[i].sockets);
        assert_int_equal(family->cores, rows[i].cores);
        assert_int_equal(family->gpus, rows[i].gpus);
        assert_near((double)family->memory_bytes, rows[i].gib * 1073741824, 0);
        jl_inventory_clear(&inventory);
    }
}

/* The table of docs/rules/simulation.md#inventory, each number at both ends and beyond. */
static void numbers_of_an_entry_have_bounds(void **state)
{
    static const struct {
        const char *member;
        const char *good[2];
        const char *bad[2];
    } rows[] = {
        { "replicas", { "1", "1" }, { "-1", "1000001" } },
        { "cpu_sockets", { "1", "64" }, { "0", "65" } },
        { "cpu_cores", { "1", "65536" }, { "0", "65537" } },
        { "memory_gib", { "0", "1048576" }, { "-0.1", "1048576.1" } },
        { "standby_w", { "0", "100000" }, { "-0.1", "100000.1" } },
        { "boot_s", { "0", "86400" }, { "-0.1", "86400.1" } },
        { "stop_s", { "0", "86400" }, { "-0.1", "86400.1" } },
        { "gpu_count", { "0", "1024" }, { "-1", "1025" } },
        { "cpu_relative_speed", { "0.001", "1000" }, { "0", "-1" } },
        { "gpu_relative_speed", { "0.001", "1000" }, { "0", "-1" } },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        for (size_t k = 0; k < 4; k++) {
            struct jl_inventory inventory;
            struct joulie_error err = JOULIE_INIT(struct joulie_error);
            char text[200];
            char where[64];
            const bool is_good = k < 2;
            snprintf(text, sizeof text,
                     "nodes: [{node_name_prefix: n, vendor: amd, product: unheard, %s: %s}]",
                     rows[i].member, is_good ? rows[i].good[k] : rows[i].bad[k - 2]);
            snprintf(where, sizeof where, "nodes[0].%s", rows[i].member);
            const int rc = read_scaled(text, 0, &inventory, &err);
            if (rc != (is_good ? 0 : JOULIE_E_RANGE))
                fail_msg("%s: %d", text, rc);
            assert_string_equal(err.where, is_good ? "" : where);
            jl_inventory_clear(&inventory);
        }
    }
}

static void an_impossible_struct_is_refused(void **state)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    (void)state;
    assert_int_equal(joulie_sim_new(&options, &sim, &err), JOULIE_E_REQUIRED);
    options.struct_size = 3;
    assert_int_equal(joulie_sim_new(&options, &sim, &err), JOULIE_E_ABI);
    joulie_sim_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_inputs_are_taken),
        cmocka_unit_test(a_truncated_trace_names_its_line),
        cmocka_unit_test(a_bad_member_of_a_trace_names_line_and_path),
        cmocka_unit_test(lenient_skips_bad_lines_and_counts_them),
        cmocka_unit_test(absurd_requests_are_summed_up),
        cmocka_unit_test(cores_are_rounded_up_to_thousandths),
        cmocka_unit_test(requests_have_defaults),
        cmocka_unit_test(a_line_says_what_is_wrong_with_its_requests),
        cmocka_unit_test(a_line_has_a_length),
        cmocka_unit_test(equal_machines_have_speed_one),
        cmocka_unit_test(labels_of_the_inventory_hide_none_of_our_own),
        cmocka_unit_test(only_nodes_with_gpus_have_labels_of_gpus),
        cmocka_unit_test(a_typo_in_the_inventory_names_its_path),
        cmocka_unit_test(hardware_of_the_inventory_comes_before_the_catalog),
        cmocka_unit_test(hardware_that_cannot_be_is_refused_with_its_place),
        cmocka_unit_test(a_policy_is_read_as_plan_reads_it),
        cmocka_unit_test(unknown_settings_stop_the_start),
        cmocka_unit_test(known_settings_are_taken),
        cmocka_unit_test(machines_have_the_speeds_that_are_asked_for),
        cmocka_unit_test(a_long_model_becomes_a_label_that_kubernetes_takes),
        cmocka_unit_test(an_inventory_is_scaled_with_its_mix),
        cmocka_unit_test(what_cannot_be_scaled_is_named),
        cmocka_unit_test(gpus_have_the_vendor_of_the_entry_or_of_the_model),
        cmocka_unit_test(version_words_have_machines_of_the_source),
        cmocka_unit_test(an_entry_has_defaults),
        cmocka_unit_test(numbers_of_an_entry_have_bounds),
        cmocka_unit_test(an_impossible_struct_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
