/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Equal inputs give equal bytes, also from one release to the next: traces, tables, summaries and
 * loads against the hashes of their texts. A hash that is another one is a change of behaviour: of
 * the order or the number of random draws, of a constant, of a sum. It goes into the commit that
 * means it, with its line in NEWS.md.
 */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <joulie/sim.h>

#include "base/text.h"
#include "sim/autoscale_load.h"
#include "support/test.h"

static void check(const char *what, const void *bytes, size_t len, uint64_t expected)
{
    const uint64_t hash = jl_hash(bytes, len);
    if (hash != expected)
        fail_msg("%s: %zu bytes, hash 0x%016" PRIX64, what, len, hash);
}

/* ---- traces ---- */

static char *generate(const struct joulie_workload_options *options)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *trace = NULL;
    if (joulie_workload_generate(options, &trace, &err) < 0)
        fail_msg("%s: %s", err.where, err.message);
    return trace;
}

static void check_trace(const char *what, const struct joulie_workload_options *options,
                        uint64_t expected)
{
    char *trace = generate(options);
    check(what, trace, strlen(trace), expected);
    joulie_free(trace);
}

static struct joulie_workload_options made(uint64_t seed)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    options.has = JOULIE_WORKLOAD_HAS_SEED;
    options.seed = seed;
    return options;
}

static void the_default_mode_draws_the_same_families(void **state)
{
    struct joulie_workload_options options = made(1);
    (void)state;
    check_trace("defaults", &options, 0x7E0AB94969A8BA6F);
    options.has |= JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_GPU_RATIO |
                   JOULIE_WORKLOAD_HAS_AMD_RATIO | JOULIE_WORKLOAD_HAS_PERF_RATIO;
    options.seed = 7;
    options.jobs = 2000;
    options.gpu_ratio = 0.6;
    options.amd_ratio = 0.3;
    options.perf_ratio = 0.2;
    check_trace("2,000 jobs, which pass a week", &options, 0xAC1D2B57ACAA18F1);
    options.has |= JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL;
    options.mean_inter_arrival_s = 900;
    check_trace("rare arrivals", &options, 0x154F2BAB2F8126CD);
}

/* Durations that a family's upper end cuts: of 3, of 14 and of 7 days. */
static void the_longest_workloads_are_cut(void **state)
{
    static const struct {
        uint64_t seed;
        int64_t jobs;
        uint64_t hash;
    } rows[] = { { 79, 150, 0x8E47C8A3773185A8 },
                 { 141, 1400, 0x7D86DF8C56F7D8DA },
                 { 162, 2300, 0x0D9A6DEEE7C69BCC } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_workload_options options = made(rows[i].seed);
        options.has |= JOULIE_WORKLOAD_HAS_JOBS;
        options.jobs = rows[i].jobs;
        check_trace("a long workload", &options, rows[i].hash);
    }
}

static void the_default_mode_spreads_jobs_over_hours(void **state)
{
    struct joulie_workload_options options = made(3);
    (void)state;
    options.has |= JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_HOURS |
                   JOULIE_WORKLOAD_HAS_MAX_DURATION | JOULIE_WORKLOAD_HAS_RECORDS;
    options.jobs = 500;
    options.hours = 75.5;
    options.max_duration_s = 5400;
    options.name_space = "batch";
    check_trace("jobs alone", &options, 0xB5694C9BA00F8BEE);
}

static void the_diurnal_mode_follows_the_day(void **state)
{
    struct joulie_workload_options options = made(2);
    (void)state;
    options.mode = "diurnal";
    options.has |= JOULIE_WORKLOAD_HAS_PEAK_RATE | JOULIE_WORKLOAD_HAS_HOURS;
    options.peak_rate_per_min = 0.7;
    options.hours = 30;
    check_trace("defaults of the mode", &options, 0x6AACA94F79A27190);
    options.has |= JOULIE_WORKLOAD_HAS_GPU_RATIO | JOULIE_WORKLOAD_HAS_AMD_RATIO |
                   JOULIE_WORKLOAD_HAS_BURST_PROB | JOULIE_WORKLOAD_HAS_BURST_MIN |
                   JOULIE_WORKLOAD_HAS_BURST_MAX | JOULIE_WORKLOAD_HAS_MIN_GPUS |
                   JOULIE_WORKLOAD_HAS_WORK_SCALE | JOULIE_WORKLOAD_HAS_BASE_SPEED;
    options.gpu_ratio = 0.5;
    options.amd_ratio = 0.5;
    options.burst_prob = 0.4;
    options.burst_min = 2;
    options.burst_max = 6;
    options.min_gpus = 2;
    options.work_scale = 0.25;
    options.base_speed = 1;
    check_trace("all options", &options, 0xCE82E93558F909FB);
    options.has |= JOULIE_WORKLOAD_HAS_JOBS;
    options.jobs = 77;
    options.gpu_ratio = 0;
    check_trace("no GPUs, at most 77 jobs", &options, 0x07EF28875E383B03);
}

/* ---- simulations ---- */

static const char inventory[] =
    "nodes:\n"
    "  - {node_name_prefix: h100, replicas: 2, vendor: nvidia, product: NVIDIA H100 NVL,"
    " cpu: AMD EPYC 9654, cpu_cores: 192, memory_gib: 1536, gpu_count: 8}\n"
    "  - {node_name_prefix: w7900, replicas: 2, vendor: amd, product: AMD Radeon PRO W7900,"
    " cpu: AMD EPYC 9534, cpu_cores: 128, memory_gib: 770, gpu_count: 4}\n"
    "  - {node_name_prefix: cpu, replicas: 3, cpu: AMD EPYC 9965, cpu_cores: 384}\n"
    "  - {node_name: old, cpu: somebody's own, cpu_cores: 64, memory_gib: 256}\n";

struct expected {
    const char *physics;
    const char *placement;
    uint64_t summary;
    uint64_t nodes;
    uint64_t jobs;
    uint64_t decisions;
    uint64_t families;
    uint64_t models;
};

static void check_simulation(const char *trace, const struct expected *expected)
{
    static const char policy[] = "{\"type\":\"queue_aware_v1\",\"queueHpBaseFrac\":0.25,"
                                 "\"queuePerfPerHpNode\":6}";
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    char *text = NULL;
    options.inventory = inventory;
    options.inventory_len = sizeof inventory - 1;
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.policy = policy;
    options.policy_len = sizeof policy - 1;
    options.physics = expected->physics;
    options.placement = expected->placement;
    options.compare = 1;
    options.keeps_hours = 1;
    options.seed = 18446744073709551615u;
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), 0);
    assert_int_equal(joulie_sim_run_until(sim, 1e9, NULL), 0);

    const struct {
        const char *table;
        uint64_t hash;
    } tables[] = {
        { "nodes", expected->nodes },
        { "jobs", expected->jobs },
        { "decisions", expected->decisions },
        { "families", expected->families },
    };

    assert_int_equal(joulie_sim_summary(sim, &text, NULL), 0);
    check("summary", text, strlen(text), expected->summary);
    joulie_free(text);
    assert_int_equal(joulie_sim_models(sim, &text, NULL), 0);
    check("models", text, strlen(text), expected->models);
    joulie_free(text);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        assert_int_equal(joulie_sim_csv(sim, tables[i].table, &text, NULL), 0);
        check(tables[i].table, text, strlen(text), tables[i].hash);
        joulie_free(text);
    }
    joulie_sim_free(sim);
}

static void simulations_are_the_same_bytes(void **state)
{
    static const struct expected all[] = {
        { "current", "joulie", 0xA0595A2CCB50C2A8, 0xBE85CF05A8344F27, 0x439034682A369903,
          0xB5C1B103DFB892CD, 0x078DD5EED9F34C88, 0xA256460873C94082 },
        { "current", "least-allocated", 0x1FF7DAF68BD7ECA3, 0x89C765A78637DB89, 0xEBA6DC437199C0FF,
          0xA64D318B63E1B60A, 0xE139F766ADE2D575, 0xA256460873C94082 },
        { "v0.1.1", "joulie", 0xEB853A8773950448, 0x102027210145EA4F, 0x4FC8954065C74360,
          0x5EB7CA2D61DD7CDC, 0xCD8DE322EEB2F376, 0xA66AC040D7E556E4 },
    };
    struct joulie_workload_options options = made(5);
    (void)state;
    options.has |= JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_HOURS |
                   JOULIE_WORKLOAD_HAS_GPU_RATIO | JOULIE_WORKLOAD_HAS_AMD_RATIO |
                   JOULIE_WORKLOAD_HAS_MAX_DURATION;
    options.jobs = 160;
    options.hours = 3;
    options.gpu_ratio = 0.6;
    options.amd_ratio = 0.4;
    options.max_duration_s = 4000;
    char *trace = generate(&options);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check_simulation(trace, &all[i]);
    joulie_free(trace);
}

/* ---- demand of a GPU service ---- */

static void loads_are_the_same_numbers(void **state)
{
    static const struct {
        enum jl_load_kind kind;
        const char *name;
        uint64_t tflops;
        uint64_t vram;
        uint64_t shared;
    } all[] = {
        { JL_LOAD_BURSTY, "bursty", 0x9CC2283D38DAEDFD, 0x53FF45FEF89B7EB2, 0x37605CF14CDC755D },
        { JL_LOAD_DIURNAL, "diurnal", 0x1226F73BA404162A, 0x53FF45FEF89B7EB2, 0x7C18EF1311F95836 },
        { JL_LOAD_RAMP, "ramp", 0x41F752285B7D7970, 0x53FF45FEF89B7EB2, 0xAED329C54130FBC4 },
        { JL_LOAD_STEP, "step", 0x7AD4737FB4D19D1E, 0x53FF45FEF89B7EB2, 0x464CCDA36716C144 },
    };
    const struct jl_load_scale scale = { 80, 24e9, 2 };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct jl_arena arena = { 0 };
        struct jl_load load;
        assert_int_equal(jl_load_generate(all[i].kind, 11, 30, &scale, &arena, &load), 0);
        assert_int_equal(load.count, 10800);
        check(all[i].name, load.tflops, load.count * sizeof(double), all[i].tflops);
        check(all[i].name, load.vram_bytes, load.count * sizeof(double), all[i].vram);
        check(all[i].name, load.shared_bytes, load.count * sizeof(double), all[i].shared);
        jl_arena_clear(&arena);
    }
}

/* ---- comparisons of autoscalers ---- */

#define PROFILE(qos, replicas, more)                                                            \
    "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\","                     \
    "\"metadata\":{\"name\":\"p\"},\"spec\":{\"autoScalingConfig\":{"                           \
    "\"autoSetLimits\":{\"enable\":true},\"autoSetRequests\":{\"enable\":true},"                \
    "\"autoSetReplicas\":{\"enable\":true}" more "},\"qos\":\"" qos "\",\"replicas\":" replicas \
    ","                                                                                         \
    "\"resources\":{\"limits\":{\"tflops\":\"80\",\"vram\":\"12Gi\"},"                          \
    "\"requests\":{\"tflops\":\"60\",\"vram\":\"8Gi\"}}}}"

static void check_comparison(const char *what, struct joulie_autoscale_sim_options *options,
                             uint64_t expected)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *json = NULL;
    if (joulie_simulate_autoscale(options, &json, &err) < 0)
        fail_msg("%s: %s: %s", what, err.where, err.message);
    check(what, json, strlen(json), expected);
    joulie_free(json);
}

static void comparisons_are_the_same_bytes(void **state)
{
    static const struct {
        const char *workload;
        const char *profile;
        int64_t cards;
        double start_delay_s;
        uint64_t hash;
    } all[] = {
        { "bursty", NULL, 8, 60, 0xDF9B80819283BA99 },
        { "diurnal", PROFILE("low", "1", ""), 1, 30, 0xCE79E44D3B9793D4 },
        { "ramp", PROFILE("high", "3", ""), 2, 600, 0xDA02116B03B5F19C },
        { "step",
          PROFILE("critical", "2",
                  ",\"cronScalingRules\":[{\"name\":\"n\",\"enable\":true,"
                  "\"start\":\"0 2 * * *\",\"end\":\"0 4 * * *\",\"desiredResources\":"
                  "{\"requests\":{\"tflops\":\"100\",\"vram\":\"20Gi\"},"
                  "\"limits\":{\"tflops\":\"120\",\"vram\":\"24Gi\"}}}]"),
          3, 10, 0x51068BA096B3504C },
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct joulie_autoscale_sim_options options =
            JOULIE_INIT(struct joulie_autoscale_sim_options);
        options.has = JOULIE_AUTOSCALE_SIM_HAS_HOURS | JOULIE_AUTOSCALE_SIM_HAS_SEEDS |
                      JOULIE_AUTOSCALE_SIM_HAS_CARDS | JOULIE_AUTOSCALE_SIM_HAS_START_DELAY;
        options.workload = all[i].workload;
        options.profile = all[i].profile;
        options.profile_len = all[i].profile ? strlen(all[i].profile) : 0;
        options.hours = 5;
        options.seeds = 2;
        options.cards = all[i].cards;
        options.start_delay_s = all[i].start_delay_s;
        options.keeps_series = 1;
        check_comparison(all[i].workload, &options, all[i].hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_mode_draws_the_same_families),
        cmocka_unit_test(the_longest_workloads_are_cut),
        cmocka_unit_test(the_default_mode_spreads_jobs_over_hours),
        cmocka_unit_test(the_diurnal_mode_follows_the_day),
        cmocka_unit_test(simulations_are_the_same_bytes),
        cmocka_unit_test(loads_are_the_same_numbers),
        cmocka_unit_test(comparisons_are_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
