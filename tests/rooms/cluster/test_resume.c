/* SPDX-License-Identifier: Apache-2.0 */

/* A model that takes over decides as the one before it would have
 * (docs/rules/policy.md#restarts, docs/rules/twin.md#trend). */

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "cluster/objects.h"
#include "cluster/state.h"

#define DELAY (5 * MINUTE) /* queueScaleDownDelayS */

static char *saved(struct joulie_cluster *cluster)
{
    char *text = NULL;
    assert_int_equal(joulie_cluster_save(cluster, &text, NULL), JOULIE_OK);
    return text;
}

/* The operator beat at beat_ms, and died; another one takes over. */
static struct joulie_cluster *taken_over(struct joulie_cluster *before,
                                         const struct jl_cluster_config *config, int64_t beat_ms,
                                         int64_t now_ms)
{
    char *text = saved(before);
    struct joulie_cluster *cluster = started_anew(before, config);
    joulie_cluster_heartbeat(cluster, beat_ms);
    assert_int_equal(joulie_cluster_restore(cluster, text, text ? strlen(text) : 0, now_ms, NULL),
                     JOULIE_OK);
    joulie_free(text);
    return cluster;
}

/* Two nodes are at full power, and from minute 11 on none is needed. */
static struct joulie_cluster *relaxing(const struct jl_cluster_config *config)
{
    struct joulie_cluster *cluster = new_cluster(config);
    put_cpu_node(cluster, "a");
    put_cpu_node(cluster, "b");
    put_pod(cluster, "p", NULL, "performance", "Pending");
    settle(cluster, NOW_MS);
    put_pod(cluster, "p", "a", "performance", "Running");
    settle(cluster, NOW_MS + MINUTE);
    take_away(cluster, "Pod", "p");
    step(cluster, NOW_MS + 11 * MINUTE);
    return cluster;
}

static bool is_eco(struct joulie_cluster *cluster, const char *node)
{
    return explain(cluster, node).guard.profile == JOULIE_PROFILE_ECO;
}

static void a_timer_goes_on(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = relaxing(&config);
    char *text = saved(cluster);
    assert_string_equal(text, "{\"version\":1,\"policy\":\"queue_aware_v1\",\"performanceNodes\":1,"
                              "\"fewerSince\":\"2026-03-13T12:11:00Z\"}");
    joulie_free(text);
    cluster = taken_over(cluster, &config, NOW_MS + 13 * MINUTE, NOW_MS + 14 * MINUTE);
    step(cluster, NOW_MS + 14 * MINUTE);
    assert_false(is_eco(cluster, "a"));
    step(cluster, NOW_MS + 11 * MINUTE + DELAY - SECOND);
    assert_false(is_eco(cluster, "a"));
    step(cluster, NOW_MS + 11 * MINUTE + DELAY);
    assert_true(is_eco(cluster, "a"));
    joulie_cluster_free(cluster);
}

/* For so long nobody has looked that work may have come and gone. */
static void it_begins_anew_when_nobody_knows_what_was_meanwhile(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    const int64_t beats[] = { NOW_MS + 15 * MINUTE - SECOND, INT64_MIN };
    for (size_t i = 0; i < JL_COUNT(beats); i++) {
        struct joulie_cluster *cluster = relaxing(&config);
        cluster = taken_over(cluster, &config, beats[i], NOW_MS + 20 * MINUTE);
        step(cluster, NOW_MS + 20 * MINUTE);
        step(cluster, NOW_MS + 20 * MINUTE + DELAY - SECOND);
        assert_false(is_eco(cluster, "a"));
        step(cluster, NOW_MS + 20 * MINUTE + DELAY);
        assert_true(is_eco(cluster, "a"));
        joulie_cluster_free(cluster);
    }
}

/* A wall that was set back between the two: the stamp lies ahead, so it is of another clock. */
static void a_stamp_of_another_clock_counts_from_now(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    const int64_t now_ms = NOW_MS + 12 * MINUTE;
    struct joulie_cluster *cluster = relaxing(&config);
    char *text = saved(cluster);
    cluster = started_anew(cluster, &config);
    joulie_cluster_set_wall(cluster, now_ms, NOW_MS - 60 * MINUTE);
    joulie_cluster_heartbeat(cluster, NOW_MS - 61 * MINUTE);
    assert_int_equal(joulie_cluster_restore(cluster, text, strlen(text), now_ms, NULL), 0);
    step(cluster, now_ms + DELAY - SECOND);
    assert_false(is_eco(cluster, "a"));
    step(cluster, now_ms + DELAY);
    assert_true(is_eco(cluster, "a"));
    joulie_free(text);
    joulie_cluster_free(cluster);
}

/* Since when is told in wall time, and a wall that is slewed by less than a second moves no text.
 */
static void what_is_saved_changes_with_the_plan_alone(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = relaxing(&config);
    char *first = saved(cluster);
    for (int i = 1; i < 30; i++) {
        const int64_t now_ms = NOW_MS + 11 * MINUTE + i * SECOND;
        joulie_cluster_set_wall(cluster, now_ms, now_ms - (i % 3) * 499);
        step(cluster, now_ms);
        char *text = saved(cluster);
        assert_string_equal(text, first);
        joulie_free(text);
    }
    joulie_cluster_set_wall(cluster, NOW_MS + 12 * MINUTE, NOW_MS + 72 * MINUTE);
    step(cluster, NOW_MS + 12 * MINUTE);
    char *text = saved(cluster);
    assert_non_null(strstr(text, "T13:11:00Z"));
    joulie_free(text);
    joulie_free(first);
    joulie_cluster_free(cluster);
}

static void what_is_no_such_text_changes_nothing(void **state)
{
    (void)state;

    static const struct {
        const char *text;
        int code;
        const char *where;
    } bad[] = {
        { "", JOULIE_E_PARSE, "" },
        { "garbage", JOULIE_E_TYPE, "" },
        { "{\"version\":1", JOULIE_E_PARSE, "" },
        { "[]", JOULIE_E_TYPE, "" },
        { "{}", JOULIE_E_REQUIRED, "version" },
        { "{\"version\":2,\"plan\":[]}", JOULIE_E_UNSUPPORTED, "version" },
        { "{\"version\":1,\"policy\":\"queue_aware_v1\"}", JOULIE_E_REQUIRED, "performanceNodes" },
        { "{\"version\":1,\"policy\":\"queue_aware_v1\",\"performanceNodes\":-1}", JOULIE_E_RANGE,
          "performanceNodes" },
        { "{\"version\":1,\"policy\":\"queue_aware_v9\",\"performanceNodes\":1}", JOULIE_E_ENUM,
          "policy" },
        { "{\"version\":1,\"policy\":\"queue_aware_v1\",\"performanceNodes\":1,\"fewerSince\":"
          "\"x\"}",
          JOULIE_E_PARSE, "fewerSince" },
        { "{\"version\":1,\"policy\":\"static_partition\",\"performanceNodes\":1}",
          JOULIE_E_CONFLICT, "policy" },
    };
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = relaxing(&config);
    char *before = saved(cluster);
    for (size_t i = 0; i < JL_COUNT(bad); i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        assert_int_equal(joulie_cluster_restore(cluster, bad[i].text, strlen(bad[i].text),
                                                NOW_MS + 12 * MINUTE, &err),
                         bad[i].code);
        if (bad[i].code != JOULIE_E_PARSE || bad[i].where[0] != '\0')
            assert_string_equal(err.where, bad[i].where);
        assert_true(err.message[0] != '\0');
        char *after = saved(cluster);
        assert_string_equal(after, before);
        joulie_free(after);
    }
    joulie_free(before);
    joulie_cluster_free(cluster);
}

static void a_policy_that_remembers_nothing_saves_nothing(void **state)
{
    (void)state;
    const struct jl_cluster_config config = { 0 };
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    settle(cluster, NOW_MS);
    assert_null(saved(cluster));
    joulie_cluster_free(cluster);
}

/* ---- drawn lives ---- */

#define NODES 5
#define PODS 6
#define STEPS 240

struct pods {
    int node[PODS]; /* -2 = it is not there, -1 = it waits */
};

static void name_of(char out[16], char letter, int i)
{
    snprintf(out, 16, "%c%d", letter, i);
}

static void tell_pod(struct joulie_cluster *cluster, const struct pods *pods, int i)
{
    char name[16];
    char node[16];
    name_of(name, 'p', i);
    if (pods->node[i] >= 0)
        name_of(node, 'n', pods->node[i]);
    if (pods->node[i] == -2)
        take_away(cluster, "Pod", name);
    else
        put_pod(cluster, name, pods->node[i] < 0 ? NULL : node, "performance",
                pods->node[i] < 0 ? "Pending" : "Running");
}

static struct joulie_cluster *five_nodes(const struct jl_cluster_config *config)
{
    struct joulie_cluster *cluster = new_cluster(config);
    char name[16];
    for (int i = 0; i < NODES; i++) {
        name_of(name, 'n', i);
        put_cpu_node(cluster, name);
    }
    return cluster;
}

/* One model lives, beside it one after the other: the same specs behind each step. */
static void live(uint64_t seed)
{
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *one = five_nodes(&config);
    struct joulie_cluster *other = five_nodes(&config);
    struct jl_random random;
    struct pods pods;
    random.state = seed;
    for (int i = 0; i < PODS; i++)
        pods.node[i] = -2;
    for (int at = 0; at < STEPS; at++) {
        const int64_t now_ms = NOW_MS + at * 30 * SECOND;
        const int i = (int)jl_random_int(&random, 0, PODS - 1);
        if (jl_random_int(&random, 0, 3) == 0) {
            pods.node[i] = pods.node[i] == -2   ? -1
                           : pods.node[i] == -1 ? (int)jl_random_int(&random, 0, NODES - 1)
                                                : -2;
            tell_pod(one, &pods, i);
            tell_pod(other, &pods, i);
        }
        if (jl_random_int(&random, 0, 4) == 0) {
            other = taken_over(other, &config, now_ms - 30 * SECOND, now_ms);
            for (int j = 0; j < PODS; j++) {
                if (pods.node[j] > -2)
                    tell_pod(other, &pods, j);
            }
        }
        settle(one, now_ms);
        settle(other, now_ms);
        for (int j = 0; j < NODES; j++) {
            char name[16];
            name_of(name, 'n', j);
            if (explain(one, name).guard.profile != explain(other, name).guard.profile ||
                explain(one, name).guard.is_draining != explain(other, name).guard.is_draining)
                fail_msg("seed %d, step %d, node %s", (int)seed, at, name);
        }
    }
    joulie_cluster_free(one);
    joulie_cluster_free(other);
}

static void many_models_decide_as_one(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        live(seed);
}

/* ---- the trend of a node's power ---- */

static double trend_of(struct joulie_cluster *cluster, double otherwise)
{
    const struct jl_twin_status *status = explain(cluster, "a").status;
    return JL_GIVEN_OR(&status->power, power_trend_w_per_min, otherwise);
}

static void measure_at(struct joulie_cluster *cluster, int minute, double watts)
{
    measure(cluster, "a", NOW_MS + minute * MINUTE, watts);
    settle(cluster, NOW_MS + minute * MINUTE);
}

static struct joulie_cluster *measured(double slope_w)
{
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = new_cluster(&config);
    put_cpu_node(cluster, "a");
    for (int i = 0; i <= 10; i++)
        measure_at(cluster, i, 900 + slope_w * i);
    assert_near(trend_of(cluster, (double)NAN), slope_w, 1e-9);
    return cluster;
}

static void a_trend_goes_on(void **state)
{
    (void)state;
    static const double slopes[] = { 20, -20, 0 };
    const struct jl_cluster_config config = queue_config();
    for (size_t i = 0; i < JL_COUNT(slopes); i++) {
        struct joulie_cluster *cluster = measured(slopes[i]);
        cluster = taken_over(cluster, &config, NOW_MS + 10 * MINUTE, NOW_MS + 11 * MINUTE);
        for (int at = 11; at <= 20; at++) {
            measure_at(cluster, at, 900 + slopes[i] * at);
            assert_near(trend_of(cluster, (double)NAN), slopes[i], 1e-6);
        }
        joulie_cluster_free(cluster);
    }
}

/* Five minutes later nothing of the stored trend is left, whatever the power did. */
static void a_stored_trend_is_gone_with_its_window(void **state)
{
    (void)state;
    static const double powers_w[] = { 900, 400, 1200, 700, 710, 300, 300, 650, 900, 880, 20 };
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *one = measured(20);
    struct joulie_cluster *other =
        taken_over(measured(20), &config, NOW_MS + 10 * MINUTE, NOW_MS + 11 * MINUTE);
    for (size_t i = 0; i < JL_COUNT(powers_w); i++) {
        measure_at(one, 11 + (int)i, powers_w[i]);
        measure_at(other, 11 + (int)i, powers_w[i]);
        if (i >= 4)
            assert_near(trend_of(one, (double)NAN), trend_of(other, (double)NAN), 0);
    }
    joulie_cluster_free(one);
    joulie_cluster_free(other);
}

/* A status that was written long ago says nothing of now: unknown, until there are two readings. */
static void an_old_trend_is_none(void **state)
{
    (void)state;
    const struct jl_cluster_config config = queue_config();
    struct joulie_cluster *cluster = measured(20);
    cluster = taken_over(cluster, &config, NOW_MS + 10 * MINUTE, NOW_MS + 16 * MINUTE);
    measure_at(cluster, 16, 1100);
    assert_true(isnan(trend_of(cluster, (double)NAN)));
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timer_goes_on),
        cmocka_unit_test(it_begins_anew_when_nobody_knows_what_was_meanwhile),
        cmocka_unit_test(a_stamp_of_another_clock_counts_from_now),
        cmocka_unit_test(what_is_saved_changes_with_the_plan_alone),
        cmocka_unit_test(what_is_no_such_text_changes_nothing),
        cmocka_unit_test(a_policy_that_remembers_nothing_saves_nothing),
        cmocka_unit_test(many_models_decide_as_one),
        cmocka_unit_test(a_trend_goes_on),
        cmocka_unit_test(a_stored_trend_is_gone_with_its_window),
        cmocka_unit_test(an_old_trend_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
