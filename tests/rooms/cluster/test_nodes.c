/* SPDX-License-Identifier: Apache-2.0 */

/* Nodes as numbers for metrics, and nodes that are left alone by their annotation. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cluster/api.h"

static const char hardware_a[] =
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{\"name\":\"a\"}"
    ",\"spec\":{\"nodeName\":\"a\"},\"status\":{\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2,"
    "\"totalCores\":192}}}";
static const char pod[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"d\","
    "\"annotations\":{\"joulie.io/workload-class\":\"performance\"}},\"spec\":{\"nodeName\":\"a\"},"
    "\"status\":{\"phase\":\"Running\"}}";

static void upsert_node(struct joulie_cluster *cluster, const char *name, const char *labels,
                        const char *paused)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\",\"uid\":"
             "\"uid-%s\",\"labels\":{%s},\"annotations\":{\"joulie.io/paused\":\"%s\"}}}",
             name, name, labels, paused);
    upsert(cluster, text);
}

static void a_paused_node_without_a_twin_gets_nothing(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    upsert_node(cluster, "a", "", "true");
    upsert(cluster, hardware_a);
    assert_int_equal(step(cluster, NOW_MS), 0);
    assert_int_equal(node_of(cluster, "a").is_paused, 1);
    joulie_cluster_free(cluster);
}

static void a_paused_node_keeps_spec_and_label_and_gets_a_status(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"policy\":{\"staticHpFrac\":0.1}}");
    upsert_node(cluster, "a", "\"joulie.io/power-profile\":\"eco\"", "true");
    upsert(cluster, hardware_a);
    upsert(cluster,
           "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":"
           "\"a\"},\"spec\":{\"nodeName\":\"a\",\"profile\":\"eco\",\"cpu\":"
           "{\"packagePowerCapPctOfMax\":60}}}");

    /* the plan wants the only node of its family at performance */
    assert_int_equal(step(cluster, NOW_MS), 1);
    const struct joulie_cluster_action status = action_at(cluster, 0);
    assert_string_equal(status.subresource, "status");
    assert_non_null(strstr(body_at(cluster, 0), "\"schedulableClass\":\"eco\""));
    assert_non_null(strstr(body_at(cluster, 0), "\"effectiveCapState\":{\"cpuPct\":60"));
    assert_int_equal(node_of(cluster, "a").profile, JOULIE_PROFILE_PERFORMANCE);
    assert_string_equal(node_of(cluster, "a").label, "eco");
    char *why = NULL;
    assert_int_equal(joulie_cluster_explain(cluster, "a", &why, NULL), JOULIE_OK);
    assert_non_null(strstr(why, "\"paused\":true"));
    joulie_free(why);
    apply_all(cluster, 1);
    assert_int_equal(step(cluster, NOW_MS + 60000), 0);

    upsert_node(cluster, "a", "\"joulie.io/power-profile\":\"eco\"", "false");
    assert_int_equal(step(cluster, NOW_MS + 120000), 3);
    joulie_cluster_free(cluster);
}

static void a_paused_node_that_leaves_the_scope_is_not_released(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"policy\":{\"nodeSelector\":\"in=yes\"}}");
    upsert_node(cluster, "a", "\"in\":\"yes\"", "");
    upsert(cluster, hardware_a);
    apply_all(cluster, step(cluster, NOW_MS));
    upsert_node(cluster, "a", "\"joulie.io/power-profile\":\"performance\"", "true");
    assert_int_equal(step(cluster, NOW_MS + 60000), 0);

    /* a node that is gone has no agent: its twin goes */
    assert_int_equal(joulie_cluster_remove(cluster, "Node", NULL, "a", NULL), JOULIE_OK);
    assert_int_equal(step(cluster, NOW_MS + 120000), 1);
    assert_int_equal(action_at(cluster, 0).verb, JOULIE_ACTION_DELETE);
    joulie_cluster_free(cluster);
}

static void nodes_are_numbered_by_name(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"policy\":{\"nodeSelector\":\"in=yes\"}}");
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    upsert_node(cluster, "b", "", "");
    upsert_node(cluster, "a", "\"in\":\"yes\"", "");
    upsert(cluster, hardware_a);

    assert_int_equal(joulie_cluster_node_at(cluster, 0, &node, NULL), JOULIE_OK);
    assert_string_equal(node.name, "a");
    assert_string_equal(node.uid, "uid-a");
    assert_string_equal(node.scope, "managed");
    assert_int_equal(node.profile, JOULIE_PROFILE_UNKNOWN);
    assert_int_equal(node.state, JOULIE_NODE_STATE_UNKNOWN);
    assert_string_equal(node.old_state, "");
    assert_near(node.cpu_density, 136396.8, 1e-6);          /* docs/rules/policy.md#density */
    assert_near(node.cpu_density_normalized, 1420.8, 1e-9); /* 710.4 of each socket */
    assert_int_equal(joulie_cluster_node_at(cluster, 1, &node, NULL), JOULIE_OK);
    assert_string_equal(node.scope, "selector");
    assert_int_equal(joulie_cluster_node_at(cluster, 2, &node, NULL), JOULIE_E_RANGE);
    node.struct_size = 8;
    assert_int_equal(joulie_cluster_node_at(cluster, 0, &node, NULL), JOULIE_E_ABI);
    joulie_cluster_free(cluster);
}

/* In bytes, however many of them are equal. */
static void names_are_in_the_order_of_their_bytes(void **state)
{
    static const char *const names[] = {
        "A",
        "a",
        "a.b",
        "aa",
        "b\xC3\xA9",
        "cA",
        "eight888",
        "eight8880",
        "eight8881",
        "sixteen-letters.",
        "sixteen-letters.0",
        "sixteen-letters.1",
        "sixteen-letters0",
        "\xC3\xA9",
    };
    const size_t count = sizeof names / sizeof *names;
    struct joulie_cluster *cluster = make("{}");
    (void)state;
    for (size_t i = 0; i < count; i++)
        upsert_node(cluster, names[i * 5 % count], "", ""); /* 5 and 14 have no common factor */
    for (size_t i = 0; i < count; i++) {
        struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
        assert_int_equal(joulie_cluster_node_at(cluster, i, &node, NULL), JOULIE_OK);
        assert_string_equal(node.name, names[i]);
    }
    joulie_cluster_free(cluster);
}

static void a_transition_has_a_state_before_and_after(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"policy\":{\"type\":\"queue_aware_v1\","
                                          "\"queueHpMin\":1}}");
    upsert_node(cluster, "a", "", "");
    upsert(cluster, hardware_a);
    apply_all(cluster, step(cluster, NOW_MS));
    assert_string_equal(node_of(cluster, "a").old_state, "ActivePerformance");
    assert_int_equal(node_of(cluster, "a").has & JOULIE_CLUSTER_NODE_HAS_HEADROOM,
                     JOULIE_CLUSTER_NODE_HAS_HEADROOM);
    joulie_cluster_free(cluster);
}

static void totals_are_those_of_the_last_step(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    upsert_node(cluster, "a", "", "");
    upsert(cluster, pod);
    step(cluster, NOW_MS);
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
    assert_int_equal(totals.pods_performance, 1);
    assert_int_equal(totals.pods_general, 0);
    assert_near(totals.weighted_demand, 1, 0);
    assert_int_equal(totals.performance_nodes, 1);
    totals.struct_size = 1;
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_E_ABI);
    joulie_cluster_free(cluster);
}

static void the_settings_of_a_model_make_the_same_model(void **state)
{
    static const char given[] =
        "{\"policy\":{\"type\":\"queue_aware_v1\",\"queueHpMin\":3},\"clusterCapacityW\":90000,"
        "\"twinStalenessS\":7,\"failPolicy\":\"closed\",\"racks\":{\"r1\":{\"capacityW\":8000}}}";
    struct joulie_cluster *plain = make("{}");
    struct joulie_cluster *cluster = make(given);
    char *defaults = NULL;
    char *settings = NULL;
    char *again = NULL;
    (void)state;
    assert_int_equal(joulie_cluster_settings(plain, &defaults, NULL), JOULIE_OK);
    assert_int_equal(joulie_cluster_settings(cluster, &settings, NULL), JOULIE_OK);
    assert_string_equal(
        defaults,
        "{\"policy\":{\"type\":\"static_partition\",\"staticHpFrac\":0.5,\"queueHpBaseFrac\":0,"
        "\"queueHpMin\":0,\"queueHpMax\":1000000,\"queuePerfPerHpNode\":10,"
        "\"cpuPerformanceCapPctOfMax\":100,\"cpuEcoCapPctOfMax\":60,"
        "\"gpuPerformanceCapPctOfMax\":100,\"gpuEcoCapPctOfMax\":60,\"performanceCapWatts\":5000,"
        "\"ecoCapWatts\":120,\"cpuWriteAbsoluteCaps\":false,\"gpuWriteAbsoluteCaps\":false,"
        "\"gpuModelCaps\":{},\"gpuProductLabelKeys\":[],\"reconcileIntervalS\":60,"
        "\"drainCaps\":\"performance\",\"nodeSelector\":\"\",\"reservedLabelKey\":"
        "\"joulie.io/reserved\",\"queueScaleDownDelayS\":300,\"minProfileDwellS\":120,"
        "\"gpuSlowdownStandardPct\":10,\"gpuSlowdownPerformancePct\":0,"
        "\"gpuSlowdownInsensitivePct\":20,\"gpuCapDwellS\":300},\"rackCapacityW\":50000,"
        "\"twinStalenessS\":300,\"twinMaxAgeS\":3600,\"twinHeartbeatS\":1800,"
        "\"statusDeadbandScore\":2,\"statusDeadbandPct\":2,\"powerProfileLabel\":"
        "\"joulie.io/power-profile\",\"classifier\":{\"minConfidence\":0.5,\"hysteresisPct\":5,"
        "\"windowS\":600,\"reclassifyS\":900,\"holdS\":86400,\"graceS\":600,\"deriveClass\":false,"
        "\"simAnnotationFallback\":false,\"kepler\":true},\"agents\":{\"selector\":"
        "\"app.kubernetes.io/name=joulie,app.kubernetes.io/component=agent\",\"namespace\":"
        "\"joulie-system\",\"controlPeriodS\":0},\"filterStaleGraceS\":1800,\"failPolicy\":\"last-"
        "known\","
        "\"scoringProfile\":\"current\",\"marginalCpuUtilCoeff\":0.7,"
        "\"marginalGpuUtilCoeffStandard\":0.65,\"marginalGpuUtilCoeffPerformance\":0.85,"
        "\"enableMarginalPowerScoring\":true,\"ledger\":false}");
    assert_non_null(strstr(settings, "\"queueHpMin\":3,\"queueHpMax\":1000000,"));
    assert_non_null(strstr(settings, "\"clusterCapacityW\":90000,\"racks\":{\"r1\":{"));
    struct joulie_cluster *copy = make(settings);
    assert_int_equal(joulie_cluster_settings(copy, &again, NULL), JOULIE_OK);
    assert_string_equal(again, settings);
    joulie_free(defaults);
    joulie_free(settings);
    joulie_free(again);
    joulie_cluster_free(plain);
    joulie_cluster_free(cluster);
    joulie_cluster_free(copy);
}

static void upsert_hardware(struct joulie_cluster *cluster, const char *name, const char *status)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":"
             "{\"name\":\"%s\"},\"spec\":{\"nodeName\":\"%s\"},\"status\":{%s}}",
             name, name, status);
    upsert(cluster, text);
}

/* Members of NodeHardware.status */
#define EPYC "\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2,\"totalCores\":192}"
#define TWO_EPYCS "\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":4,\"totalCores\":384}"
#define XEON "\"cpu\":{\"model\":\"INTEL_XEON_GOLD_6530\",\"sockets\":2,\"totalCores\":64}"
#define H100(name) ",\"gpu\":{\"present\":true,\"model\":\"NVIDIA_H100_" name "\",\"count\":8}"

#define CPU_A "\"cpu\":{\"rawModel\":\"CPU A\",\"sockets\":2}"
#define CPU_B "\"cpu\":{\"rawModel\":\"CPU B\",\"sockets\":2}"
#define GPU(name, count) \
    ",\"gpu\":{\"present\":true,\"rawModel\":\"" name "\",\"count\":" #count "}"

/* Each family has a node at performance, so of two nodes of one family one is eco at 50 %, and of
 * two families none; within a family the denser one is not (docs/rules/policy.md#families). */
static void another_family_or_density_is_planned_again(void **state)
{
    static const struct {
        const char *before; /* of both; NULL = there is no NodeHardware */
        const char *after;  /* of the second */
        int performance;    /* nodes after that */
        bool is_second;     /* one of them */
    } rows[] = {
        { CPU_A, CPU_B, 2, true },
        { CPU_A, CPU_A GPU("GPU A", 1), 2, true },
        { CPU_A GPU("GPU A", 1), CPU_A, 2, true },
        { CPU_A GPU("GPU A", 1), CPU_A GPU("GPU B", 1), 2, true },
        { CPU_A, CPU_A ",\"gpu\":{\"present\":true,\"count\":1}", 2, true },
        { CPU_A ",\"gpu\":{\"present\":true,\"count\":1}", CPU_A, 2, true },
        { "", CPU_A, 2, true },
        { CPU_A, "", 2, true },
        { NULL, "", 2, true }, /* what nothing is known of is one family */
        { CPU_A GPU("GPU A", 1), CPU_A GPU("GPU A", 2), 1, false },
        { CPU_A GPU("GPU A", 1), CPU_B GPU("GPU A", 1), 1, false },
        { CPU_A, "\"cpu\":{\"rawModel\":\"CPU A\",\"sockets\":4}", 1, false },
        { EPYC, TWO_EPYCS, 1, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct joulie_cluster *cluster = make("{\"policy\":{\"staticHpFrac\":0.5}}");
        struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
        for (const char *name = "ab"; *name != '\0'; name++) {
            const char text[] = { *name, '\0' };
            upsert_node(cluster, text, "", "");
            if (rows[i].before != NULL)
                upsert_hardware(cluster, text, rows[i].before);
        }
        settle(cluster, NOW_MS);
        assert_int_equal(node_of(cluster, "a").profile, JOULIE_PROFILE_PERFORMANCE);
        assert_int_equal(node_of(cluster, "b").profile, JOULIE_PROFILE_ECO);
        upsert_hardware(cluster, "b", rows[i].after);
        settle(cluster, NOW_MS + 1000);
        assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
        if (totals.performance_nodes != rows[i].performance)
            fail_msg("row %zu: %d nodes at performance", i, (int)totals.performance_nodes);
        assert_int_equal(node_of(cluster, "b").profile,
                         rows[i].is_second ? JOULIE_PROFILE_PERFORMANCE : JOULIE_PROFILE_ECO);
        joulie_cluster_free(cluster);
    }
}

/* Two families whose models the catalog has: the order of nodes is by density, of equals by name.
 */
static void every_family_has_a_node_at_performance(void **state)
{
    static const struct {
        const char *status[4]; /* of a, b, c, d; NULL = there is no NodeHardware */
        size_t count;
        int performance;
    } rows[] = {
        { { EPYC, EPYC, EPYC, EPYC }, 4, 1 },
        { { EPYC, XEON }, 2, 2 },
        { { EPYC, XEON, XEON, EPYC }, 4, 2 },
        { { EPYC, EPYC H100("SXM") }, 2, 2 },
        { { EPYC, EPYC H100("SXM"), EPYC H100("SXM"), EPYC }, 4, 2 },
        { { TWO_EPYCS, EPYC H100("SXM") }, 2, 2 }, /* which is less dense */
        { { EPYC H100("NVL"), EPYC H100("SXM") }, 2, 2 },
        { { EPYC H100("NVL"), EPYC H100("SXM"), EPYC H100("SXM"), EPYC H100("NVL") }, 4, 2 },
        { { EPYC H100("SXM"), XEON H100("SXM"), EPYC, XEON }, 4, 3 },
        { { CPU_A, CPU_B }, 2, 2 },
        { { CPU_A, CPU_B, CPU_A, CPU_B }, 4, 2 },
        { { CPU_A GPU("GPU A", 1), CPU_A GPU("GPU B", 1) }, 2, 2 },
        { { NULL, NULL, NULL, NULL }, 4, 1 },
        { { NULL, CPU_A }, 2, 2 },
        { { CPU_A, NULL }, 2, 2 },
        { { NULL, CPU_A, NULL, CPU_A }, 4, 2 },
        { { "", CPU_A }, 2, 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct joulie_cluster *cluster = make("{\"policy\":{\"staticHpFrac\":0.01}}");
        struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
        for (size_t k = 0; k < rows[i].count; k++) {
            const char name[] = { (char)('a' + k), '\0' };
            upsert_node(cluster, name, "", "");
            if (rows[i].status[k] != NULL)
                upsert_hardware(cluster, name, rows[i].status[k]);
        }
        step(cluster, NOW_MS);
        assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
        if (totals.performance_nodes != rows[i].performance)
            fail_msg("row %zu: %d nodes at performance", i, (int)totals.performance_nodes);
        joulie_cluster_free(cluster);
    }
}

/* Three families, of which one goes: its number may not stay with anyone. */
static void a_family_that_is_gone_has_no_node(void **state)
{
    struct joulie_cluster *cluster = make("{\"policy\":{\"staticHpFrac\":0.01}}");
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    (void)state;
    for (const char *name = "abc"; *name != '\0'; name++) {
        const char text[] = { *name, '\0' };
        char status[64];
        snprintf(status, sizeof status, "\"cpu\":{\"rawModel\":\"CPU %s\",\"sockets\":2}", text);
        upsert_node(cluster, text, "", "");
        upsert_hardware(cluster, text, status);
    }
    settle(cluster, NOW_MS);
    upsert_hardware(cluster, "b", "\"cpu\":{\"rawModel\":\"CPU a\",\"sockets\":2}");
    settle(cluster, NOW_MS + 1000);
    assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
    assert_int_equal(totals.performance_nodes, 2);
    assert_int_equal(node_of(cluster, "b").profile, JOULIE_PROFILE_ECO);
    joulie_cluster_free(cluster);
}

/* Work on a node counts while the node takes part. */
static void demand_follows_the_scope_of_its_node(void **state)
{
    struct joulie_cluster *cluster = make("{\"policy\":{\"nodeSelector\":\"in=yes\"}}");
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    (void)state;
    upsert(cluster, pod);
    for (int i = 0; i < 5; i++) {
        const bool is_in = i % 2 == 1;
        upsert_node(cluster, "a", is_in ? "\"in\":\"yes\"" : "", "");
        step(cluster, NOW_MS + i);
        assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
        assert_int_equal(totals.pods_performance, is_in);
        assert_near(totals.weighted_demand, is_in, 0);
    }
    joulie_cluster_free(cluster);
}

/* 24 hours after its update a profile no longer counts; a clock that is set back makes it count. */
static void a_profile_counts_by_the_time_of_the_step(void **state)
{
    static const struct {
        int64_t after_ms;
        int performance;
    } rows[] = {
        { 0, 1 }, { 86400000, 1 }, { 86400001, 0 }, { 90000000, 0 }, { 1000, 1 }, { 86400001, 0 },
    };
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_totals totals = JOULIE_INIT(struct joulie_cluster_totals);
    (void)state;
    upsert_node(cluster, "a", "", "");
    upsert(cluster, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\","
                    "\"namespace\":\"d\"},\"spec\":{\"nodeName\":\"a\"},\"status\":{\"phase\":"
                    "\"Running\"}}");
    for (const char *const *reference =
             (const char *const[]){ "\"spec\":{\"workloadRef\":{\"kind\":\"Pod\",\"name\":\"p\"}}",
                                    "\"spec\":{}", NULL };
         *reference != NULL; reference++) { /* that of nobody changes nothing */
        char text[512];
        snprintf(text, sizeof text,
                 "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"WorkloadProfile\","
                 "\"metadata\":{\"name\":\"w%zu\",\"namespace\":\"d\"},%s,\"status\":{"
                 "\"criticality\":{\"class\":\"performance\"},\"confidence\":0.9,"
                 "\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}",
                 strlen(*reference), *reference);
        upsert(cluster, text);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        step(cluster, NOW_MS + rows[i].after_ms);
        assert_int_equal(joulie_cluster_get_totals(cluster, &totals, NULL), JOULIE_OK);
        if (totals.pods_performance != rows[i].performance)
            fail_msg("row %zu: %d pods", i, (int)totals.pods_performance);
        assert_int_equal(totals.pods_performance + totals.pods_general, 1);
    }
    joulie_cluster_free(cluster);
}

/* With the caps of a draining node at eco the end of draining is the one thing that changes. */
static void draining_ends_under_eco_caps(void **state)
{
    struct joulie_cluster *cluster =
        make("{\"policy\":{\"staticHpFrac\":0,\"drainCaps\":\"eco\"}}");
    (void)state;
    upsert_node(cluster, "a", "", "");
    upsert(cluster, hardware_a);
    upsert(cluster, pod);
    settle(cluster, NOW_MS);
    assert_int_equal(node_of(cluster, "a").profile, JOULIE_PROFILE_ECO);
    assert_int_equal(node_of(cluster, "a").is_draining, 1);
    assert_near(node_of(cluster, "a").cpu_cap_pct, 60, 0);
    assert_int_equal(joulie_cluster_remove(cluster, "Pod", "d", "p", NULL), JOULIE_OK);
    assert_true(step(cluster, NOW_MS + 1000) > 0);
    assert_non_null(strstr(body_at(cluster, 0), "\"draining\":false"));
    assert_int_equal(node_of(cluster, "a").is_draining, 0);
    assert_int_equal(node_of(cluster, "a").state, JOULIE_NODE_STATE_ACTIVE_ECO);
    joulie_cluster_free(cluster);
}

/* What the catalog does not have, and a rack without any power, is not known: no bit. */
static void what_is_not_known_of_a_node_has_no_bit(void **state)
{
    static const struct {
        const char *status;
        const char *rack;
        double watts; /* 0 = not measured */
        uint64_t has;
    } rows[] = {
        { EPYC, NULL, 300, JOULIE_CLUSTER_NODE_HAS_CPU_DENSITY },
        { EPYC H100("SXM"), NULL, 300,
          JOULIE_CLUSTER_NODE_HAS_CPU_DENSITY | JOULIE_CLUSTER_NODE_HAS_GPU_DENSITY },
        { "", NULL, 300, 0 },
        { "", "r1", 300, JOULIE_CLUSTER_NODE_HAS_RACK_POWER },
        { "", "r1", 0, 0 },
    };

    const uint64_t all = JOULIE_CLUSTER_NODE_HAS_CPU_DENSITY | JOULIE_CLUSTER_NODE_HAS_GPU_DENSITY |
                         JOULIE_CLUSTER_NODE_HAS_RACK_POWER;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct joulie_cluster *cluster = make("{}");
        char label[64] = "";
        if (rows[i].rack != NULL)
            snprintf(label, sizeof label, "\"joulie.io/rack\":\"%s\"", rows[i].rack);
        upsert_node(cluster, "a", label, "");
        upsert_hardware(cluster, "a", rows[i].status);
        if (rows[i].watts > 0)
            measure(cluster, "a", NOW_MS, rows[i].watts);
        settle(cluster, NOW_MS);
        const struct joulie_cluster_node node = node_of(cluster, "a");
        assert_int_equal(node.has & all, rows[i].has);
        if ((rows[i].has & JOULIE_CLUSTER_NODE_HAS_RACK_POWER) != 0)
            assert_near(node.rack_power_w, rows[i].watts, 0);
        joulie_cluster_free(cluster);
    }
}

/* Two sockets of 360 W that hold four pods, named by namespace and name. */
static void an_explanation_names_rack_pods_and_status(void **state)
{
    struct joulie_cluster *cluster = make("{\"policy\":{\"staticHpFrac\":0}}");
    char *why = NULL;
    (void)state;
    upsert_node(cluster, "a", "", "");
    assert_int_equal(joulie_cluster_explain(cluster, "a", &why, NULL), JOULIE_OK);
    assert_string_equal(
        why, "{\"nodeName\":\"a\",\"scope\":\"managed\",\"reasons\":[\"no reason recorded\"],"
             "\"density\":0,\"blockers\":[]}");
    joulie_free(why);
    upsert_node(cluster, "a", "\"joulie.io/rack\":\"r1\"", "");
    upsert(cluster, hardware_a);
    upsert(cluster, pod);
    for (const char *const *names =
             (const char *const[]){ "c\",\"namespace\":\"e", "z\",\"namespace\":\"d",
                                    "b\",\"namespace\":\"d", NULL };
         *names != NULL; names++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\","
                 "\"annotations\":{\"joulie.io/reschedulable\":\"false\"}},"
                 "\"spec\":{\"nodeName\":\"a\"},\"status\":{\"phase\":\"Running\"}}",
                 *names);
        upsert(cluster, text);
    }
    measure(cluster, "a", NOW_MS, 300);
    settle(cluster, NOW_MS);
    assert_int_equal(joulie_cluster_explain(cluster, "a", &why, NULL), JOULIE_OK);
    assert_non_null(strstr(why, "\"profile\":\"eco\",\"draining\":true,"
                                "\"state\":\"DrainingPerformance\",\"reasons\":["));
    assert_non_null(strstr(why,
                           "\"blockers\":["
                           "{\"namespace\":\"d\",\"name\":\"b\",\"why\":\"not-reschedulable\"},"
                           "{\"namespace\":\"d\",\"name\":\"p\",\"why\":\"performance-sensitive\"},"
                           "{\"namespace\":\"d\",\"name\":\"z\",\"why\":\"not-reschedulable\"},"
                           "{\"namespace\":\"e\",\"name\":\"c\",\"why\":\"not-reschedulable\"}],"
                           "\"spec\":{"));
    assert_non_null(strstr(why, "},\"status\":{\"schedulableClass\":\"draining\","));
    assert_non_null(strstr(why, "},\"rack\":\"r1\",\"rackPowerW\":300}"));
    joulie_free(why);
    joulie_cluster_free(cluster);
}

/* rule_swap_v1: in whole minutes one of two nodes after the other is eco, the denser one first. The
 * reason is the same for both. An interval below a second reads as a minute. */
static void nodes_take_turns_by_the_minute(void **state)
{
    static const char *const settings[] = {
        "{\"policy\":{\"type\":\"rule_swap_v1\"}}",
        "{\"policy\":{\"type\":\"rule_swap_v1\",\"reconcileIntervalS\":0.9}}",
        "{\"policy\":{\"type\":\"rule_swap_v1\",\"reconcileIntervalS\":0}}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct joulie_cluster *cluster = make(settings[i]);
        upsert_node(cluster, "a", "", "");
        upsert_node(cluster, "b", "", "");
        for (int half = 0; half < 8; half++) { /* minutes: their first and last second */
            const int64_t now_ms = NOW_MS + (half / 2 * 60 + half % 2 * 59) * INT64_C(1000);
            const bool is_first = now_ms / 60000 % 2 == 0;
            settle(cluster, now_ms);
            assert_int_equal(node_of(cluster, is_first ? "a" : "b").profile, JOULIE_PROFILE_ECO);
            assert_int_equal(node_of(cluster, is_first ? "b" : "a").profile,
                             JOULIE_PROFILE_PERFORMANCE);
        }
        joulie_cluster_free(cluster);
    }
}

/* ---- writes ---- */

static void expect_action(struct joulie_cluster *cluster, size_t index,
                          enum joulie_action_verb verb, const char *name, const char *node,
                          const char *reason)
{
    const struct joulie_cluster_action action = action_at(cluster, index);
    assert_int_equal(action.verb, verb);
    assert_string_equal(action.name, name);
    assert_string_equal(action.node_name, node);
    assert_string_equal(action.reason, reason);
}

/* docs/rules/reconcile.md#object-names: of two nodes that came in the wrong order the NodeTwin of
 * one stands under the name of the other. It goes first, and then each has its own. */
static void a_node_gets_its_name_from_the_one_that_has_it(void **state)
{
    struct joulie_cluster *cluster = make("{\"policy\":{\"staticHpFrac\":1}}");
    (void)state;
    upsert_node(cluster, "b", "\"joulie.io/power-profile\":\"performance\"", "");
    upsert(cluster, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{"
                    "\"name\":\"a\"},\"spec\":{\"nodeName\":\"b\",\"profile\":\"eco\"}}");
    settle(cluster, NOW_MS);
    upsert_node(cluster, "a", "\"joulie.io/power-profile\":\"performance\"", "");
    assert_int_equal(step(cluster, NOW_MS), 1);
    expect_action(cluster, 0, JOULIE_ACTION_DELETE, "a", "b", "its name belongs to another node");
    apply_all(cluster, 1);
    const size_t count = step(cluster, NOW_MS);
    assert_true(count >= 2);
    expect_action(cluster, 0, JOULIE_ACTION_CREATE, "a", "a", "no NodeTwin yet");
    for (size_t i = 0; i < count; i++)
        assert_string_equal(action_at(cluster, i).name, action_at(cluster, i).node_name);
    settle(cluster, NOW_MS);
    assert_int_equal(step(cluster, NOW_MS), 0);
    joulie_cluster_free(cluster);
}

/* Until it is reported as applied. */
static void a_write_is_offered_until_it_is_stored(void **state)
{
    struct joulie_cluster *cluster = make("{\"policy\":{\"staticHpFrac\":1}}");
    (void)state;
    upsert_node(cluster, "a", "", "");
    const size_t count = step(cluster, NOW_MS);
    assert_true(count >= 2);
    expect_action(cluster, 0, JOULIE_ACTION_CREATE, "a", "a", "no NodeTwin yet");
    assert_int_equal(step(cluster, NOW_MS), count);
    assert_int_equal(step(cluster, NOW_MS + 1000), count);
    settle(cluster, NOW_MS + 2000);
    for (int64_t at_ms = NOW_MS + 3000; at_ms < NOW_MS + 6000; at_ms += 1000) {
        upsert_node(cluster, "a", "\"joulie.io/power-profile\":\"eco\"", "");
        for (int more = 0; more < 3; more++) {
            assert_int_equal(step(cluster, at_ms + more), 1);
            expect_action(cluster, 0, JOULIE_ACTION_PATCH, "a", "a", "label differs from the plan");
            if (more == 1)
                assert_int_equal(joulie_cluster_action_done(cluster, action_at(cluster, 0).id,
                                                            JOULIE_OUTCOME_FAILED, NULL),
                                 JOULIE_OK);
        }
        apply_all(cluster, 1);
        assert_int_equal(step(cluster, at_ms + 3), 0);
    }
    upsert(cluster, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{"
                    "\"name\":\"a\"},\"spec\":{\"nodeName\":\"a\",\"profile\":\"eco\"}}");
    assert_true(step(cluster, NOW_MS + 9000) >= 1);
    expect_action(cluster, 0, JOULIE_ACTION_PATCH, "a", "a", "spec differs from the plan");
    joulie_cluster_free(cluster);
}

/* ---- hardware of a node ---- */

static void upsert_hardware_as(struct joulie_cluster *cluster, const char *name, const char *node,
                               int sockets)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":"
             "{\"name\":\"%s\"},\"spec\":{\"nodeName\":\"%s\"},\"status\":{\"cpu\":{\"model\":"
             "\"AMD_EPYC_9654\",\"sockets\":%d}}}",
             name, node, sockets);
    upsert(cluster, text);
}

/* 710.4 of each socket, docs/rules/policy.md#density */
static void assert_sockets(struct joulie_cluster *cluster, const char *node, int sockets)
{
    assert_near(node_of(cluster, node).cpu_density, 710.4 * sockets, 1e-9);
}

/* Of three objects of one node the lowest name counts, in whatever order they come and go. */
static void of_two_objects_of_a_node_the_lower_name_counts(void **state)
{
    static const char orders[][4] = { "abc", "acb", "bac", "bca", "cab", "cba" };
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct joulie_cluster *cluster = make("{}");
        char lowest = 'z';
        upsert_node(cluster, "node", "", "");
        for (size_t k = 0; k < 3; k++) {
            const char name[] = { orders[i][k], '\0' };
            lowest = orders[i][k] < lowest ? orders[i][k] : lowest;
            upsert_hardware_as(cluster, name, "node", name[0] - 'a' + 1);
            assert_sockets(cluster, "node", lowest - 'a' + 1);
        }
        for (int k = 0; k < 3; k++) {
            const char name[] = { (char)('a' + k), '\0' };
            assert_sockets(cluster, "node", k + 1);
            assert_int_equal(joulie_cluster_remove(cluster, "NodeHardware", NULL, name, NULL),
                             JOULIE_OK);
        }
        assert_sockets(cluster, "node", 0);
        joulie_cluster_free(cluster);
    }
}

/* What was said of one node is said of another: the first has the rest, or nothing. */
static void an_object_may_move_to_another_node(void **state)
{
    struct joulie_cluster *cluster = make("{}");
    (void)state;
    upsert_node(cluster, "n1", "", "");
    upsert_node(cluster, "n2", "", "");
    upsert_hardware_as(cluster, "a", "n1", 1);
    upsert_hardware_as(cluster, "b", "n1", 2);
    assert_sockets(cluster, "n1", 1);
    upsert_hardware_as(cluster, "a", "n2", 4);
    assert_sockets(cluster, "n1", 2);
    assert_sockets(cluster, "n2", 4);
    upsert_hardware_as(cluster, "b", "n2", 8);
    assert_sockets(cluster, "n1", 0);
    assert_sockets(cluster, "n2", 4);
    upsert_hardware_as(cluster, "a", "n1", 1);
    assert_sockets(cluster, "n1", 1);
    assert_sockets(cluster, "n2", 8);
    joulie_cluster_free(cluster);
}

/* Of two nodes that come to one name in the same step the second has the FNV-1a-32 of its own
 * behind it; a node that is called so keeps it for itself. */
static void names_that_are_made_up_differ_within_a_step(void **state)
{
    static const char *const labels = "\"joulie.io/power-profile\":\"performance\"";

    static const struct {
        const char *nodes[2];
        const char *names[2];
    } rows[] = {
        { { "x.y", "x_y" }, { "x-y", "x-y-c344bde3" } },
        { { "x-y", "x_y" }, { "x-y", "x-y-c344bde3" } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct joulie_cluster *cluster = make("{\"policy\":{\"staticHpFrac\":1}}");
        size_t created = 0;
        for (size_t k = 0; k < 2; k++)
            upsert_node(cluster, rows[i].nodes[1 - k], labels, "");
        const size_t count = step(cluster, NOW_MS);
        for (size_t k = 0; k < count; k++) {
            const struct joulie_cluster_action action = action_at(cluster, k);
            if (action.verb != JOULIE_ACTION_CREATE)
                continue;
            assert_true(created < 2);
            assert_string_equal(action.node_name, rows[i].nodes[created]);
            assert_string_equal(action.name, rows[i].names[created]);
            created++;
        }
        assert_int_equal(created, 2);
        joulie_cluster_free(cluster);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_settings_of_a_model_make_the_same_model),
        cmocka_unit_test(a_paused_node_without_a_twin_gets_nothing),
        cmocka_unit_test(a_paused_node_keeps_spec_and_label_and_gets_a_status),
        cmocka_unit_test(a_paused_node_that_leaves_the_scope_is_not_released),
        cmocka_unit_test(nodes_are_numbered_by_name),
        cmocka_unit_test(names_are_in_the_order_of_their_bytes),
        cmocka_unit_test(a_transition_has_a_state_before_and_after),
        cmocka_unit_test(a_node_gets_its_name_from_the_one_that_has_it),
        cmocka_unit_test(a_write_is_offered_until_it_is_stored),
        cmocka_unit_test(names_that_are_made_up_differ_within_a_step),
        cmocka_unit_test(totals_are_those_of_the_last_step),
        cmocka_unit_test(another_family_or_density_is_planned_again),
        cmocka_unit_test(every_family_has_a_node_at_performance),
        cmocka_unit_test(a_family_that_is_gone_has_no_node),
        cmocka_unit_test(demand_follows_the_scope_of_its_node),
        cmocka_unit_test(nodes_take_turns_by_the_minute),
        cmocka_unit_test(a_profile_counts_by_the_time_of_the_step),
        cmocka_unit_test(draining_ends_under_eco_caps),
        cmocka_unit_test(what_is_not_known_of_a_node_has_no_bit),
        cmocka_unit_test(of_two_objects_of_a_node_the_lower_name_counts),
        cmocka_unit_test(an_object_may_move_to_another_node),
        cmocka_unit_test(an_explanation_names_rack_pods_and_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
