/* SPDX-License-Identifier: Apache-2.0 */

/* What every generated trace is: readable by our own strict reader, within what was asked for, and
 * the same for a seed. */

#include <string.h>

#include <joulie/sim.h>

#include "sim/trace.h"
#include "support/test.h"

static char *make(const struct joulie_workload_options *options)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *text;
    const int rc = joulie_workload_generate(options, &text, &err);
    if (rc < 0)
        fail_msg("%d at '%s': %s", rc, err.where, err.message);
    return text;
}

static void read_back(const char *text, struct jl_trace *out)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = jl_trace_read(text, strlen(text), false, out, &err);
    if (rc < 0)
        fail_msg("%d at '%s': %s", rc, err.where, err.message);
}

static struct joulie_workload_options options_of(const char *mode, uint64_t seed)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    options.mode = mode;
    options.has = JOULIE_WORKLOAD_HAS_SEED | JOULIE_WORKLOAD_HAS_HOURS |
                  JOULIE_WORKLOAD_HAS_MAX_DURATION | JOULIE_WORKLOAD_HAS_GPU_RATIO |
                  JOULIE_WORKLOAD_HAS_AMD_RATIO;
    options.seed = seed;
    options.hours = 6;
    options.max_duration_s = 1800;
    options.gpu_ratio = 0.6;
    options.amd_ratio = 0.25;
    if (strcmp(mode, "default") == 0) {
        options.has |= JOULIE_WORKLOAD_HAS_JOBS;
        options.jobs = 777;
    } else {
        options.has |= JOULIE_WORKLOAD_HAS_PEAK_RATE;
        options.peak_rate_per_min = 4;
    }
    return options;
}

static void check_job(const struct jl_trace_job *job, double last_s, double units_per_core)
{
    assert_true(job->submit_s >= last_s && job->submit_s <= 6 * 3600);
    assert_true(job->work.sensitivity_cpu == 1 && job->work.sensitivity_gpu == 1);
    assert_true(job->cpu_cores >= 1 && job->memory_bytes >= INT64_C(1) << 30);
    assert_true(job->gpu_count <= 8);
    assert_true((job->gpu_count > 0) == (job->work.gpu_class != JL_GPU_UNKNOWN));
    assert_true(job->gpu_count > 0 || job->gpu_units == 0);
    /* the longest duration at full utilisation is the most work that a core or a device can get */
    assert_true(job->cpu_units <= units_per_core * 1800 * job->cpu_cores + 0.001);
    assert_true(job->gpu_units <= units_per_core * 1800 * (double)job->gpu_count + 0.001);
}

static void traces_keep_what_was_asked_for(void **state)
{
    static const char *const modes[] = { "default", "diurnal" };
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const char *mode = modes[seed % 2];
        const struct joulie_workload_options options = options_of(mode, seed);
        char *text = make(&options);
        struct jl_trace trace;
        read_back(text, &trace);
        if (options.has & JOULIE_WORKLOAD_HAS_JOBS)
            assert_int_equal(trace.count, 777);
        assert_true(trace.count > 300);
        double last_s = 0;
        size_t gpu_jobs = 0;
        size_t amd_jobs = 0;
        size_t performance = 0;
        for (size_t i = 0; i < trace.count; i++) {
            check_job(&trace.jobs[i], last_s, seed % 2 ? 2 : 1);
            last_s = trace.jobs[i].submit_s;
            gpu_jobs += trace.jobs[i].gpu_count > 0;
            amd_jobs += trace.jobs[i].gpu_vendor && strcmp(trace.jobs[i].gpu_vendor, "amd") == 0;
            performance += trace.jobs[i].is_performance;
        }
        assert_true(gpu_jobs > trace.count / 5 && gpu_jobs < trace.count);
        assert_true(amd_jobs > gpu_jobs / 10 && amd_jobs < gpu_jobs / 2);
        assert_true(performance > trace.count / 10 && performance < trace.count);
        jl_trace_clear(&trace);
        joulie_free(text);
    }
}

static void a_seed_is_a_trace(void **state)
{
    static const char *const modes[] = { "default", "diurnal" };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct joulie_workload_options options = options_of(modes[i], 42);
        char *first = make(&options);
        char *again = make(&options);
        options.seed = 43;
        char *other = make(&options);
        assert_string_equal(first, again);
        assert_true(strcmp(first, other) != 0);
        joulie_free(first);
        joulie_free(again);
        joulie_free(other);
    }
}

/* Arrivals follow the day: the hours around noon bring several times as many as those before dawn.
 */
static void arrivals_follow_the_day(void **state)
{
    struct joulie_workload_options options = options_of("default", 5);
    size_t night = 0;
    size_t noon = 0;
    (void)state;
    options.hours = 24;
    options.jobs = 5000;
    char *text = make(&options);
    struct jl_trace trace;
    read_back(text, &trace);
    for (size_t i = 0; i < trace.count; i++) {
        const double hour = trace.jobs[i].submit_s / 3600;
        assert_true(hour <= 24);
        night += hour >= 1 && hour < 4;
        noon += hour >= 9 && hour < 12;
    }
    assert_true(noon > 4 * night);
    jl_trace_clear(&trace);
    joulie_free(text);
}

/* Gangs come whole, and performance pods say so twice: by intent and by affinity. */
static void workloads_are_whole(void **state)
{
    const struct joulie_workload_options options = options_of("default", 6);
    char *text = make(&options);
    struct jl_trace trace;
    size_t gang_jobs = 0;
    (void)state;
    read_back(text, &trace);
    assert_true(trace.workload_records > 0 && trace.workload_records <= trace.count);
    for (size_t i = 0; i < trace.count; i++)
        gang_jobs += trace.jobs[i].is_gang;
    assert_true(gang_jobs > 10);
    const char *affinity = strstr(text, "\"operator\":\"NotIn\",\"values\":[\"eco\"]");
    assert_non_null(affinity);
    jl_trace_clear(&trace);
    joulie_free(text);
}

/* The defaults that joulie/sim.h gives. */
static void a_default_is_as_if_it_was_asked_for(void **state)
{
    struct joulie_workload_options options = options_of("diurnal", 7);
    options.has &= ~JOULIE_WORKLOAD_HAS_HOURS;
    options.peak_rate_per_min = 0.5; /* two days of a few jobs */
    char *by_default = make(&options);
    (void)state;
    options.has |= JOULIE_WORKLOAD_HAS_BURST_PROB | JOULIE_WORKLOAD_HAS_BURST_MIN |
                   JOULIE_WORKLOAD_HAS_BURST_MAX | JOULIE_WORKLOAD_HAS_MIN_GPUS |
                   JOULIE_WORKLOAD_HAS_WORK_SCALE | JOULIE_WORKLOAD_HAS_BASE_SPEED |
                   JOULIE_WORKLOAD_HAS_HOURS;
    options.burst_prob = 0.10;
    options.burst_min = 20;
    options.burst_max = 80;
    options.min_gpus = 0;
    options.work_scale = 1;
    options.base_speed = 2;
    options.hours = 48;
    char *asked = make(&options);
    assert_string_equal(by_default, asked);
    joulie_free(by_default);
    joulie_free(asked);
}

/* Also the seed, the rate and its bursts, of half an hour with many of them. */
static void a_rate_by_default_is_as_if_it_was_asked_for(void **state)
{
    static const char *const modes[] = { "default", "diurnal" };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(modes); i++) {
        struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
        options.mode = modes[i];
        if (i == 1) {
            options.has = JOULIE_WORKLOAD_HAS_HOURS;
            options.hours = 0.5;
        }
        char *by_default = make(&options);
        options.has |= JOULIE_WORKLOAD_HAS_SEED | JOULIE_WORKLOAD_HAS_PEAK_RATE |
                       JOULIE_WORKLOAD_HAS_BURST_PROB | JOULIE_WORKLOAD_HAS_BURST_MIN |
                       JOULIE_WORKLOAD_HAS_BURST_MAX | JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL;
        options.seed = 1;
        options.peak_rate_per_min = 80;
        options.burst_prob = 0.10;
        options.burst_min = 20;
        options.burst_max = 80;
        options.mean_inter_arrival_s = 5;
        char *asked = make(&options);
        assert_string_equal(by_default, asked);
        assert_non_null(strstr(asked, "\"jobId\""));
        joulie_free(by_default);
        joulie_free(asked);
    }
}

/* An empty trace but for three jobs: what is counted of GPUs. */
static void an_inspection_counts_gpus_by_vendor(void **state)
{
#define JOB(id, resource)                                                                \
    "{\"type\":\"job\",\"jobId\":\"" id "\",\"submitTimeOffsetSec\":0,\"podTemplate\":{" \
    "\"requests\":{\"cpu\":\"1\"" resource "}}}\n"
    static const char text[] = JOB("a", ",\"nvidia.com/gpu\":\"2\"")
        JOB("b", ",\"amd.com/gpu\":\"1\"") JOB("c", ",\"nvidia.com/gpu\":\"1\"") JOB("d", "");
    char *json = NULL;
    (void)state;
    assert_int_equal(joulie_workload_inspect(text, sizeof text - 1, 0, &json, NULL), JOULIE_OK);
    assert_non_null(strstr(json, "\"gpuJobs\":3,\"gpusRequested\":4,"));
    assert_non_null(strstr(json, "\"gpuVendors\":{\"amd\":1,\"nvidia\":2}"));
    joulie_free(json);
#undef JOB
}

static void bad_options_are_named(void **state)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_workload_options options = options_of("default", 1);
    char *text;
    (void)state;
    options.gpu_ratio = 1.5;
    assert_int_equal(joulie_workload_generate(&options, &text, &err), JOULIE_E_RANGE);
    assert_string_equal(err.where, "gpu-ratio");
    options = options_of("weekly", 1);
    assert_int_equal(joulie_workload_generate(&options, &text, &err), JOULIE_E_UNSUPPORTED);
    assert_string_equal(err.where, "mode");
    options = options_of("diurnal", 1);
    options.hours = 0;
    assert_int_equal(joulie_workload_generate(&options, &text, &err), JOULIE_E_REQUIRED);
    assert_string_equal(err.where, "hours");
}

/* Each option at both ends of its bounds, and just beyond them. */
static void options_have_bounds(void **state)
{
#define AT(member) offsetof(struct joulie_workload_options, member)

    static const struct {
        const char *where;
        uint64_t bit;
        size_t offset;
        bool is_whole;
        double low;
        double high; /* 0 = would take too long */
        double below;
        double above;
    } rows[] = {
        { "jobs", JOULIE_WORKLOAD_HAS_JOBS, AT(jobs), true, 0, 0, -1, 100000001 },
        { "hours", JOULIE_WORKLOAD_HAS_HOURS, AT(hours), false, 1e-9, 0, -1e-9, 87660.01 },
        { "max-duration", JOULIE_WORKLOAD_HAS_MAX_DURATION, AT(max_duration_s), false, 0,
          3600.0 * 87660, -1e-9, 3600.0 * 87660.01 },
        { "perf-ratio", JOULIE_WORKLOAD_HAS_PERF_RATIO, AT(perf_ratio), false, 0, 1, -1e-9, 1.001 },
        { "gpu-ratio", JOULIE_WORKLOAD_HAS_GPU_RATIO, AT(gpu_ratio), false, 0, 1, -1e-9, 1.001 },
        { "amd-gpu-ratio", JOULIE_WORKLOAD_HAS_AMD_RATIO, AT(amd_ratio), false, 0, 1, -1e-9,
          1.001 },
        { "mean-inter-arrival", JOULIE_WORKLOAD_HAS_MEAN_INTER_ARRIVAL, AT(mean_inter_arrival_s),
          false, 0, 3600.0 * 87660, -1e-9, 3600.0 * 87660.01 },
        { "peak-rate", JOULIE_WORKLOAD_HAS_PEAK_RATE, AT(peak_rate_per_min), false, 0, 0, -1e-9,
          1.001e9 },
        { "burst-prob", JOULIE_WORKLOAD_HAS_BURST_PROB, AT(burst_prob), false, 0, 1, -1e-9, 1.001 },
        { "burst-min", JOULIE_WORKLOAD_HAS_BURST_MIN, AT(burst_min), true, 1, 80, 0, 100000001 },
        { "burst-max", JOULIE_WORKLOAD_HAS_BURST_MAX, AT(burst_max), true, 20, 0, 0, 100000001 },
        { "min-gpu-request", JOULIE_WORKLOAD_HAS_MIN_GPUS, AT(min_gpus), true, 0, 1024, -1, 1025 },
        { "base-speed", JOULIE_WORKLOAD_HAS_BASE_SPEED, AT(base_speed), false, 0, 1e9, -1e-9,
          1.001e9 },
        { "work-scale", JOULIE_WORKLOAD_HAS_WORK_SCALE, AT(work_scale), false, 0, 1e9, -1e-9,
          1.001e9 },
        { "training-perf-ratio", JOULIE_WORKLOAD_HAS_TRAINING_PERF_RATIO, AT(training_perf_ratio),
          false, 0, 1, -1e-9, 1.001 },
        { "nodes", JOULIE_WORKLOAD_HAS_NODES, AT(nodes), true, 0, 1000000, -1, 1000001 },
    };

#undef AT
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const double values[] = { rows[i].low, rows[i].high, rows[i].below, rows[i].above };
        for (size_t k = 0; k < JL_COUNT(values); k++) {
            struct joulie_error err = JOULIE_INIT(struct joulie_error);
            struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
            char *trace = NULL;
            options.mode = "diurnal";
            options.has = JOULIE_WORKLOAD_HAS_HOURS | JOULIE_WORKLOAD_HAS_PEAK_RATE | rows[i].bit;
            options.hours = 0.01;
            options.peak_rate_per_min = 1;
            char *member = (char *)&options + rows[i].offset;
            if (rows[i].is_whole)
                *(int64_t *)(void *)member = (int64_t)values[k];
            else
                *(double *)(void *)member = values[k];
            if (k == 1 && values[k] == 0)
                continue;
            const int rc = joulie_workload_generate(&options, &trace, &err);
            if (rc != (k < 2 ? JOULIE_OK : JOULIE_E_RANGE))
                fail_msg("%s = %g: %d", rows[i].where, values[k], rc);
            assert_string_equal(err.where, k < 2 ? "" : rows[i].where);
            joulie_free(trace);
        }
    }
}

/* ---- for given machines ---- */

/* GPUs of half the speed of an H100 SXM, cores of one and a half of a 9654's. */
#define SPEEDS "cpu_cores: 192, cpu_relative_speed: 1.5, gpu_relative_speed: 0.5"

static const char machines[] =
    "nodes:\n"
    "  - {node_name_prefix: h, replicas: 12, vendor: nvidia, product: NVIDIA H100 NVL, " SPEEDS
    ", gpu_count: 8}\n"
    "  - {node_name_prefix: m, replicas: 4, vendor: amd, product: AMD Instinct MI300X, " SPEEDS
    ", gpu_count: 8}\n"
    "  - {node_name_prefix: w, replicas: 6, vendor: amd, product: AMD Radeon PRO W7900, " SPEEDS
    ", gpu_count: 4}\n"
    "  - {node_name_prefix: c, replicas: 8, " SPEEDS "}\n";

static struct joulie_workload_options for_machines(double load, uint64_t seed)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    options.mode = "diurnal";
    options.has = JOULIE_WORKLOAD_HAS_SEED | JOULIE_WORKLOAD_HAS_HOURS |
                  JOULIE_WORKLOAD_HAS_MAX_DURATION | JOULIE_WORKLOAD_HAS_GPU_RATIO |
                  JOULIE_WORKLOAD_HAS_BURST_MIN | JOULIE_WORKLOAD_HAS_BURST_MAX |
                  JOULIE_WORKLOAD_HAS_BASE_SPEED | JOULIE_WORKLOAD_HAS_LOAD;
    options.seed = seed;
    options.hours = 22;
    options.max_duration_s = 7200;
    options.gpu_ratio = 0.6;
    options.burst_min = 2;
    options.burst_max = 6;
    options.base_speed = 1;
    options.load = load;
    options.inventory = machines;
    options.inventory_len = sizeof machines - 1;
    return options;
}

/* Mean share of the GPUs and of the cores that a LeastAllocated run has allocated, looked at every
 * two minutes of the hours. */
static void allocation_of(const char *trace, double hours, double *out_gpus, double *out_cores)
{
    static const char policy[] = "{\"type\":\"static_partition\",\"staticHpFrac\":1}";
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim *sim;
    double gpus = 0;
    double cores = 0;
    double looks = 0;
    options.inventory = machines;
    options.inventory_len = sizeof machines - 1;
    options.trace = trace;
    options.trace_len = strlen(trace);
    options.policy = policy;
    options.policy_len = sizeof policy - 1;
    options.placement = "least-allocated";
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), 0);
    for (double at_s = 60; at_s < hours * 3600; at_s += 120) {
        assert_int_equal(joulie_sim_run_until(sim, at_s, NULL), 0);
        assert_int_equal(joulie_sim_get_view(sim, &view, NULL), 0);
        gpus += (double)view.gpus_requested / (double)view.gpus;
        cores += view.cores_requested / (double)view.cores;
        looks++;
    }
    assert_int_equal(view.unplaced, 0);
    joulie_sim_free(sim);
    *out_gpus = gpus / looks;
    *out_cores = cores / looks;
}

/* Of the scarcest resource, the GPUs, and with 0 GPUs of the cores. At 60 % jobs wait in the hours
 * of the peak, and some of their work is done behind the end. */
static void a_load_is_what_a_run_allocates(void **state)
{
    static const double loads[] = { 0.2, 0.4, 0.6 };
    static const double below[] = { 0.01, 0.05, 0.15 }; /* as a share of the load */
    (void)state;
    for (size_t i = 0; i < JL_COUNT(loads); i++) {
        struct joulie_workload_options options = for_machines(loads[i], i + 1);
        double gpus;
        double cores;
        char *trace = make(&options);
        allocation_of(trace, options.hours, &gpus, &cores);
        if (gpus < loads[i] * (1 - below[i]) || gpus > loads[i] * 1.01 || cores > gpus)
            fail_msg("load %g: %g of the GPUs, %g of the cores", loads[i], gpus, cores);
        joulie_free(trace);
        options.gpu_ratio = 0;
        trace = make(&options);
        allocation_of(trace, options.hours, &gpus, &cores);
        if (gpus > 0 || cores < loads[i] * 0.99 || cores > loads[i] * 1.01)
            fail_msg("load %g: %g of the cores", loads[i], cores);
        joulie_free(trace);
    }
}

/*
 * GPUs by vendor: 96 of NVIDIA, 56 of AMD; of those that a job of 8 can get 96 and 32. So 56/152 of
 * the jobs with up to 4 GPUs ask for AMD, and 32/128 of those with 8.
 */
static void amd_jobs_are_as_many_as_their_machines_take(void **state)
{
    struct joulie_workload_options options = for_machines(0.5, 3);
    struct jl_trace trace;
    double jobs[2] = { 0 };
    double amd[2] = { 0 };
    (void)state;
    options.hours = 400;
    char *text = make(&options);
    read_back(text, &trace);
    for (size_t i = 0; i < trace.count; i++) {
        const struct jl_trace_job *job = &trace.jobs[i];
        if (job->gpu_count == 0)
            continue;
        jobs[job->gpu_count == 8]++;
        amd[job->gpu_count == 8] += strcmp(job->gpu_vendor, "amd") == 0;
    }
    assert_true(jobs[0] > 2000 && jobs[1] > 500);
    assert_near(amd[0] / jobs[0], 56.0 / 152, 0.03);
    assert_near(amd[1] / jobs[1], 32.0 / 128, 0.05);
    jl_trace_clear(&trace);
    joulie_free(text);

    options.has |= JOULIE_WORKLOAD_HAS_AMD_RATIO; /* who says a share gets it */
    options.amd_ratio = 0;
    text = make(&options);
    assert_null(strstr(text, "amd.com/gpu"));
    joulie_free(text);
}

/* Another share of performance jobs changes the class of training jobs and nothing else. */
static void training_may_be_standard(void **state)
{
    struct joulie_workload_options options = options_of("diurnal", 9);
    struct jl_trace all;
    struct jl_trace some;
    double training = 0;
    double performance = 0;
    (void)state;
    options.hours = 24;
    char *first = make(&options);
    options.has |= JOULIE_WORKLOAD_HAS_TRAINING_PERF_RATIO;
    options.training_perf_ratio = 0.3;
    char *second = make(&options);
    read_back(first, &all);
    read_back(second, &some);
    assert_int_equal(all.count, some.count);
    for (size_t i = 0; i < all.count; i++) {
        const struct jl_trace_job *job = &some.jobs[i];
        assert_true(job->submit_s == all.jobs[i].submit_s);
        assert_true(job->cpu_units == all.jobs[i].cpu_units);
        if (strcmp(job->pod_role, "trainer") != 0) {
            assert_int_equal(job->is_performance, all.jobs[i].is_performance);
            continue;
        }
        assert_true(all.jobs[i].is_performance);
        training++;
        performance += job->is_performance;
    }
    assert_true(training > 500);
    assert_near(performance / training, 0.3, 0.05);
    jl_trace_clear(&all);
    jl_trace_clear(&some);
    joulie_free(first);
    joulie_free(second);
}

static void check_refused(const struct joulie_workload_options *options, int code,
                          const char *where)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *trace = NULL;
    const int rc = joulie_workload_generate(options, &trace, &err);
    if (rc != code || strcmp(err.where, where) != 0)
        fail_msg("%d at '%s': %s", rc, err.where, err.message);
}

static void a_load_needs_machines(void **state)
{
    static const char wrong[] = "nodes: [{node_name: n, cpu_cores: 0}]";
    struct joulie_workload_options options = for_machines(0.4, 1);
    (void)state;
    options.inventory = NULL;
    check_refused(&options, JOULIE_E_REQUIRED, "inventory");
    options = for_machines(0, 1);
    check_refused(&options, JOULIE_E_RANGE, "load");
    options = for_machines(2.001, 1);
    check_refused(&options, JOULIE_E_RANGE, "load");
    options = for_machines(0.4, 1);
    options.has |= JOULIE_WORKLOAD_HAS_PEAK_RATE;
    options.peak_rate_per_min = 1;
    check_refused(&options, JOULIE_E_CONFLICT, "load");
    options = for_machines(0.4, 1);
    options.has |= JOULIE_WORKLOAD_HAS_JOBS;
    options.jobs = 3; /* three jobs do not fill 22 hours */
    check_refused(&options, JOULIE_E_RANGE, "load");
    options = for_machines(0.4, 1);
    options.inventory = wrong;
    options.inventory_len = sizeof wrong - 1;
    check_refused(&options, JOULIE_E_RANGE, "inventory: nodes[0].cpu_cores");
    options = for_machines(0.4, 1);
    options.mode = NULL;
    check_refused(&options, JOULIE_E_CONFLICT, "inventory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_keep_what_was_asked_for),
        cmocka_unit_test(a_seed_is_a_trace),
        cmocka_unit_test(arrivals_follow_the_day),
        cmocka_unit_test(workloads_are_whole),
        cmocka_unit_test(a_default_is_as_if_it_was_asked_for),
        cmocka_unit_test(a_rate_by_default_is_as_if_it_was_asked_for),
        cmocka_unit_test(an_inspection_counts_gpus_by_vendor),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(options_have_bounds),
        cmocka_unit_test(a_load_is_what_a_run_allocates),
        cmocka_unit_test(amd_jobs_are_as_many_as_their_machines_take),
        cmocka_unit_test(training_may_be_standard),
        cmocka_unit_test(a_load_needs_machines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
