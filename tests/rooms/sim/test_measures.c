/* SPDX-License-Identifier: Apache-2.0 */

/* What a run reports of itself: energy in parts, peaks, times of jobs. Runs are small enough to be
 * worked out on paper. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/world.h"

#define COMPUTE                                    \
    "'workloadClass':{'cpu':'cpu.compute_bound'}," \
    "'workloadProfile':{'cpuUtilization':1,'memoryIntensity':0,'ioIntensity':0}"

#define JOB(id, at, units, cores, more)                                                     \
    "{'type':'job','jobId':'" id "','submitTimeOffsetSec':" at ",'work':{'cpuUnits':" units \
    "},'podTemplate':{'requests':{'cpu':'" cores "'}}," COMPUTE more "}\n"

#define ALL_ON "{'type':'static_partition','staticHpFrac':1}"

static double parts_of(const struct joulie_sim_outcome *out)
{
    return out->cpu_idle_busy_j + out->cpu_idle_empty_j + out->cpu_dynamic_j + out->cpu_off_j +
           out->gpu_idle_busy_j + out->gpu_idle_empty_j + out->gpu_dynamic_j + out->gpu_off_j;
}

/*
 * Two generic nodes (80 W idle, 420 W at most) and one job of 1000 s on all cores of one, from 100
 * s on: that node idles 100 s without and 1000 s with a job, and draws 340 W more for 1000 s; the
 * other idles for 1100 s.
 */
static void energy_is_split_by_what_a_node_does(void **state)
{
    struct world world;
    struct joulie_sim_outcome out;
    (void)state;
    world_open(&world,
               &(struct world_options){
                   .inventory = "nodes: [{node_name_prefix: n, replicas: 2, cpu_cores: 16}]",
                   .trace = JOB("j", "100", "16000", "16", ""),
                   .policy = ALL_ON,
               });
    world_finish(&world);
    const struct jl_sim_pair pair = world_pair(&world);
    jl_sim_outcome_of(&pair, true, &out);
    assert_true(out.cpu_idle_busy_j == 80 * 1000);
    assert_true(out.cpu_idle_empty_j == 80 * (100 + 1100));
    assert_true(out.cpu_dynamic_j == 340 * 1000);
    assert_true(out.cpu_off_j == 0 && out.gpu_dynamic_j == 0);
    assert_true(out.energy_j == 516000 && out.window_energy_j == 516000);
    assert_true(out.peak_power_w == 500 && out.power_w == 160);
    world_close(&world);
}

/*
 * Two generic nodes of 16 cores, one job of all cores and 1000 s each; n-1 is eco and capped to 60
 * % of its 420 W. The cap makes the controlled run end later; up to that time both uncontrolled
 * machines go on at 80 W.
 */
#define ONE_ECO                                                                 \
    .inventory = "nodes: [{node_name_prefix: n, replicas: 2, cpu_cores: 16}]",  \
    .trace = JOB("a", "0", "16000", "16", "") JOB("b", "0", "16000", "16", ""), \
    .policy = "{'type':'static_partition','staticHpFrac':0.5}", .placement = WORLD_LEAST_ALLOCATED

static void both_runs_are_charged_for_the_same_time(void **state)
{
    struct world world;
    struct joulie_sim_outcome ours;
    struct joulie_sim_outcome other;
    double saved_pct;
    (void)state;
    world_open(&world, &(struct world_options){ ONE_ECO });
    world_finish(&world);
    const struct jl_sim_pair pair = world_pair(&world);
    jl_sim_outcome_of(&pair, false, &ours);
    jl_sim_outcome_of(&pair, true, &other);
    assert_true(ours.time_s > 1100 && other.time_s == 1000);
    assert_true(ours.window_s == ours.time_s && other.window_s == ours.time_s);
    assert_true(ours.window_energy_j == ours.energy_j);
    assert_true(other.energy_j == 840000);
    assert_near(other.window_energy_j, 840000 + 160 * (ours.time_s - 1000), 1e-3);
    assert_null(jl_sim_saving(&pair, &saved_pct));
    assert_near(saved_pct, 100 * (1 - ours.energy_j / other.window_energy_j), 1e-12);
    world_close(&world);

    world_open(&world, &(struct world_options){ ONE_ECO, .physics = JL_PHYSICS_V0_1_1 });
    world_finish(&world);
    const struct jl_sim_pair source = world_pair(&world);
    jl_sim_outcome_of(&source, false, &ours);
    jl_sim_outcome_of(&source, true, &other);
    assert_true(other.window_energy_j > other.energy_j);
    assert_null(jl_sim_saving(&source, &saved_pct));
    assert_near(saved_pct, 100 * (1 - ours.energy_j / other.energy_j), 1e-12);
    world_close(&world);
}

#define MIXED                                                                                    \
    "nodes:\n"                                                                                   \
    "  - {node_name_prefix: g, replicas: 3, vendor: nvidia, product: NVIDIA H100 NVL, cpu: AMD " \
    "EPYC 9654, cpu_cores: 192, gpu_count: 8, labels: {joulie.io/rack: a}}\n"                    \
    "  - {node_name_prefix: c, replicas: 3, cpu: AMD EPYC 9965, cpu_cores: 384, "                \
    "labels: {joulie.io/rack: b}}\n"                                                             \
    "  - {node_name_prefix: d, replicas: 2, cpu_cores: 64}\n"

static char *make_trace(uint64_t seed)
{
    struct joulie_workload_options options = JOULIE_INIT(struct joulie_workload_options);
    char *trace = NULL;
    options.has = JOULIE_WORKLOAD_HAS_JOBS | JOULIE_WORKLOAD_HAS_HOURS | JOULIE_WORKLOAD_HAS_SEED |
                  JOULIE_WORKLOAD_HAS_GPU_RATIO | JOULIE_WORKLOAD_HAS_MAX_DURATION;
    options.jobs = 300;
    options.hours = 3;
    options.seed = seed;
    options.gpu_ratio = 0.5;
    options.max_duration_s = 3600;
    assert_int_equal(joulie_workload_generate(&options, &trace, NULL), 0);
    return trace;
}

/* Whatever the order: over parts, over nodes, over families, over hours, and against what the nodes
 * say by themselves. */
static void check_sums(const struct world *world, bool is_uncontrolled)
{
    const struct jl_sim_pair pair = world_pair(world);
    const struct jl_sim_fleet *fleet = is_uncontrolled ? pair.uncontrolled : pair.controlled;
    struct joulie_sim_outcome out;
    struct jl_sim_family_energy families[3] = { { .nodes = 0 } };
    double total_j = 0;
    jl_sim_outcome_of(&pair, is_uncontrolled, &out);
    assert_true(parts_of(&out) == out.window_energy_j);
    assert_true(out.gpu_off_j + out.cpu_dynamic_j + out.gpu_idle_empty_j + out.cpu_idle_busy_j +
                    out.gpu_dynamic_j + out.cpu_off_j + out.cpu_idle_empty_j +
                    out.gpu_idle_busy_j ==
                out.window_energy_j);
    for (size_t i = fleet->node_count; i-- > 0;)
        total_j += jl_sim_energy_j(&fleet->nodes[i].gpu, out.window_s) +
                   jl_sim_energy_j(&fleet->nodes[i].cpu, out.window_s);
    assert_true(total_j == out.window_energy_j);
    jl_sim_energy_by_family(fleet, out.window_s, families);
    total_j = 0;
    for (size_t i = 0; i < 3; i++)
        total_j += jl_sim_sum_j(families[i].energy.gpu_j) + jl_sim_sum_j(families[i].energy.cpu_j);
    assert_true(total_j == out.window_energy_j);
    assert_int_equal(families[0].nodes, 3);
    assert_int_equal(families[2].nodes, 2);
}

/* And no job is slower where nobody caps. */
static void energy_adds_up_to_the_last_bit(void **state)
{
    struct world world;
    char *trace = make_trace(5);
    (void)state;
    world_open(&world, &(struct world_options){ .inventory = MIXED, .trace = trace });
    for (double at_s = 0; !world.controlled.is_finished || !world.uncontrolled.is_finished;
         at_s += 977) {
        world_run(&world, at_s);
        check_sums(&world, false);
        check_sums(&world, true);
    }
    struct joulie_sim_spread spread[JL_SIM_GROUPS];
    assert_int_equal(jl_sim_spread(&world.uncontrolled.fleet, JOULIE_SIM_MEASURE_SLOWDOWN, spread),
                     0);
    assert_true(spread[JOULIE_SIM_GROUP_ALL].mean == 1 && spread[JOULIE_SIM_GROUP_GPU].max == 1);
    world_close(&world);
    joulie_free(trace);
}

/* The sum that is kept by its changes is the sum over the nodes, and the peak is the largest that
 * any look at the run shows. */
static void power_of_supplies_follows_the_nodes(void **state)
{
    struct world world;
    char *trace = make_trace(6);
    double most_w = 0;
    (void)state;
    world_open(&world, &(struct world_options){ .inventory = MIXED, .trace = trace });
    const struct jl_sim_fleet *fleet = &world.uncontrolled.fleet;
    assert_int_equal(fleet->supply_count, 3);
    for (double at_s = 0; !world.uncontrolled.is_finished; at_s += 61) {
        double rack_w[3] = { 0 };
        world_run(&world, at_s);
        for (size_t i = 0; i < fleet->node_count; i++)
            rack_w[fleet->nodes[i].rack] +=
                fleet->nodes[i].cpu.power_w + fleet->nodes[i].gpu.power_w;
        assert_near(jl_sim_supply_power_w(&fleet->supplies[0]), jl_sim_it_power_w(fleet), 1e-4);
        assert_near(jl_sim_supply_power_w(&fleet->supplies[1]), rack_w[1], 1e-4);
        assert_near(jl_sim_supply_power_w(&fleet->supplies[2]), rack_w[2], 1e-4);
        most_w =
            fmax(most_w, world.uncontrolled.event_s < fleet->now_s ? jl_sim_it_power_w(fleet) : 0);
    }
    const double peak_w = jl_sim_supply_peak_w(&fleet->supplies[0], fleet->now_s);
    assert_true(peak_w >= most_w - 1e-4 && peak_w < 1.1 * most_w);
    world_close(&world);
    joulie_free(trace);
}

static void expect_both(const char *summary, const char *key, double controlled,
                        double uncontrolled)
{
    char start[64];
    double found[2] = { -1, -1 };
    snprintf(start, sizeof start, "\"%s\":", key);
    const char *at = strstr(summary, start);
    assert_non_null(at);
    sscanf(at + strlen(start), "{\"controlled\":%lf,\"uncontrolled\":%lf}", &found[0], &found[1]);
    assert_near(found[0], controlled, 1e-9);
    assert_near(found[1], uncontrolled, 1e-9);
}

/*
 * Two generic nodes of 16 cores in a rack, 80 W idle. Job a fills a node from 0 to 100 s, b the
 * other one from 50 to 150 s: 500 W, 840 W from 50 to 100 s, 500 W. Above 600 W for 50 s, above 500
 * W for 50 s too: a limit that is met is kept.
 */
static void time_above_a_limit_is_counted(void **state)
{
    static const char inventory[] = "nodes: [{node_name_prefix: n, replicas: 2, cpu_cores: 16, "
                                    "labels: {joulie.io/rack: r}}, {node_name: z, cpu_cores: 16}]";
    static const char trace[] =
        "{\"type\":\"job\",\"jobId\":\"a\",\"submitTimeOffsetSec\":0,\"work\":{\"cpuUnits\":1600},"
        "\"podTemplate\":{\"requests\":{\"cpu\":\"16\"}},\"workloadClass\":{\"cpu\":\"cpu.compute_"
        "bound\"},\"workloadProfile\":{\"cpuUtilization\":1,\"memoryIntensity\":0,\"ioIntensity\":"
        "0}}\n"
        "{\"type\":\"job\",\"jobId\":\"b\",\"submitTimeOffsetSec\":50,\"work\":{\"cpuUnits\":1600},"
        "\"podTemplate\":{\"requests\":{\"cpu\":\"16\"}},\"workloadClass\":{\"cpu\":\"cpu.compute_"
        "bound\"},\"workloadProfile\":{\"cpuUtilization\":1,\"memoryIntensity\":0,\"ioIntensity\":"
        "0}}\n";
    struct joulie_sim_options options = JOULIE_INIT(struct joulie_sim_options);
    struct joulie_sim_outcome out = JOULIE_INIT(struct joulie_sim_outcome);
    struct joulie_sim *sim;
    char *summary = NULL;
    (void)state;
    options.inventory = inventory;
    options.inventory_len = sizeof inventory - 1;
    options.trace = trace;
    options.trace_len = sizeof trace - 1;
    options.compare = 1;
    options.it_limit_w = 580;
    options.rack_limit_w = 839.99;
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), 0);
    assert_int_equal(joulie_sim_run_until(sim, (double)INFINITY, NULL), 0);
    assert_int_equal(joulie_sim_get_outcome(sim, 1, &out, NULL), 0);
    assert_true(out.peak_power_w == 920 && out.peak_rack_power_w == 840);
    assert_true(out.has & JOULIE_SIM_OUTCOME_HAS_OVER_LIMIT);
    assert_true(out.has & JOULIE_SIM_OUTCOME_HAS_PEAK_RACK_POWER);
    assert_true(out.has & JOULIE_SIM_OUTCOME_HAS_RACK_OVER_LIMIT);
    assert_true(out.over_limit_s == 50 && out.rack_over_limit_s == 50);
    struct joulie_sim_outcome own = JOULIE_INIT(struct joulie_sim_outcome);
    assert_int_equal(joulie_sim_get_outcome(sim, 0, &own, NULL), 0);
    assert_int_equal(joulie_sim_summary(sim, &summary, NULL), 0);
    expect_both(summary, "peakPowerW", own.peak_power_w, 920);
    expect_both(summary, "overLimitS", own.over_limit_s, 50);
    expect_both(summary, "peakRackPowerW", own.peak_rack_power_w, 840);
    expect_both(summary, "rackOverLimitS", own.rack_over_limit_s, 50);
    joulie_free(summary);
    joulie_sim_free(sim);
    options.it_limit_w = 500; /* each has its own: 580 W and more for 150 s */
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), 0);
    assert_int_equal(joulie_sim_run_until(sim, (double)INFINITY, NULL), 0);
    assert_int_equal(joulie_sim_get_outcome(sim, 1, &out, NULL), 0);
    assert_true(out.over_limit_s == 150 && out.rack_over_limit_s == 50);
    joulie_sim_free(sim);
    options.it_limit_w = -1;
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), JOULIE_E_RANGE);
    options.it_limit_w = 0;
    options.rack_limit_w = (double)NAN;
    assert_int_equal(joulie_sim_new(&options, &sim, NULL), JOULIE_E_RANGE);
}

/* In units of 2^-20 W, of which a half is one more; what lasts no time is no peak; without a limit
 * nothing is above it. */
static void a_supply_counts_power_in_units(void **state)
{
    const double unit_w = 1.0 / 1048576;
    struct jl_sim_supply supply = { .limit_w = 0 };
    (void)state;
    jl_sim_supply_change(&supply, 0, 7.497 * unit_w, 0);
    assert_true(jl_sim_supply_power_w(&supply) == 7 * unit_w);
    jl_sim_supply_change(&supply, 0, 7.503 * unit_w, 0);
    assert_true(jl_sim_supply_power_w(&supply) == 15 * unit_w);
    jl_sim_supply_change(&supply, 7.5 * unit_w, 0, 0);
    assert_true(jl_sim_supply_power_w(&supply) == 7 * unit_w);

    supply = (struct jl_sim_supply){ .limit_w = 0 };
    jl_sim_supply_change(&supply, 0, 5, 10);
    jl_sim_supply_change(&supply, 5, 2, 10);
    assert_true(jl_sim_supply_peak_w(&supply, 10) == 0);
    assert_true(jl_sim_supply_peak_w(&supply, 11) == 2);
    jl_sim_supply_change(&supply, 2, 1, 12);
    assert_true(jl_sim_supply_peak_w(&supply, 20) == 2);
    assert_true(jl_sim_supply_over_s(&supply, 20) == 0);

    supply = (struct jl_sim_supply){ .limit_w = 2 };
    jl_sim_supply_change(&supply, 0, 2, 0);
    assert_true(jl_sim_supply_over_s(&supply, 10) == 0);
    jl_sim_supply_change(&supply, 2, 2 + unit_w, 10);
    assert_true(jl_sim_supply_over_s(&supply, 13) == 3);
}

/*
 * Twenty jobs of 16 cores and 100 s, all at 0 s, on one node of 16 cores: job i (from 1) waits
 * 100 (i - 1) s and is there for 100 i s. Nearest rank of 20: P50 is the 10th, P95 the 19th, P99
 * the 20th. The last five are performance jobs (names sort behind the others).
 */
static void times_of_jobs_are_ranked(void **state)
{
    struct world world;
    struct joulie_sim_spread spread[JL_SIM_GROUPS];
    struct jl_buffer trace = { 0 };
    (void)state;
    for (int i = 0; i < 20; i++) {
        jl_put_string(&trace, "{'type':'job','jobId':'j-");
        jl_put_char(&trace, (char)('a' + i));
        jl_put_string(&trace,
                      i < 15 ? "','intentClass':'standard'" : "','intentClass':'performance'");
        jl_put_string(&trace, ",'submitTimeOffsetSec':0,'work':{'cpuUnits':1600},'podTemplate':"
                              "{'requests':{'cpu':'16'}}," COMPUTE "}\n");
    }
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name: n, cpu_cores: 16}]",
                           .trace = trace.data,
                           .policy = ALL_ON,
                       });
    world_finish(&world);
    assert_int_equal(jl_sim_spread(&world.controlled.fleet, JOULIE_SIM_MEASURE_WAIT, spread), 0);
    const struct joulie_sim_spread *all = &spread[JOULIE_SIM_GROUP_ALL];
    assert_int_equal(all->jobs, 20);
    assert_true(all->mean == 950 && all->p50 == 900 && all->p95 == 1800 && all->p99 == 1900 &&
                all->max == 1900);
    const struct joulie_sim_spread *few = &spread[JOULIE_SIM_GROUP_PERFORMANCE];
    assert_int_equal(few->jobs, 5);
    assert_true(few->mean == 1700 && few->p50 == 1700 && few->p95 == 1900 && few->max == 1900);
    assert_int_equal(spread[JOULIE_SIM_GROUP_STANDARD].jobs, 15);
    assert_true(spread[JOULIE_SIM_GROUP_STANDARD].p50 == 700);
    assert_int_equal(spread[JOULIE_SIM_GROUP_CPU].jobs, 20);
    assert_int_equal(spread[JOULIE_SIM_GROUP_GPU].jobs, 0);
    assert_true(spread[JOULIE_SIM_GROUP_GPU].mean == 0);
    assert_int_equal(jl_sim_spread(&world.controlled.fleet, JOULIE_SIM_MEASURE_JOB_TIME, spread),
                     0);
    assert_true(all->mean == 1050 && all->p50 == 1000 && all->p95 == 1900 && all->max == 2000);
    assert_int_equal(jl_sim_spread(&world.controlled.fleet, JOULIE_SIM_MEASURE_SLOWDOWN, spread),
                     0);
    assert_true(all->mean == 1 && all->p50 == 1 && all->max == 1);
    jl_buffer_clear(&trace);
    world_close(&world);
}

/* Of 99 jobs one after another the ranks are 50, 95 (94.05 and more) and 99 (98.01 and more). */
static void ranks_are_rounded_up(void **state)
{
    struct world world;
    struct joulie_sim_spread spread[JL_SIM_GROUPS];
    struct jl_buffer trace = { 0 };
    (void)state;
    for (int i = 0; i < 99; i++) {
        jl_put_string(&trace, "{'type':'job','jobId':'j-");
        jl_put_char(&trace, (char)('0' + i / 10));
        jl_put_char(&trace, (char)('0' + i % 10));
        jl_put_string(&trace, "','work':{'cpuUnits':160},'podTemplate':{'requests':{'cpu':'16'}}"
                              "," COMPUTE "}\n");
    }
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name: n, cpu_cores: 16}]",
                           .trace = trace.data,
                           .policy = ALL_ON,
                       });
    world_finish(&world);
    assert_int_equal(jl_sim_spread(&world.controlled.fleet, JOULIE_SIM_MEASURE_WAIT, spread), 0);
    assert_true(spread[JOULIE_SIM_GROUP_ALL].p50 == 490 &&
                spread[JOULIE_SIM_GROUP_ALL].p95 == 940 && spread[JOULIE_SIM_GROUP_ALL].p99 == 980);
    jl_buffer_clear(&trace);
    world_close(&world);
}

/*
 * Slowdown is the machine's doing: the wait for a node or for the gang's last member is not in it,
 * a cap is. The eco node of both_runs_are_charged_for_the_same_time() runs the job in time_s.
 */
static void slowdown_is_what_caps_cost(void **state)
{
    struct world world;
    double slowdown;
    (void)state;
    world_open(&world, &(struct world_options){ ONE_ECO });
    world_finish(&world);
    const struct jl_sim_fleet *fleet = &world.controlled.fleet;
    assert_true(jl_sim_measure(fleet, 0, JOULIE_SIM_MEASURE_SLOWDOWN, &slowdown) && slowdown == 1);
    assert_true(jl_sim_measure(fleet, 1, JOULIE_SIM_MEASURE_SLOWDOWN, &slowdown));
    assert_near(slowdown, fleet->now_s / 1000, 1e-6);
    assert_true(slowdown > 1.1);
    world_close(&world);

#define GANG(id, at) JOB(id, at, "1600", "16", ",'workloadId':'w','gang':true")
    world_open(&world,
               &(struct world_options){
                   .inventory = "nodes: [{node_name_prefix: n, replicas: 2, cpu_cores: 16}]",
                   .trace = JOB("g", "0", "800", "16", "") GANG("w-0", "0") GANG("w-1", "0"),
                   .policy = ALL_ON,
               });
    world_finish(&world);
    for (size_t i = 0; i < 3; i++) {
        assert_true(
            jl_sim_measure(&world.controlled.fleet, i, JOULIE_SIM_MEASURE_SLOWDOWN, &slowdown));
        assert_true(slowdown == 1);
    }
    world_close(&world);
}

/* A job that is not over has no time yet, one without work no slowdown. */
static void what_has_not_happened_is_not_measured(void **state)
{
    struct world world;
    double value;
    (void)state;
    world_open(&world, &(struct world_options){
                           .inventory = "nodes: [{node_name: n, cpu_cores: 16}]",
                           .trace = JOB("a", "0", "16000", "16", "") JOB("b", "0", "16", "16", "")
                               JOB("none", "2000", "0", "1", ""),
                           .policy = ALL_ON,
                       });
    world_run(&world, 10);
    const struct jl_sim_fleet *fleet = &world.controlled.fleet;
    assert_true(jl_sim_measure(fleet, 0, JOULIE_SIM_MEASURE_WAIT, &value) && value == 0);
    assert_false(jl_sim_measure(fleet, 0, JOULIE_SIM_MEASURE_JOB_TIME, &value));
    assert_false(jl_sim_measure(fleet, 0, JOULIE_SIM_MEASURE_SLOWDOWN, &value));
    assert_false(jl_sim_measure(fleet, 1, JOULIE_SIM_MEASURE_WAIT, &value));
    world_finish(&world);
    assert_true(jl_sim_measure(fleet, 2, JOULIE_SIM_MEASURE_JOB_TIME, &value) && value == 0);
    assert_false(jl_sim_measure(fleet, 2, JOULIE_SIM_MEASURE_SLOWDOWN, &value));
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_is_split_by_what_a_node_does),
        cmocka_unit_test(both_runs_are_charged_for_the_same_time),
        cmocka_unit_test(energy_adds_up_to_the_last_bit),
        cmocka_unit_test(power_of_supplies_follows_the_nodes),
        cmocka_unit_test(time_above_a_limit_is_counted),
        cmocka_unit_test(a_supply_counts_power_in_units),
        cmocka_unit_test(times_of_jobs_are_ranked),
        cmocka_unit_test(ranks_are_rounded_up),
        cmocka_unit_test(slowdown_is_what_caps_cost),
        cmocka_unit_test(what_has_not_happened_is_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
