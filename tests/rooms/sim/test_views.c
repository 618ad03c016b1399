/* SPDX-License-Identifier: Apache-2.0 */

/* What a simulation shows of itself: objects of its machines,
 * jobs that are half done, whole hours, and power above the caps. */

#include <stdio.h>
#include <string.h>

#include <joulie/sim.h>

#include "sim/run.h"
#include "sim/summary.h"
#include "sim/world.h"

static const char inventory[] =
    "nodes:\n"
    "  - {node_name: g, vendor: nvidia, product: NVIDIA L40S, cpu: AMD EPYC_9654 v1.2_, cpu_cores: "
    "64, memory_gib: 256, gpu_count: 4}\n"
    "  - {node_name: c, cpu: AMD EPYC 9654, cpu_cores: 16, memory_gib: 64}\n";
/* 1.5 cores, 2 GPUs; the second one comes an hour later. */
static const char trace[] =
    "{\"type\":\"job\",\"jobId\":\"a\",\"submitTimeOffsetSec\":0,\"podTemplate\":{\"requests\":{"
    "\"cpu\":\"1500m\",\"memory\":\"1Gi\",\"nvidia.com/gpu\":\"2\"}},\"work\":{\"cpuUnits\":3000,"
    "\"gpuUnits\":4000}}\n"
    "{\"type\":\"job\",\"jobId\":\"b\",\"submitTimeOffsetSec\":3600,\"work\":{\"cpuUnits\":1e9}}\n";

static struct joulie_sim *open_sim(int is_external, double hours)
{
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_sim *sim = NULL;
    options.inventory = inventory;
    options.inventory_len = sizeof inventory - 1;
    options.trace = trace;
    options.trace_len = sizeof trace - 1;
    options.is_external = is_external;
    options.hours = hours;
    options.keeps_hours = 1;
    options.compare = !is_external;
    if (joulie_sim_new(&options, &sim, &err) != 0)
        fail_msg("%s: %s", err.where, err.message);
    return sim;
}

static void body_of(struct joulie_sim *sim, const char *what, char **out)
{
    *out = NULL;
    assert_int_equal(joulie_sim_body(sim, NULL, what, out, NULL), 0);
}

/* ---- objects ---- */

static void require(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("%s is not in %s", part, text);
}

/* A label value begins and ends with a letter or digit. */
static void a_machine_is_a_node_with_all_it_has(void **state)
{
    struct joulie_sim *sim = open_sim(1, 0);
    char *node = NULL;
    char *hardware = NULL;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(joulie_sim_objects(sim, i, &node, &hardware, NULL), 0);
        const bool has_gpus = strstr(node, "\"name\":\"g\"") != NULL;
        require(node, has_gpus
                          ? "\"capacity\":{\"cpu\":\"64\",\"memory\":\"256Gi\",\"pods\":\"110\","
                            "\"nvidia.com/gpu\":\"4\"}"
                          : "\"capacity\":{\"cpu\":\"16\",\"memory\":\"64Gi\",\"pods\":\"110\"}");
        require(hardware,
                has_gpus ? "\"gpuControl\":true,\"cpuTelemetry\":true,\"gpuTelemetry\":true"
                         : "\"gpuControl\":false,\"cpuTelemetry\":true,\"gpuTelemetry\":false");
        require(node, has_gpus ? "\"AMD-EPYC_9654-v1.2\"" : "\"AMD-EPYC-9654\"");
        joulie_free(node);
        joulie_free(hardware);
    }
    joulie_sim_free(sim);
}

/* expected has ' for ". */
static void assert_text(char *text, const char *expected)
{
    for (char *p = strchr(text, '"'); p; p = strchr(p, '"'))
        *p = '\'';
    assert_string_equal(text, expected);
}

/* A package's most is the larger of its TDP and half of the curve's peak, its least half of the
 * model's 80 W; devices are named by machine and number. */
static void the_objects_of_a_machine_are_these(void **state)
{
    static const char machines[] = "nodes: [{node_name: m, labels: {rack: r1}, vendor: amd, "
                                   "product: AMD Instinct MI300X, gpu_count: "
                                   "2, cpu: AMD EPYC 9654 96-Core Processor, cpu_sockets: 2, "
                                   "cpu_cores: 192, memory_gib: 768}]";
    static const char expected_node[] =
        "{'apiVersion':'v1','kind':'Node','metadata':{'name':'m',"
        "'labels':{'joulie.io/managed':'true',"
        "'joulie.io/hw.cpu-model':'AMD-EPYC-9654-96-Core-Processor',"
        "'joulie.io/hw.cpu-sockets':'2','joulie.io/hw.cpu-cores':'192',"
        "'joulie.io/hw.gpu-count':'2','feature.node.kubernetes.io/pci-1002.present':'true',"
        "'joulie.io/hw.gpu-model':'AMD-Instinct-MI300X',"
        "'joulie.io/gpu.product':'AMD-Instinct-MI300X',"
        "'amd.com/gpu.product':'AMD-Instinct-MI300X','rack':'r1',"
        "'kubernetes.io/hostname':'m'}},'status':{'capacity':{'cpu':'192','memory':'768Gi',"
        "'pods':'110','amd.com/gpu':'2'},'allocatable':{'cpu':'192','memory':'768Gi',"
        "'pods':'110','amd.com/gpu':'2'}}}";
    static const char expected_hardware[] =
        "{'apiVersion':'joulie.io/v1alpha1','kind':'NodeHardware','metadata':{'name':'m',"
        "'labels':{'joulie.io/managed-by':'joulie-simulator'}},'spec':{'nodeName':'m'},"
        "'status':{'cpu':{'rawModel':'AMD EPYC 9654 96-Core Processor','model':'AMD_EPYC_9654',"
        "'vendor':'AuthenticAMD','sockets':2,'totalCores':192,'coresPerSocket':96,"
        "'driverFamily':'amd-pstate','capRange':{'type':'package','minWattsPerSocket':40,"
        "'maxWattsPerSocket':408.5},'controlAvailable':true,'telemetryAvailable':true,"
        "'packages':[{'index':0,'minWatts':40,'maxWatts':408.5,'defaultWatts':408.5,"
        "'controllable':true,'locked':false},{'index':1,'minWatts':40,'maxWatts':408.5,"
        "'defaultWatts':408.5,'controllable':true,'locked':false}],'logicalCpus':192},"
        "'gpu':{'present':true,'rawModel':'AMD Instinct MI300X','model':'AMD_INSTINCT_MI300X',"
        "'vendor':'amd','count':2,'capRangePerGpu':{'minWatts':350,'maxWatts':750,"
        "'defaultWatts':750},'controlAvailable':true,'telemetryAvailable':true,"
        "'devices':[{'id':'GPU-m-0','rawModel':'AMD Instinct MI300X',"
        "'model':'AMD_INSTINCT_MI300X','minWatts':350,'maxWatts':750,'defaultWatts':750,"
        "'controllable':true},{'id':'GPU-m-1','rawModel':'AMD Instinct MI300X',"
        "'model':'AMD_INSTINCT_MI300X','minWatts':350,'maxWatts':750,'defaultWatts':750,"
        "'controllable':true}]},'memory':{'totalBytes':824633720832},"
        "'inventoryResolution':{'hardwareCatalogKey':{'cpu':'AMD_EPYC_9654',"
        "'gpu':'AMD_INSTINCT_MI300X'}},'capabilities':{'cpuControl':true,'gpuControl':true,"
        "'cpuTelemetry':true,'gpuTelemetry':true},'updatedAt':'2026-01-01T00:00:00Z'}}";
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    char *node = NULL;
    char *hardware = NULL;
    (void)state;
    options.inventory = machines;
    options.inventory_len = sizeof machines - 1;
    options.trace = trace;
    options.trace_len = sizeof trace - 1;
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), 0);
    assert_int_equal(joulie_sim_objects(sim, 0, &node, &hardware, NULL), 0);
    assert_text(node, expected_node);
    assert_text(hardware, expected_hardware);
    joulie_free(node);
    joulie_free(hardware);
    joulie_sim_free(sim);
}

/* ---- half-done work ---- */

/* Everybody outside lets every pod go everywhere. */
static void run_until(struct joulie_sim *sim, double until_s)
{
    struct joulie_sim_event event = JOULIE_INIT(struct joulie_sim_event);
    for (int found = 1; found;) {
        assert_int_equal(joulie_sim_next(sim, until_s, &event, &found, NULL), 0);
        if (found && event.kind == JOULIE_SIM_EVENT_PLACE)
            assert_int_equal(joulie_sim_answer(sim, NULL, NULL, event.candidate_count, NULL), 0);
    }
}

static double number_of(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    double value = 0;
    assert_non_null(at);
    assert_int_equal(sscanf(at + strlen(key), "\":%lf", &value), 1);
    return value;
}

static void what_is_left_of_a_job_is_less_than_all_of_it(void **state)
{
    struct joulie_sim *sim = open_sim(1, 0);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    (void)state;
    run_until(sim, 600);
    char *jobs;
    body_of(sim, "jobs", &jobs);
    char *nodes;
    body_of(sim, "nodes", &nodes);
    size_t count = 0;
    for (const char *job = jobs; (job = strstr(job, "\"jobId\":")) != NULL; job++)
        count++;
    assert_int_equal(count, 2);
    require(jobs, "\"count\":2");
    require(jobs, "\"jobId\":\"a\"");
    require(jobs, "\"jobId\":\"b\"");
    const char *a = strstr(jobs, "\"jobId\":\"a\"");
    assert_near(number_of(a, "cpuUnitsTotal"), 3000, 0);
    assert_true(number_of(a, "cpuUnitsRemaining") > 0);
    assert_true(number_of(a, "cpuUnitsRemaining") < 3000);
    assert_near(number_of(a, "gpuUnitsTotal"), 4000, 0);
    assert_true(number_of(a, "gpuUnitsRemaining") > 0);
    assert_true(number_of(a, "gpuUnitsRemaining") < 4000);
    require(nodes, "\"class\":\"default+");
    assert_int_equal(joulie_sim_get_view(sim, &view, NULL), 0);
    assert_near(view.cores_requested, 1.5, 0);
    assert_int_equal(view.gpus_requested, 2);
    joulie_free(jobs);
    joulie_free(nodes);
    joulie_sim_free(sim);
}

/* Of a node with GPUs both count; what the nodes used is what the cluster used. */
static void the_energy_of_the_nodes_adds_up(void **state)
{
    struct joulie_sim *sim = open_sim(1, 0);
    char *energy = NULL;
    (void)state;
    run_until(sim, 600);
    body_of(sim, "energy", &energy);
    const double gpu_node_j = number_of(energy, "\"g");
    const double cpu_node_j = number_of(energy, "\"c");
    assert_true(gpu_node_j > 0 && cpu_node_j > 0);
    assert_near(gpu_node_j + cpu_node_j, number_of(energy, "totalJoules"), 1e-6);
    joulie_free(energy);
    joulie_sim_free(sim);
}

/* ---- hours ---- */

static size_t lines(const char *text)
{
    size_t count = 0;
    for (const char *p = text; *p; p++)
        count += *p == '\n';
    return count;
}

/* Two runs of two nodes over two whole hours: a row for each, none for the hour that never began.
 */
static void whole_hours_are_whole_rows(void **state)
{
    struct joulie_sim *sim = open_sim(0, 2);
    char *csv = NULL;
    (void)state;
    assert_int_equal(joulie_sim_run_until(sim, 1e9, NULL), 0);
    assert_int_equal(joulie_sim_csv(sim, "nodes", &csv, NULL), 0);
    assert_int_equal(lines(csv), 1 + 2 * 2 * 2);
    joulie_free(csv);
    joulie_sim_free(sim);
}

/* ---- power above the caps ---- */

/* The 99th percentile by time: of 100 s 0.5 were at 10 %, 1 more at 5 %, so 5 % is where one second
 * is passed. */
static void the_99th_percentile_is_of_time(void **state)
{
    struct jl_sim_over over[] = { { 1, 10 }, { 10, 0.5 }, { 5, 1 } };
    struct jl_sim_fleet fleet = { .over = { .capped_s = 100, .items = over, .count = 3 } };
    double pct = -1;
    (void)state;
    assert_int_equal(jl_sim_overshoot_p99(&fleet, &pct), 1);
    assert_near(pct, 5, 0);
    struct jl_sim_over hundredth[] = { { 10, 1 - 0.99 } }; /* of a second: not more than 1 % */
    fleet = (struct jl_sim_fleet){ .over = { .capped_s = 1, .items = hundredth, .count = 1 } };
    assert_int_equal(jl_sim_overshoot_p99(&fleet, &pct), 1);
    assert_near(pct, 0, 0);
    fleet = (struct jl_sim_fleet){ .over = { .items = over } };
    pct = -1;
    assert_int_equal(jl_sim_overshoot_p99(&fleet, &pct), 0); /* nothing was capped */
    assert_near(pct, -1, 0);
}

/* What is not closed counts too: 10 s at 8 %, 5 s at the cap; nodes without a cap and intervals
 * that begin now do not. */
static void open_intervals_count_as_well(void **state)
{
    struct jl_sim_node nodes[] = {
        { .over_pct = 8, .over_since_s = 10 },
        { .over_pct = -1, .over_since_s = 0 },
        { .over_pct = 0, .over_since_s = 15 },
        { .over_pct = 40, .over_since_s = 20 },
    };
    struct jl_sim_fleet fleet = { .nodes = nodes, .node_count = 4, .now_s = 20 };
    double pct = -1;
    (void)state;
    assert_int_equal(jl_sim_overshoot_p99(&fleet, &pct), 1);
    assert_near(pct, 8, 0);
    nodes[0].over_since_s = 19.96; /* 0.04 s of 5.04 are less than one percent */
    assert_int_equal(jl_sim_overshoot_p99(&fleet, &pct), 1);
    assert_near(pct, 0, 0);
    nodes[2].over_pct = 5;
    assert_int_equal(jl_sim_overshoot_p99(&fleet, &pct), 1);
    assert_near(pct, 5, 0);
    fleet.now_s = 10; /* before any of them */
    nodes[0].over_since_s = 10;
    nodes[2].over_since_s = 10;
    nodes[3].over_since_s = 10;
    assert_int_equal(jl_sim_overshoot_p99(&fleet, &pct), 0);
}

static void work_may_differ_by_one_percent(void **state)
{
    static const struct {
        double cpu_units;
        double gpu_units;
        double energy_j;
        const char *why_not;
    } rows[] = {
        { 99, 99, 1, NULL },
        { 98.995, 99, 1, "the runs delivered different CPU work (by more than 1 %)" },
        { 99, 98.995, 1, "the runs delivered different GPU work (by more than 1 %)" },
        { 99, 99, 0, "the uncontrolled run used no energy" },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct joulie_sim_outcome controlled = { .cpu_units = rows[i].cpu_units,
                                                       .gpu_units = rows[i].gpu_units };
        const struct joulie_sim_outcome other = { .cpu_units = 100,
                                                  .gpu_units = 100,
                                                  .energy_j = rows[i].energy_j };
        const char *reason = jl_sim_no_saving(&controlled, &other);
        if (rows[i].why_not == NULL)
            assert_null(reason);
        else
            assert_string_equal(reason, rows[i].why_not);
    }
}

/* A count of pods is shown where one of the runs has any. */
static void a_summary_counts_what_happened_in_one_run(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct world world;
        struct jl_buffer buffer = { 0 };
        world_open(&world, &(struct world_options){
                               .inventory = "nodes: [{node_name: n, cpu_cores: 16}]",
                               .trace = "{'type':'job','jobId':'j','submitTimeOffsetSec':0,"
                                        "'work':{'cpuUnits':10}}\n",
                           });
        world_finish(&world);
        world.controlled.fleet.failed = i == 1 ? 2 : 0;
        world.uncontrolled.fleet.failed = i == 2 ? 3 : 0;
        const struct jl_sim_pair pair = world_pair(&world);
        assert_int_equal(jl_sim_put_summary(&buffer, &pair), 0);
        if (i == 0)
            assert_null(strstr(buffer.data, "podsFailed"));
        else
            require(buffer.data, i == 1 ? "\"podsFailed\":{\"controlled\":2,\"uncontrolled\":0}"
                                        : "\"podsFailed\":{\"controlled\":0,\"uncontrolled\":3}");
        jl_buffer_clear(&buffer);
        world_close(&world);
    }
}

/* Before a job has started there is no wait, before one has ended no makespan; without limits
 * nothing is above them. */
static void what_has_not_been_is_not_in_an_outcome(void **state)
{
    struct world world;
    struct joulie_sim_outcome out;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name: n, cpu_cores: 4, labels: "
                                        "{joulie.io/rack: r}}]",
                           .trace = "{'type':'job','jobId':'a','submitTimeOffsetSec':10,"
                                    "'work':{'cpuUnits':1000}}",
                       });
    const struct jl_sim_pair pair = world_pair(&world);
    for (double at_s = 5; at_s <= 50; at_s += 45) {
        world_run(&world, at_s);
        jl_sim_outcome_of(&pair, true, &out);
        assert_int_equal((out.has & JOULIE_SIM_OUTCOME_HAS_MEAN_WAIT) != 0, at_s > 10);
        assert_false(out.has & JOULIE_SIM_OUTCOME_HAS_MAKESPAN);
        assert_true(out.has & JOULIE_SIM_OUTCOME_HAS_PEAK_RACK_POWER);
        assert_false(out.has & JOULIE_SIM_OUTCOME_HAS_RACK_OVER_LIMIT);
        assert_false(out.has & JOULIE_SIM_OUTCOME_HAS_OVER_LIMIT);
    }
    world_finish(&world);
    jl_sim_outcome_of(&pair, true, &out);
    assert_true(out.has & JOULIE_SIM_OUTCOME_HAS_MAKESPAN);
    world_close(&world);
}

/* To the last byte, the last GPU and the last thousandth of a core; a job of no vendor takes any.
 */
static void a_job_fits_an_empty_machine(void **state)
{
    static const struct {
        struct jl_sim_shape shape;
        bool fits;
    } rows[] = {
        { { .millicores = 4000, .memory_bytes = 1000, .gpus = 2 }, true },
        { { .millicores = 4001, .memory_bytes = 1000, .gpus = 2 }, false },
        { { .millicores = 4000, .memory_bytes = 1001, .gpus = 2 }, false },
        { { .millicores = 4000, .memory_bytes = 1000, .gpus = 3 }, false },
        { { .gpus = 1, .gpu_vendor = JOULIE_GPU_VENDOR_NVIDIA }, true },
        { { .gpus = 1, .gpu_vendor = JOULIE_GPU_VENDOR_AMD }, false },
        { { .gpus = 0, .gpu_vendor = JOULIE_GPU_VENDOR_AMD }, true },
    };
    const struct jl_sim_family family = {
        .cores = 4, .memory_bytes = 1000, .gpus = 2, .gpu_vendor = "nvidia"
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        assert_int_equal(jl_sim_fits_empty(&rows[i].shape, &family), rows[i].fits);
}

/* ---- settings ---- */

static int code_with(void (*set)(struct joulie_sim_options *options, double value), double value)
{
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    options.inventory = inventory;
    options.inventory_len = sizeof inventory - 1;
    options.trace = trace;
    options.trace_len = sizeof trace - 1;
    set(&options, value);
    const int rc = joulie_sim_new(&options, &sim, NULL);
    joulie_sim_free(sim);
    return rc;
}

static void set_hours(struct joulie_sim_options *options, double value)
{
    options->hours = value;
}

static void set_it_limit(struct joulie_sim_options *options, double value)
{
    options->it_limit_w = value;
}

static void set_rack_limit(struct joulie_sim_options *options, double value)
{
    options->rack_limit_w = value;
}

static void set_weight(struct joulie_sim_options *options, double value)
{
    options->extender_weight = (int64_t)value;
}

static void settings_have_bounds(void **state)
{
    static const struct {
        void (*set)(struct joulie_sim_options *options, double value);
        double least;
        double most;
        double below;
        double above;
    } rows[] = {
        { set_hours, 0, 87660, -1, 87661 },
        { set_it_limit, 0, 1e12, -1, 1.001e12 },
        { set_rack_limit, 0, 1e12, -1, 1.001e12 },
        { set_weight, 0, 100, -1, 101 },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        assert_int_equal(code_with(rows[i].set, rows[i].least), JOULIE_OK);
        assert_int_equal(code_with(rows[i].set, rows[i].most), JOULIE_OK);
        assert_int_equal(code_with(rows[i].set, rows[i].below), JOULIE_E_RANGE);
        assert_int_equal(code_with(rows[i].set, rows[i].above), JOULIE_E_RANGE);
    }
}

/* An hour has 3600 s; what a simulation needs is asked for by name. */
static void a_simulation_ends_at_its_hours(void **state)
{
    struct joulie_sim *sim = open_sim(0, 0.25);
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    (void)state;
    assert_int_equal(joulie_sim_run_until(sim, 1e9, NULL), 0);
    assert_int_equal(joulie_sim_get_view(sim, &view, NULL), 0);
    assert_near(view.time_s, 900, 0);
    joulie_sim_free(sim);
    options.trace = trace;
    options.trace_len = sizeof trace - 1;
    assert_int_equal(joulie_sim_new(&options, &sim, &err), JOULIE_E_REQUIRED);
    assert_string_equal(err.where, "inventory");
    options.inventory = inventory;
    options.inventory_len = sizeof inventory - 1;
    options.trace = NULL;
    assert_int_equal(joulie_sim_new(&options, &sim, &err), JOULIE_E_REQUIRED);
    assert_string_equal(err.where, "trace");
}

/* A node counts only while its cap is in force, and what counts is what is above it. */
static void only_capped_nodes_can_be_above_their_cap(void **state)
{
    struct world world;
    (void)state;
    world_open(&world,
               &(struct world_options){
                   .inventory = "nodes: [{node_name_prefix: n, replicas: 4, cpu_cores: 16}]",
                   .trace = "{'type':'job','jobId':'j','work':{'cpuUnits':1e9}}\n",
                   .policy = "{'staticHpFrac':0}",
                   .hours = 1,
               });
    world_run(&world, 1800);
    size_t capped = 0;
    for (size_t i = 0; i < world.controlled.fleet.node_count; i++) {
        const struct jl_sim_node *node = &world.controlled.fleet.nodes[i];
        const struct jl_sim_node *free = &world.uncontrolled.fleet.nodes[i];
        assert_false(free->has_cpu_cap);
        assert_near(free->over_pct, -1, 0);
        if (!node->has_cpu_cap)
            continue;
        const double above = node->cpu.power_w / node->cpu_cap.target - 1;
        capped++;
        assert_near(node->over_pct, above > 0 ? 100 * above : 0, 1e-9);
    }
    assert_true(capped > 0);
    world_close(&world);
}

/* ---- tables ---- */

#define LINE(id, at_s, cores, units)                                                           \
    "{\"type\":\"job\",\"jobId\":\"" id "\",\"submitTimeOffsetSec\":" at_s ",\"work\":{" units \
    "},\"podTemplate\":{\"requests\":{\"cpu\":\"" cores "\"}},\"workloadProfile\":{"           \
    "\"cpuUtilization\":1}}\n"

/* At 200 s of a node of 16 cores: 40 units of 4 cores take 10 s, and GPU work that has no GPU makes
 * a job stall at once, so that it ends after 120 s. What has commas or quotes is quoted. */
static void a_table_says_where_every_job_is(void **state)
{
    static const char one[] = "nodes: [{node_name: n, cpu_cores: 16}]";
    static const char jobs[] = LINE("done, at 10 s", "0", "4", "\"cpuUnits\":40")
        LINE("failed", "0", "1", "\"gpuUnits\":5") LINE("late", "300", "1", "\"cpuUnits\":1")
            LINE("running", "0", "8", "\"cpuUnits\":16000")
                LINE("too \\\"large\\\"", "0", "17", "\"cpuUnits\":1")
                    LINE("waiting", "100", "9", "\"cpuUnits\":1");
    static const char *const rows[] = {
        "id,class,submitted_s,cpu_units,gpu_units,gpus,controlled_state,controlled_node,"
        "controlled_started_s,controlled_ended_s,controlled_cpu_units,controlled_gpu_units,"
        "controlled_slowdown\n",
        "\n\"done, at 10 s\",standard,0,40,0,0,completed,n,0,10,40,0,1\n",
        "\nfailed,standard,0,0,5,0,failed,n,0,120,0,0,\n",
        "\nlate,standard,300,1,0,0,future,,,,0,0,\n",
        "\nrunning,standard,0,16000,0,0,running,n,0,,1600,0,\n",
        "\n\"too \"\"large\"\"\",standard,0,1,0,0,unplaced,,,0,0,0,\n",
        "\nwaiting,standard,100,1,0,0,queued,,,,0,0,\n",
    };
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim *sim = NULL;
    char *text = NULL;
    (void)state;
    options.inventory = one;
    options.inventory_len = sizeof one - 1;
    options.trace = jobs;
    options.trace_len = sizeof jobs - 1;
    options.is_uncontrolled = 1;
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), 0);
    assert_int_equal(joulie_sim_run_until(sim, 200, NULL), 0);
    assert_int_equal(joulie_sim_csv(sim, "jobs", &text, NULL), 0);
    for (size_t i = 0; i < JL_COUNT(rows); i++)
        require(text, rows[i]);
    joulie_free(text);
    joulie_sim_free(sim);
}

/* What a run does not have is refused by name. */
static void nothing_is_read_of_a_run_that_is_not_there(void **state)
{
    struct joulie_sim *sim = open_sim(1, 0);
    struct joulie_sim_outcome outcome = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_sim_spread spread = JOULIE_INIT(struct joulie_sim_spread);
    struct joulie_sim_node_view node = JOULIE_INIT(struct joulie_sim_node_view);
    const enum joulie_sim_measure wait = JOULIE_SIM_MEASURE_WAIT;
    const enum joulie_sim_group all = JOULIE_SIM_GROUP_ALL;
    double pct = 0;
    (void)state;
    assert_int_equal(joulie_sim_get_outcome(sim, 0, &outcome, NULL), 0);
    assert_int_equal(joulie_sim_get_outcome(sim, 1, &outcome, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_sim_get_spread(sim, 0, wait, all, &spread, NULL), 0);
    assert_int_equal(joulie_sim_get_spread(sim, 1, wait, all, &spread, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_sim_get_spread(sim, 0, JOULIE_SIM_MEASURE_UNKNOWN, all, &spread, NULL),
                     JOULIE_E_ENUM);
    assert_int_equal(
        joulie_sim_get_spread(sim, 0, JOULIE_SIM_MEASURE_SLOWDOWN + 1, all, &spread, NULL),
        JOULIE_E_ENUM);
    assert_int_equal(joulie_sim_get_spread(sim, 0, wait, JOULIE_SIM_GROUP_UNKNOWN, &spread, NULL),
                     JOULIE_E_ENUM);
    assert_int_equal(joulie_sim_get_spread(sim, 0, wait, JOULIE_SIM_GROUP_GPU + 1, &spread, NULL),
                     JOULIE_E_ENUM);
    assert_int_equal(joulie_sim_get_spread(sim, 0, wait, JOULIE_SIM_GROUP_GPU, &spread, NULL), 0);
    assert_int_equal(joulie_sim_node_at(sim, 1, &node, NULL), 0);
    assert_int_equal(joulie_sim_node_at(sim, 2, &node, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_sim_objects(sim, 2, NULL, NULL, NULL), JOULIE_E_RANGE);
    assert_int_equal(joulie_sim_saving(sim, &pct, NULL), JOULIE_E_CONFLICT);
    joulie_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_is_a_node_with_all_it_has),
        cmocka_unit_test(the_objects_of_a_machine_are_these),
        cmocka_unit_test(what_is_left_of_a_job_is_less_than_all_of_it),
        cmocka_unit_test(the_energy_of_the_nodes_adds_up),
        cmocka_unit_test(whole_hours_are_whole_rows),
        cmocka_unit_test(the_99th_percentile_is_of_time),
        cmocka_unit_test(open_intervals_count_as_well),
        cmocka_unit_test(work_may_differ_by_one_percent),
        cmocka_unit_test(a_summary_counts_what_happened_in_one_run),
        cmocka_unit_test(what_has_not_been_is_not_in_an_outcome),
        cmocka_unit_test(a_job_fits_an_empty_machine),
        cmocka_unit_test(settings_have_bounds),
        cmocka_unit_test(a_simulation_ends_at_its_hours),
        cmocka_unit_test(only_capped_nodes_can_be_above_their_cap),
        cmocka_unit_test(a_table_says_where_every_job_is),
        cmocka_unit_test(nothing_is_read_of_a_run_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
