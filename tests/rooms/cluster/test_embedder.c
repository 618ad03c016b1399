/* SPDX-License-Identifier: Apache-2.0 */

/* What a scheduler of somebody's own relies on, and what becomes of its mistakes: cordons, clocks
 * that are ahead, texts that are none, columns that no processor may write to. */

#include <stdlib.h>
#include <string.h>

#include "cluster/api.h"

#define SECOND_MS INT64_C(1000)
#define DAY_MS INT64_C(86400000)
#define MOST_NODES 4
#define LONGEST_NAME 253

/* ---- helpers ---- */

#define UNREAD_W 128.0 /* of a machine that runs nothing, by its catalog entry */

static double watts_of(struct joulie_cluster *cluster, const char *name)
{
    const struct joulie_cluster_node node = node_of(cluster, name);
    return node.has & JOULIE_CLUSTER_NODE_HAS_NODE_POWER ? node.node_power_w : -1;
}

struct answers {
    int32_t reject[MOST_NODES];
    int32_t score[MOST_NODES];
    int32_t wire[MOST_NODES];
};

static void place(struct joulie_cluster *cluster, struct answers *out)
{
    struct joulie_place_columns_out columns = JOULIE_INIT(struct joulie_place_columns_out);
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    columns.reject = (struct joulie_column_int_out){ out->reject, sizeof out->reject[0] };
    columns.score = (struct joulie_column_int_out){ out->score, sizeof out->score[0] };
    columns.wire = (struct joulie_column_int_out){ out->wire, sizeof out->wire[0] };
    assert_int_equal(
        joulie_cluster_place(cluster, &work, NOW_MS, NULL, &columns, MOST_NODES, NULL, NULL),
        JOULIE_OK);
}

static void assert_refused(int rc, int code, const struct joulie_error *err, const char *where)
{
    assert_int_equal(rc, code);
    assert_int_equal(err->code, code);
    assert_string_equal(err->where, where);
    assert_null(strstr(err->message, where)); /* a program prints "where: message" */
}

/* ---- machines that take nothing new ---- */

static void put_one_of_each(struct joulie_cluster *cluster)
{
    struct joulie_cluster_machine cordoned = cpu_machine("n1");
    struct joulie_cluster_machine reserved = cpu_machine("n2");
    cordoned.is_unschedulable = 1;
    reserved.is_reserved = 1;
    put_machine(cluster, &cordoned);
    put_machine(cluster, &reserved);
    put_named(cluster, "n3");
}

static void cordoned_and_reserved_machines_take_no_new_work(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct answers answers;
    put_one_of_each(cluster);
    settle(cluster, NOW_MS);
    place(cluster, &answers);
    assert_int_equal(answers.reject[0], JOULIE_REJECT_CORDON);
    assert_int_equal(answers.reject[1], JOULIE_REJECT_RESERVED);
    assert_int_equal(answers.reject[2], JOULIE_REJECT_NONE);
    put_named(cluster, "n1"); /* the cordon is removed */
    place(cluster, &answers);
    assert_int_equal(answers.reject[0], JOULIE_REJECT_NONE);
    joulie_cluster_free(cluster);
}

/* Who places work on a machine that is reserved for it takes RESERVED for no reason: so nothing
 * else may hide behind it. */
static void a_reservation_hides_no_other_reason(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_machine machine = cpu_machine("n1");
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct joulie_place_columns_out columns = JOULIE_INIT(struct joulie_place_columns_out);
    int32_t reject = -1;
    machine.is_reserved = 1;
    machine.profile = JOULIE_PROFILE_ECO;
    put_machine(cluster, &machine);
    settle(cluster, NOW_MS);
    work.workload_class = JOULIE_WORKLOAD_PERFORMANCE;
    columns.reject = (struct joulie_column_int_out){ &reject, sizeof reject };
    assert_int_equal(joulie_cluster_place(cluster, &work, NOW_MS, NULL, &columns, 1, NULL, NULL),
                     JOULIE_OK);
    assert_int_equal(reject, JOULIE_REJECT_LABEL);
    joulie_cluster_free(cluster);
}

/* A cordon is the owner's word, whether we decide about the machine or not. */
static void a_cordon_counts_on_machines_that_are_not_ours(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_machine machine = cpu_machine("n1");
    struct answers answers;
    machine.is_unmanaged = 1;
    put_machine(cluster, &machine);
    place(cluster, &answers);
    assert_int_equal(answers.reject[0], JOULIE_REJECT_NONE);
    machine.is_unschedulable = 1;
    put_machine(cluster, &machine);
    place(cluster, &answers);
    assert_int_equal(answers.reject[0], JOULIE_REJECT_CORDON);
    joulie_cluster_free(cluster);
}

/* The rank is among candidates, and a machine that is closed is none. */
static void closed_machines_take_no_part_in_the_rank(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("scoring: {spread: rank}");
    struct joulie_cluster_machine best = cpu_machine("n1");
    struct answers answers;
    put_machine(cluster, &best);
    put_named(cluster, "n2");
    put_named(cluster, "n3");
    measure(cluster, "n1", NOW_MS, 100);
    measure(cluster, "n2", NOW_MS, 300);
    measure(cluster, "n3", NOW_MS, 500);
    settle(cluster, NOW_MS);
    place(cluster, &answers);
    assert_int_equal(answers.wire[0], 10);
    assert_int_equal(answers.wire[2], 0);
    best.is_unschedulable = 1;
    put_machine(cluster, &best);
    place(cluster, &answers);
    assert_int_equal(answers.wire[0], 0);
    assert_int_equal(answers.wire[1], 10);
    joulie_cluster_free(cluster);
}

static void every_reason_has_its_words(void **state)
{
    (void)state;
    assert_non_null(joulie_place_reject_text(JOULIE_REJECT_CORDON));
    assert_non_null(joulie_place_reject_text(JOULIE_REJECT_RESERVED));
    assert_non_null(joulie_place_reject_text(JOULIE_REJECT_OFF));
    assert_null(joulie_place_reject_text(JOULIE_REJECT_OFF + 1));
}

/* kube-scheduler filters cordons by itself, and lets pods pass that tolerate them. */
static void the_extender_leaves_cordons_to_kube_scheduler(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    char *json = NULL;
    put_one_of_each(cluster);
    settle(cluster, NOW_MS);
    assert_int_equal(joulie_cluster_filter(cluster, "{}", 2, NOW_MS, &json, NULL), JOULIE_OK);
    assert_string_equal(json, "{\"passed\":[\"n1\",\"n2\",\"n3\"],\"failed\":{}}");
    joulie_free(json);
    joulie_cluster_free(cluster);
}

/* ---- clocks that are ahead ---- */

static void a_reading_from_the_future_does_not_freeze_a_node(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    put_named(cluster, "n1");
    measure(cluster, "n1", NOW_MS + DAY_MS, 700);
    step(cluster, NOW_MS);
    assert_near(watts_of(cluster, "n1"), UNREAD_W, 0);
    for (int i = 0; i < 5; i++) {
        const int64_t now_ms = NOW_MS + i * 10 * SECOND_MS;
        measure(cluster, "n1", now_ms, 200 + i);
        step(cluster, now_ms);
        assert_near(watts_of(cluster, "n1"), 200 + i, 0);
    }
    joulie_cluster_free(cluster);
}

static void a_reading_before_the_one_from_the_future_goes_on_counting(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    put_named(cluster, "n1");
    measure(cluster, "n1", NOW_MS, 200);
    measure(cluster, "n1", NOW_MS + DAY_MS, 700);
    step(cluster, NOW_MS);
    assert_near(watts_of(cluster, "n1"), 200, 0);
    joulie_cluster_free(cluster);
}

/* Clocks of a fleet differ by some seconds: 5 of them are allowed, as <joulie/autoscale.h> does. */
static void a_reading_counts_from_five_seconds_before_its_time_on(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    put_named(cluster, "n1");
    measure(cluster, "n1", NOW_MS + 60 * SECOND_MS, 300);
    step(cluster, NOW_MS + 55 * SECOND_MS - 1);
    assert_near(watts_of(cluster, "n1"), UNREAD_W, 0);
    step(cluster, NOW_MS + 55 * SECOND_MS); /* nothing but time passed */
    assert_near(watts_of(cluster, "n1"), 300, 0);
    joulie_cluster_free(cluster);
}

/* 1 W more per second, and one sample of a day later: 60 W/min, not what a line to that day says.
 */
static void samples_from_the_future_are_no_part_of_a_trend(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    put_named(cluster, "n1");
    measure(cluster, "n1", NOW_MS, 200);
    measure(cluster, "n1", NOW_MS + DAY_MS, 700);
    measure(cluster, "n1", NOW_MS + 30 * SECOND_MS, 230);
    measure(cluster, "n1", NOW_MS + 60 * SECOND_MS, 260);
    step(cluster, NOW_MS + 60 * SECOND_MS);
    const struct joulie_cluster_node node = node_of(cluster, "n1");
    assert_true(node.has & JOULIE_CLUSTER_NODE_HAS_TREND);
    assert_near(node.power_trend_w_per_min, 60, 1e-9);
    joulie_cluster_free(cluster);
}

/* A bent line: what one sample less would say is something else. */
static void a_sample_of_another_day_takes_none_out_of_the_trend(void **state)
{
    (void)state;
    static const double watts[] = { 200, 210, 290, 295, 300 };
    struct joulie_cluster *clusters[2];
    for (int k = 0; k < 2; k++) {
        clusters[k] = make("{}");
        put_named(clusters[k], "n1");
        step(clusters[k], NOW_MS - SECOND_MS);
        for (int i = 0; i < 5; i++)
            measure(clusters[k], "n1", NOW_MS + i * 30 * SECOND_MS, watts[i]);
        if (k == 1)
            measure(clusters[k], "n1", NOW_MS + DAY_MS, 700);
        step(clusters[k], NOW_MS + 2 * 60 * SECOND_MS);
    }
    const struct joulie_cluster_node plain = node_of(clusters[0], "n1");
    const struct joulie_cluster_node node = node_of(clusters[1], "n1");
    assert_true(plain.has & JOULIE_CLUSTER_NODE_HAS_TREND);
    assert_true(node.has & JOULIE_CLUSTER_NODE_HAS_TREND);
    assert_near(node.power_trend_w_per_min, plain.power_trend_w_per_min, 0);
    assert_near(watts_of(clusters[1], "n1"), 300, 0);
    for (int k = 0; k < 2; k++)
        joulie_cluster_free(clusters[k]);
}

static void the_present_counts_after_nothing_but_the_future(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    put_named(cluster, "n1");
    measure(cluster, "n1", NOW_MS + DAY_MS, 700);
    measure(cluster, "n1", NOW_MS + DAY_MS + SECOND_MS, 710);
    step(cluster, NOW_MS);
    assert_near(watts_of(cluster, "n1"), UNREAD_W, 0);
    measure(cluster, "n1", NOW_MS, 200);
    step(cluster, NOW_MS + SECOND_MS);
    assert_near(watts_of(cluster, "n1"), 200, 0);
    joulie_cluster_free(cluster);
}

/* ---- signs of life ---- */

struct outlook {
    int32_t basis;
    int32_t score;
};

static struct outlook place_quiet(struct joulie_cluster *cluster, int64_t now_ms)
{
    struct joulie_place_columns_out columns = JOULIE_INIT(struct joulie_place_columns_out);
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct outlook out = { 0, 0 };
    columns.basis = (struct joulie_column_int_out){ &out.basis, sizeof out.basis };
    columns.score = (struct joulie_column_int_out){ &out.score, sizeof out.score };
    assert_int_equal(joulie_cluster_place(cluster, &work, now_ms, NULL, &columns, 1, NULL, NULL),
                     JOULIE_OK);
    return out;
}

/* What <joulie/cluster.h> says of joulie_cluster_heartbeat(): predictions that nothing changes are
 * not made again, so that they grow old where nobody beats. */
static void a_quiet_cluster_stays_fresh_while_somebody_beats(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    const int64_t later_ms = NOW_MS + 10 * 60 * SECOND_MS;
    put_named(cluster, "n1");
    for (int64_t now_ms = NOW_MS; now_ms <= later_ms; now_ms += 30 * SECOND_MS) {
        measure(cluster, "n1", now_ms, 300);
        settle(cluster, now_ms);
    }
    assert_int_equal(place_quiet(cluster, later_ms).basis, JOULIE_BASIS_STALE);
    joulie_cluster_heartbeat(cluster, later_ms);
    assert_int_equal(place_quiet(cluster, later_ms).basis, JOULIE_BASIS_FRESH);
    joulie_cluster_free(cluster);
}

/* ---- actions that are reported late ---- */

static void an_action_that_is_done_too_late_brings_nothing_back(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    put_named(cluster, "n1");
    assert_true(step(cluster, NOW_MS) > 0);
    const uint64_t id = action_at(cluster, 0).id;
    assert_int_equal(joulie_cluster_remove(cluster, "machine", NULL, "n1", NULL), JOULIE_OK);
    assert_int_equal(joulie_cluster_action_done(cluster, id, JOULIE_OUTCOME_APPLIED, NULL),
                     JOULIE_OK);
    assert_int_equal(step(cluster, NOW_MS + SECOND_MS), 0);
    joulie_cluster_free(cluster);
}

static struct joulie_cluster_action only_action(struct joulie_cluster *cluster, int64_t now_ms)
{
    struct joulie_cluster_action action = JOULIE_INIT(struct joulie_cluster_action);
    assert_int_equal(step(cluster, now_ms), 1);
    assert_int_equal(joulie_cluster_action_at(cluster, 0, &action, NULL), JOULIE_OK);
    return action;
}

/* The program gives back the caps of what is no longer ours. */
static void what_leaves_is_released_once(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_machine machine = cpu_machine("n1");
    put_machine(cluster, &machine);
    settle(cluster, NOW_MS);
    machine.is_unmanaged = 1;
    put_machine(cluster, &machine);
    assert_int_equal(only_action(cluster, NOW_MS).change, JOULIE_CHANGE_RELEASE);
    settle(cluster, NOW_MS);
    machine.is_unmanaged = 0;
    put_machine(cluster, &machine);
    settle(cluster, NOW_MS);
    assert_int_equal(joulie_cluster_remove(cluster, "Node", NULL, "n1", NULL), JOULIE_OK);
    const struct joulie_cluster_action action = only_action(cluster, NOW_MS);
    assert_int_equal(action.change, JOULIE_CHANGE_RELEASE);
    assert_string_equal(action.node_name, "n1"); /* all that is left of it */
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    assert_int_equal(joulie_cluster_node_by_name(cluster, "n1", &node, NULL), JOULIE_E_NOT_FOUND);
    settle(cluster, NOW_MS);
    joulie_cluster_free(cluster);
}

/* ---- a model that is started anew ---- */

/* What docs/embedding.md says of a restart: profiles that the model is given are kept. */
static void a_model_goes_on_from_the_profiles_that_it_is_given(void **state)
{
    (void)state;
    static const char settings[] = "policy: {type: static_partition, staticHpFrac: 0.5}";
    static const char *const names[] = { "n1", "n2", "n3", "n4" };
    struct joulie_cluster *before = make(settings);
    struct joulie_cluster *after = make(settings);
    for (size_t i = 0; i < 4; i++)
        put_named(before, names[i]);
    settle(before, NOW_MS);
    for (size_t i = 0; i < 4; i++) {
        struct joulie_cluster_machine machine = cpu_machine(names[i]);
        machine.profile = node_of(before, names[i]).profile;
        put_machine(after, &machine);
    }
    settle(after, NOW_MS);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(node_of(after, names[i]).profile, node_of(before, names[i]).profile);
    joulie_cluster_free(before);
    joulie_cluster_free(after);
}

/* ---- texts ---- */

static const char *long_text(size_t len)
{
    static char text[LONGEST_NAME + 2];
    memset(text, 'x', len);
    text[len] = '\0';
    return text;
}

static void names_of_machines_are_utf8_and_of_some_length(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    static const size_t texts[] = {
        offsetof(struct joulie_cluster_machine, name),
        offsetof(struct joulie_cluster_machine, cpu_model),
        offsetof(struct joulie_cluster_machine, gpu_model),
        offsetof(struct joulie_cluster_machine, rack),
        offsetof(struct joulie_cluster_machine, cooling_zone),
    };
    static const char *const names[] = { "name", "cpu_model", "gpu_model", "rack", "cooling_zone" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct joulie_cluster_machine machine = cpu_machine("n1");
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        const char **text = (const char **)(void *)((char *)&machine + texts[i]);
        *text = "n\xFF";
        assert_refused(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_PARSE, &err,
                       names[i]);
        *text = long_text(LONGEST_NAME + 1);
        assert_refused(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_E_LIMIT, &err,
                       names[i]);
        *text = long_text(LONGEST_NAME);
        assert_int_equal(joulie_cluster_put_machine(cluster, &machine, &err), JOULIE_OK);
    }
    joulie_cluster_free(cluster);
}

static void names_of_work_and_zones_are_utf8_and_of_some_length(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    const struct joulie_cluster_facility facility = JOULIE_INIT(struct joulie_cluster_facility);
    const char *longer = long_text(LONGEST_NAME + 1);
    assert_refused(joulie_cluster_put_work(cluster, "\xC3(", "w", &work, &err), JOULIE_E_PARSE,
                   &err, "group");
    assert_refused(joulie_cluster_put_work(cluster, longer, "w", &work, &err), JOULIE_E_LIMIT, &err,
                   "group");
    assert_refused(joulie_cluster_put_work(cluster, NULL, "\xC3(", &work, &err), JOULIE_E_PARSE,
                   &err, "name");
    assert_refused(joulie_cluster_put_work(cluster, NULL, longer, &work, &err), JOULIE_E_LIMIT,
                   &err, "name");
    assert_int_equal(joulie_cluster_put_work(cluster, NULL, "", &work, &err), JOULIE_E_REQUIRED);
    assert_string_equal(err.where, "name");
    work.node_names = (const char *[]){ "n1", "\xFF" };
    work.node_count = 2;
    assert_refused(joulie_cluster_put_work(cluster, NULL, "w", &work, &err), JOULIE_E_PARSE, &err,
                   "node_names");
    work.node_names = (const char *[]){ longer, "n1" };
    assert_refused(joulie_cluster_put_work(cluster, NULL, "w", &work, &err), JOULIE_E_LIMIT, &err,
                   "node_names");
    work.node_names = (const char *[]){ "n1", "" };
    assert_refused(joulie_cluster_put_work(cluster, NULL, "w", &work, &err), JOULIE_E_REQUIRED,
                   &err, "node_names");
    work.node_count = 0;
    assert_refused(joulie_cluster_put_work(cluster, NULL, "w", &work, &err), JOULIE_E_RANGE, &err,
                   "node_count");
    work.node_names = NULL;
    work.node_count = 100001;
    assert_refused(joulie_cluster_put_work(cluster, NULL, "w", &work, &err), JOULIE_E_RANGE, &err,
                   "node_count");
    assert_refused(joulie_cluster_put_zone(cluster, "\xFF", &facility, &err), JOULIE_E_PARSE, &err,
                   "zone_name");
    assert_refused(joulie_cluster_put_zone(cluster, longer, &facility, &err), JOULIE_E_LIMIT, &err,
                   "zone_name");
    joulie_cluster_free(cluster);
}

/* ---- what numbers rest on ---- */

/* 2 packages of 96 logical CPUs at 5 W each, where nobody knows better. */
static void a_node_says_what_its_watts_rest_on(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_cluster_machine machine = cpu_machine("n1");
    put_machine(cluster, &machine);
    step(cluster, NOW_MS);
    assert_int_equal(node_of(cluster, "n1").cpu_tdp_source, JOULIE_TDP_SOURCE_CATALOG);
    assert_int_equal(node_of(cluster, "n1").power_tier, JOULIE_POWER_TIER_ALLOCATION);
    machine.cpu_model = "a processor of next year";
    put_machine(cluster, &machine);
    measure(cluster, "n1", NOW_MS, 300);
    step(cluster, NOW_MS);
    assert_int_equal(node_of(cluster, "n1").cpu_tdp_source, JOULIE_TDP_SOURCE_CORES);
    assert_int_equal(node_of(cluster, "n1").gpu_tdp_source, JOULIE_TDP_SOURCE_UNKNOWN);
    assert_near(node_of(cluster, "n1").node_tdp_w, 2 * 96 * 5, 0);
    assert_int_equal(node_of(cluster, "n1").power_tier, JOULIE_POWER_TIER_MEASURED);
    machine.has |= JOULIE_CLUSTER_MACHINE_HAS_CPU_MAX;
    machine.cpu_max_w = 400;
    put_machine(cluster, &machine);
    step(cluster, NOW_MS);
    assert_int_equal(node_of(cluster, "n1").cpu_tdp_source, JOULIE_TDP_SOURCE_GIVEN);
    joulie_cluster_free(cluster);
}

/* ---- readings that cannot be ---- */

static void a_bad_reading_is_named(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_cluster_sample sample = JOULIE_INIT(struct joulie_cluster_sample);
    put_named(cluster, "n1");
    sample.has = JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER | JOULIE_CLUSTER_SAMPLE_HAS_CPU_UTIL |
                 JOULIE_CLUSTER_SAMPLE_HAS_GPU_UTIL;
    sample.node_power_w = -1;
    assert_refused(joulie_cluster_put_sample(cluster, "n1", &sample, &err), JOULIE_E_RANGE, &err,
                   "node_power_w");
    sample.node_power_w = 1;
    sample.cpu_util_pct = -1;
    assert_refused(joulie_cluster_put_sample(cluster, "n1", &sample, &err), JOULIE_E_RANGE, &err,
                   "cpu_util_pct");
    sample.cpu_util_pct = 1;
    sample.gpu_util_pct = -1;
    assert_refused(joulie_cluster_put_sample(cluster, "n1", &sample, &err), JOULIE_E_RANGE, &err,
                   "gpu_util_pct");
    sample.gpu_util_pct = 1;
    sample.at_ms = INT64_MAX;
    assert_refused(joulie_cluster_put_sample(cluster, "n1", &sample, &err), JOULIE_E_RANGE, &err,
                   "at_ms");
    joulie_cluster_free(cluster);
}

/* ---- columns ---- */

static void columns_that_are_not_aligned_are_refused(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{}");
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    _Alignas(double) char room[64];
    put_named(cluster, "n1");
    out.score = (struct joulie_column_int_out){ (int32_t *)(void *)(room + 2), 4 };
    assert_refused(joulie_cluster_place(cluster, &work, NOW_MS, NULL, &out, 1, NULL, &err),
                   JOULIE_E_RANGE, &err, "out.score");
    out.score = (struct joulie_column_int_out){ (int32_t *)(void *)room, 6 };
    assert_refused(joulie_cluster_place(cluster, &work, NOW_MS, NULL, &out, 1, NULL, &err),
                   JOULIE_E_RANGE, &err, "out.score");
    out.score.at = NULL;
    out.raw = (struct joulie_column_out){ (double *)(void *)(room + 4), 8 };
    assert_refused(joulie_cluster_place(cluster, &work, NOW_MS, NULL, &out, 1, NULL, &err),
                   JOULIE_E_RANGE, &err, "out.raw");
    out.raw = (struct joulie_column_out){ (double *)(void *)room, 0 };
    assert_refused(joulie_cluster_place(cluster, &work, NOW_MS, NULL, &out, 1, NULL, &err),
                   JOULIE_E_RANGE, &err, "out.raw");
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cordoned_and_reserved_machines_take_no_new_work),
        cmocka_unit_test(a_reservation_hides_no_other_reason),
        cmocka_unit_test(a_cordon_counts_on_machines_that_are_not_ours),
        cmocka_unit_test(closed_machines_take_no_part_in_the_rank),
        cmocka_unit_test(every_reason_has_its_words),
        cmocka_unit_test(the_extender_leaves_cordons_to_kube_scheduler),
        cmocka_unit_test(a_reading_from_the_future_does_not_freeze_a_node),
        cmocka_unit_test(a_reading_before_the_one_from_the_future_goes_on_counting),
        cmocka_unit_test(a_reading_counts_from_five_seconds_before_its_time_on),
        cmocka_unit_test(samples_from_the_future_are_no_part_of_a_trend),
        cmocka_unit_test(a_sample_of_another_day_takes_none_out_of_the_trend),
        cmocka_unit_test(the_present_counts_after_nothing_but_the_future),
        cmocka_unit_test(a_quiet_cluster_stays_fresh_while_somebody_beats),
        cmocka_unit_test(an_action_that_is_done_too_late_brings_nothing_back),
        cmocka_unit_test(what_leaves_is_released_once),
        cmocka_unit_test(a_model_goes_on_from_the_profiles_that_it_is_given),
        cmocka_unit_test(names_of_machines_are_utf8_and_of_some_length),
        cmocka_unit_test(names_of_work_and_zones_are_utf8_and_of_some_length),
        cmocka_unit_test(a_node_says_what_its_watts_rest_on),
        cmocka_unit_test(a_bad_reading_is_named),
        cmocka_unit_test(columns_that_are_not_aligned_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
