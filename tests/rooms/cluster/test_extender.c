/* SPDX-License-Identifier: Apache-2.0 */

/* kube-scheduler's extender protocol. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/api.h"

#define ECO_TEXT "joulie: performance pod rejected from eco/draining node"
#define LABEL_TEXT "joulie: performance pod rejected from eco node (label fallback)"
#define NO_DATA_TEXT "joulie: no data for node"
#define PERFORMANCE                                                            \
    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\",\"annotations\":{"      \
    "\"joulie.io/workload-class\":\"performance\"}},\"spec\":{\"containers\":" \
    "[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}"
#define STANDARD                                                                   \
    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\"},\"spec\":{\"containers\":" \
    "[{\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"1\"}}}]}}"
#define ARGS(pod, names) "{\"Pod\":" pod ",\"Nodes\":null,\"NodeNames\":" names "}"

static void put_node(struct joulie_cluster *cluster, const char *name, const char *label)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"%s%s%s}}", name,
             label != NULL ? ",\"labels\":{\"joulie.io/power-profile\":\"" : "",
             label != NULL ? label : "", label != NULL ? "\"}" : "");
    upsert(cluster, text);
}

/* "2026-03-13T12:00:00Z" less some seconds within the hour before. */
static void put_time(char out[32], int age_s)
{
    const int second = 12 * 3600 - age_s;
    snprintf(out, 32, "2026-03-13T%02d:%02d:%02dZ", second / 3600, second / 60 % 60, second % 60);
}

/* Members of the status, without the time. */
static void put_twin(struct joulie_cluster *cluster, const char *name, const char *status,
                     int age_s)
{
    char text[1024];
    char time[32];
    put_time(time, age_s);
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":"
             "\"%s\"},\"spec\":{\"nodeName\":\"%s\",\"profile\":\"eco\"},\"status\":{%s%s"
             "\"lastUpdated\":\"%s\"}}",
             name, name, status, status[0] != '\0' ? "," : "", time);
    upsert(cluster, text);
}

struct asked {
    enum joulie_extender_verb verb;
    int32_t score_range;
    bool is_empty; /* the caches were never filled */
    bool is_short;
};

static int ask(struct joulie_cluster *cluster, const char *body, size_t len, struct asked asked,
               char **reply, struct joulie_extender_result *result, struct joulie_error *err)
{
    struct joulie_extender_options options = JOULIE_INIT(struct joulie_extender_options);
    options.now_ms = NOW_MS;
    options.verb = asked.verb;
    options.score_range = asked.score_range;
    options.is_filled = !asked.is_empty;
    options.is_short = asked.is_short;
    return joulie_cluster_extend(cluster, body, len, &options, reply, result, err);
}

static char *answer(struct joulie_cluster *cluster, const char *body, struct asked asked)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *reply = NULL;
    if (ask(cluster, body, strlen(body), asked, &reply, NULL, &err) != JOULIE_OK)
        fail_msg("%s: %s: %s", body, err.where, err.message);
    return reply;
}

static void expect(struct joulie_cluster *cluster, const char *body, struct asked asked,
                   const char *expected)
{
    char *reply = answer(cluster, body, asked);
    assert_string_equal(reply, expected);
    joulie_free(reply);
}

static void expect_filter(struct joulie_cluster *cluster, const char *body, const char *expected)
{
    expect(cluster, body, (struct asked){ .verb = JOULIE_EXTENDER_FILTER }, expected);
}

/* eco-1 and perf-1, both known and fresh. */
static struct joulie_cluster *two_nodes(const char *settings)
{
    struct joulie_cluster *cluster = make(settings);
    put_node(cluster, "eco-1", "eco");
    put_node(cluster, "perf-1", "performance");
    put_twin(cluster, "eco-1", "\"schedulableClass\":\"eco\",\"predictedPowerHeadroomScore\":70",
             0);
    put_twin(cluster, "perf-1",
             "\"schedulableClass\":\"performance\",\"predictedPowerHeadroomScore\":70,"
             "\"predictedCoolingStressScore\":20",
             0);
    return cluster;
}

/* ---- the protocol ---- */

static void rejections_stand_where_preemption_does_not_look(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes(NULL);
    expect_filter(cluster, ARGS(PERFORMANCE, "[\"eco-1\",\"perf-1\"]"),
                  "{\"NodeNames\":[\"perf-1\"],\"FailedAndUnresolvableNodes\":{\"eco-1\":"
                  "\"" ECO_TEXT "\"}}");
    joulie_cluster_free(cluster);
}

static void what_passes_keeps_its_order_and_empty_members_are_left_out(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes(NULL);
    expect_filter(cluster, ARGS(STANDARD, "[\"perf-1\",\"new\",\"eco-1\"]"),
                  "{\"NodeNames\":[\"perf-1\",\"new\",\"eco-1\"]}");
    expect_filter(cluster, ARGS(STANDARD, "[]"), "{\"NodeNames\":[]}");
    joulie_cluster_free(cluster);
}

static void all_rejected_is_an_empty_list_not_null(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes(NULL);
    expect_filter(cluster, ARGS(PERFORMANCE, "[\"eco-1\"]"),
                  "{\"NodeNames\":[],\"FailedAndUnresolvableNodes\":{\"eco-1\":\"" ECO_TEXT "\"}}");
    expect_filter(cluster,
                  "{\"Pod\":" PERFORMANCE
                  ",\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"eco-1\"}}]}}",
                  "{\"Nodes\":{\"metadata\":{},\"items\":[]},\"FailedAndUnresolvableNodes\":{"
                  "\"eco-1\":\"" ECO_TEXT "\"}}");
    joulie_cluster_free(cluster);
}

static void keys_are_read_in_any_case(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{\"pod\":" PERFORMANCE ",\"nodes\":null,\"nodenames\":[\"eco-1\",\"perf-1\"]}",
        "{\"POD\":" PERFORMANCE ",\"NODES\":null,\"nodeNames\":[\"eco-1\",\"perf-1\"]}",
        "{\"NodeNames\":[\"eco-1\",\"perf-1\"],\"More\":[{}],\"pod\":" PERFORMANCE "}",
        "{\"NodeN\\u0061mes\":[\"eco-1\",\"perf-1\"],\"Pod\":" PERFORMANCE "}",
    };
    struct joulie_cluster *cluster = two_nodes(NULL);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++)
        expect_filter(cluster, bodies[i],
                      "{\"NodeNames\":[\"perf-1\"],\"FailedAndUnresolvableNodes\":{\"eco-1\":"
                      "\"" ECO_TEXT "\"}}");
    joulie_cluster_free(cluster);
}

static void full_nodes_go_back_byte_for_byte(void **state)
{
    (void)state;
#define ODD_NODE                                                                                 \
    "{ \"status\" : {\"big\":1e999, \"x\":[1.50,-0]},\n\t\"metadata\":{\"labels\":null,\"uid\":" \
    "\"\\u00e4\",\"name\":\"perf-1\"},\"spec\":{\"metadata\":{\"name\":\"eco-1\"}} }"
    struct joulie_cluster *cluster = two_nodes(NULL);
    expect_filter(cluster,
                  "{\"Pod\":" PERFORMANCE ",\"Nodes\":{\"metadata\":{\"resourceVersion\":\"7\"},"
                  "\"items\":[ " ODD_NODE " , {\"metadata\":{\"name\":\"eco-1\"}}]},"
                  "\"NodeNames\":null}",
                  "{\"Nodes\":{\"metadata\":{},\"items\":[" ODD_NODE
                  "]},\"FailedAndUnresolvableNodes\":{\"eco-1\":\"" ECO_TEXT "\"}}");
    joulie_cluster_free(cluster);
}

static void full_nodes_win_over_names_and_the_last_of_two_lists_counts(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes(NULL);
    expect_filter(cluster,
                  "{\"NodeNames\":[\"a\"],\"Pod\":" STANDARD
                  ",\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"b\"}}]},\"NodeNames\":[\"c\"]}",
                  "{\"Nodes\":{\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"b\"}}]}}");
    expect_filter(cluster, "{\"NodeNames\":[\"a\"],\"Pod\":" STANDARD ",\"NodeNames\":[\"c\"]}",
                  "{\"NodeNames\":[\"c\"]}");
    joulie_cluster_free(cluster);
}

static void neither_nodes_nor_names_is_an_error_of_the_answer(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{\"Pod\":" STANDARD "}",
        "{\"Pod\":" STANDARD ",\"Nodes\":null,\"NodeNames\":null}",
        "{\"Pod\":" STANDARD ",\"NodeNames\":[\"a\"],\"nodenames\":null}",
    };
    struct joulie_cluster *cluster = two_nodes(NULL);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        expect_filter(cluster, bodies[i],
                      "{\"Error\":\"joulie: the request has neither Nodes nor NodeNames\"}");
        expect(cluster, bodies[i], (struct asked){ .verb = JOULIE_EXTENDER_PRIORITIZE }, "[]");
    }
    joulie_cluster_free(cluster);
}

static void escapes_in_a_name_are_understood_and_go_back_as_they_came(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes(NULL);
    expect_filter(cluster, ARGS(PERFORMANCE, "[\"e\\u0063o-1\",\"p\\u0065rf-1\",\"\\\"\"]"),
                  "{\"NodeNames\":[\"p\\u0065rf-1\",\"\\\"\"],\"FailedAndUnresolvableNodes\":{"
                  "\"e\\u0063o-1\":\"" ECO_TEXT "\"}}");
    joulie_cluster_free(cluster);
}

static void scores_carry_the_keys_and_the_range_of_the_protocol(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(NULL);
    put_node(cluster, "n", NULL);
    put_twin(cluster, "n",
             "\"schedulableClass\":\"draining\",\"predictedPowerHeadroomScore\":70,"
             "\"predictedCoolingStressScore\":20",
             0); /* S18: 61 */
    expect(cluster, ARGS(STANDARD, "[\"n\"]"), (struct asked){ .verb = JOULIE_EXTENDER_PRIORITIZE },
           "[{\"Host\":\"n\",\"Score\":6}]");
    expect(cluster, ARGS(STANDARD, "[\"n\"]"),
           (struct asked){ .verb = JOULIE_EXTENDER_PRIORITIZE, .score_range = 10 },
           "[{\"Host\":\"n\",\"Score\":6}]");
    expect(cluster, ARGS(STANDARD, "[\"n\"]"),
           (struct asked){ .verb = JOULIE_EXTENDER_PRIORITIZE, .score_range = 100 },
           "[{\"Host\":\"n\",\"Score\":61}]");
    expect(cluster, ARGS(STANDARD, "[]"), (struct asked){ .verb = JOULIE_EXTENDER_PRIORITIZE },
           "[]");
    joulie_cluster_free(cluster);
}

/* ---- fresh, stale, old, missing ---- */

static void the_filter_follows_twin_then_label_then_fail_policy(void **state)
{
    (void)state;

    static const struct {
        const char *twin; /* class; "" = a twin without one, NULL = no twin */
        int age_s;
        const char *label;  /* of our Node; NULL = none */
        const char *theirs; /* that comes with the request; NULL = only the name comes */
        const char *policy;
        const char *reason; /* NULL = passes */
    } rows[] = {
        { "eco", 300, NULL, NULL, "open", ECO_TEXT },
        { "draining", 300, "performance", NULL, "last-known", ECO_TEXT },
        { "performance", 300, "eco", NULL, "last-known", NULL },
        { "performance", 300, NULL, "eco", "closed", NULL },
        { "unknown", 300, "eco", NULL, "closed", NULL },
        { "eco", 301, "performance", NULL, "open", ECO_TEXT }, /* stale, within the grace */
        { "draining", 1800, NULL, NULL, "open", ECO_TEXT },
        { "performance", 301, "eco", NULL, "open", LABEL_TEXT },
        { "performance", 301, "performance", NULL, "closed", NULL },
        { "performance", 301, NULL, NULL, "last-known", NULL },
        { "performance", 301, NULL, NULL, "closed", NO_DATA_TEXT },
        { "eco", 1801, "performance", NULL, "last-known", NULL }, /* older than the grace */
        { "eco", 1801, "eco", NULL, "last-known", LABEL_TEXT },
        { "eco", 1801, NULL, NULL, "open", NULL },
        { "eco", 1801, NULL, NULL, "closed", NO_DATA_TEXT },
        { NULL, 0, "eco", NULL, "last-known", LABEL_TEXT },
        { NULL, 0, "performance", "eco", "last-known", LABEL_TEXT }, /* theirs is newer */
        { NULL, 0, "eco", "performance", "last-known", NULL },
        { NULL, 0, NULL, NULL, "last-known", NULL },
        { NULL, 0, NULL, NULL, "closed", NO_DATA_TEXT },
        { NULL, 0, NULL, "performance", "closed", NULL },
        { "", 0, "eco", NULL, "open", LABEL_TEXT },
        { "", 0, NULL, NULL, "closed", NO_DATA_TEXT },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        char expected[512];
        snprintf(text, sizeof text, "{\"failPolicy\":\"%s\"}", rows[i].policy);
        struct joulie_cluster *cluster = make(text);
        put_node(cluster, "n", rows[i].label);
        if (rows[i].twin != NULL) {
            snprintf(text, sizeof text, "%s%s%s",
                     rows[i].twin[0] != '\0' ? "\"schedulableClass\":\"" : "", rows[i].twin,
                     rows[i].twin[0] != '\0' ? "\"" : "");
            put_twin(cluster, "n", text, rows[i].age_s);
        }
        char node[256];
        snprintf(node, sizeof node,
                 "{\"metadata\":{\"name\":\"n\",\"labels\":{\"joulie.io/power-profile\":\"%s\"}}}",
                 rows[i].theirs != NULL ? rows[i].theirs : "");
        if (rows[i].theirs != NULL)
            snprintf(text, sizeof text, "{\"Pod\":" PERFORMANCE ",\"Nodes\":{\"items\":[%s]}}",
                     node);
        else
            snprintf(text, sizeof text, ARGS(PERFORMANCE, "[\"n\"]"));
        const bool passes = rows[i].reason == NULL;
        const char *kept = rows[i].theirs != NULL ? node : "\"n\"";
        snprintf(expected, sizeof expected, "%s%s%s%s%s%s",
                 rows[i].theirs != NULL ? "{\"Nodes\":{\"metadata\":{},\"items\":["
                                        : "{\"NodeNames\":[",
                 passes ? kept : "", rows[i].theirs != NULL ? "]}" : "]",
                 passes ? "" : ",\"FailedAndUnresolvableNodes\":{\"n\":\"",
                 passes ? "" : rows[i].reason, passes ? "}" : "\"}}");
        expect_filter(cluster, text, expected);
        joulie_cluster_free(cluster);
    }
}

static void the_heartbeat_keeps_twins_fresh(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(NULL);
    put_node(cluster, "n", "eco");
    put_twin(cluster, "n", "\"schedulableClass\":\"performance\"", 900);
    expect_filter(cluster, ARGS(PERFORMANCE, "[\"n\"]"),
                  "{\"NodeNames\":[],\"FailedAndUnresolvableNodes\":{\"n\":\"" LABEL_TEXT "\"}}");
    joulie_cluster_heartbeat(cluster, NOW_MS - 1000);
    expect_filter(cluster, ARGS(PERFORMANCE, "[\"n\"]"), "{\"NodeNames\":[\"n\"]}");
    joulie_cluster_free(cluster);
}

static void the_grace_of_stale_twins_is_a_setting(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"filterStaleGraceS\":600}");
    put_node(cluster, "n", NULL);
    put_twin(cluster, "n", "\"schedulableClass\":\"eco\"", 601);
    expect_filter(cluster, ARGS(PERFORMANCE, "[\"n\"]"), "{\"NodeNames\":[\"n\"]}");
    put_twin(cluster, "n", "\"schedulableClass\":\"eco\"", 600);
    expect_filter(cluster, ARGS(PERFORMANCE, "[\"n\"]"),
                  "{\"NodeNames\":[],\"FailedAndUnresolvableNodes\":{\"n\":\"" ECO_TEXT "\"}}");
    joulie_cluster_free(cluster);
}

static void caches_that_were_never_filled_follow_the_fail_policy(void **state)
{
    (void)state;

    static const struct {
        const char *settings;
        const char *filtered;
    } rows[] = {
        { "{\"failPolicy\":\"open\"}", "{\"NodeNames\":[\"eco-1\",\"x\"]}" },
        { "{\"failPolicy\":\"last-known\"}",
          "{\"Error\":\"joulie: no data of the cluster has arrived yet\"}" },
        { "{\"failPolicy\":\"closed\"}",
          "{\"Error\":\"joulie: no data of the cluster has arrived yet\"}" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_cluster *cluster = two_nodes(rows[i].settings);
        expect(cluster, ARGS(PERFORMANCE, "[\"eco-1\",\"x\"]"),
               (struct asked){ .verb = JOULIE_EXTENDER_FILTER, .is_empty = true },
               rows[i].filtered);
        expect(cluster, ARGS(STANDARD, "[\"perf-1\",\"x\"]"),
               (struct asked){
                   .verb = JOULIE_EXTENDER_PRIORITIZE, .score_range = 100, .is_empty = true },
               "[{\"Host\":\"perf-1\",\"Score\":25},{\"Host\":\"x\",\"Score\":25}]");
        joulie_cluster_free(cluster);
    }
}

/* ---- scores ---- */

/* Three nodes, computed by hand. */
static struct joulie_cluster *three_nodes(void)
{
    struct joulie_cluster *cluster = make(NULL);
    put_node(cluster, "n1", NULL);
    put_node(cluster, "n2", NULL);
    put_node(cluster, "n3", NULL);
    put_twin(cluster, "n1",
             "\"schedulableClass\":\"performance\",\"predictedPowerHeadroomScore\":70,"
             "\"predictedCoolingStressScore\":20,\"powerMeasurement\":{\"source\":\"http\","
             "\"measuredNodePowerW\":300,\"nodeCappedPowerW\":1000}",
             0);
    put_twin(cluster, "n2",
             "\"schedulableClass\":\"performance\",\"predictedPowerHeadroomScore\":5,"
             "\"predictedCoolingStressScore\":60,\"powerMeasurement\":{\"source\":\"http\","
             "\"measuredNodePowerW\":950,\"nodeCappedPowerW\":1000}",
             0);
    return cluster;
}

static const struct asked by_hundred = { .verb = JOULIE_EXTENDER_PRIORITIZE, .score_range = 100 };

static void pressure_is_that_of_the_cluster_and_the_unknown_nodes_that_of_the_request(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = three_nodes();
    expect(cluster, ARGS(STANDARD, "[\"n1\",\"n2\",\"n3\"]"), by_hundred,
           "[{\"Host\":\"n1\",\"Score\":34},{\"Host\":\"n2\",\"Score\":0},{\"Host\":\"n3\","
           "\"Score\":0}]");
    /* n1 keeps the pressure of n2; the limit of n3 is now that of n1 */
    expect(cluster, ARGS(STANDARD, "[\"n1\",\"n3\"]"), by_hundred,
           "[{\"Host\":\"n1\",\"Score\":34},{\"Host\":\"n3\",\"Score\":25}]");
    expect(cluster, ARGS(STANDARD, "[\"n3\",\"nobody\"]"), by_hundred,
           "[{\"Host\":\"n3\",\"Score\":25},{\"Host\":\"nobody\",\"Score\":25}]");
    joulie_cluster_free(cluster);
}

/* Of the fresh nodes that passed; one that the pod may not use limits nobody. */
static void a_rejected_node_does_not_limit_the_unknown_ones(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes(NULL);
    put_node(cluster, "low", NULL);
    put_twin(cluster, "low", "\"schedulableClass\":\"eco\",\"predictedPowerHeadroomScore\":0", 0);
    char *with = answer(cluster, ARGS(PERFORMANCE, "[\"nobody\",\"perf-1\",\"low\"]"), by_hundred);
    char *without = answer(cluster, ARGS(PERFORMANCE, "[\"nobody\",\"perf-1\"]"), by_hundred);
    assert_memory_equal(with, without, strlen(without) - 1); /* but the ']' */
    joulie_free(with);
    joulie_free(without);
    joulie_cluster_free(cluster);
}

/* ---- short replies ---- */

static void a_short_reply_names_rejections_only_where_no_node_passed(void **state)
{
    (void)state;
    const struct asked asked = { .verb = JOULIE_EXTENDER_FILTER, .is_short = true };
    struct joulie_cluster *cluster = two_nodes(NULL);
    expect(cluster, ARGS(PERFORMANCE, "[\"eco-1\",\"perf-1\"]"), asked,
           "{\"NodeNames\":[\"perf-1\"]}");
    expect(cluster, ARGS(PERFORMANCE, "[\"eco-1\"]"), asked,
           "{\"NodeNames\":[],\"FailedAndUnresolvableNodes\":{\"eco-1\":\"" ECO_TEXT "\"}}");
    expect(cluster,
           "{\"Pod\":" PERFORMANCE ",\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"eco-1\"}},"
           "{\"metadata\":{\"name\":\"perf-1\"}}]}}",
           asked, "{\"Nodes\":{\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"perf-1\"}}]}}");
    joulie_cluster_free(cluster);
}

static void rejections_that_no_reply_names_are_counted(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes(NULL);
    struct joulie_extender_result result = JOULIE_INIT(struct joulie_extender_result);
    const char *body = ARGS(PERFORMANCE, "[\"eco-1\",\"perf-1\"]");
    char *reply = NULL;
    assert_int_equal(ask(cluster, body, strlen(body),
                         (struct asked){ .verb = JOULIE_EXTENDER_FILTER, .is_short = true }, &reply,
                         &result, NULL),
                     JOULIE_OK);
    assert_int_equal(result.rejected_eco, 1);
    joulie_free(reply);
    joulie_cluster_free(cluster);
}

/* 34, 0 and 0 of three nodes; 34 and 25 of two; 25 and 25. */
static void a_short_reply_has_the_points_above_the_lowest(void **state)
{
    (void)state;
    const struct asked asked = { .verb = JOULIE_EXTENDER_PRIORITIZE,
                                 .score_range = 100,
                                 .is_short = true };
    struct joulie_cluster *cluster = three_nodes();
    expect(cluster, ARGS(STANDARD, "[\"n1\",\"n2\",\"n3\"]"), asked,
           "[{\"Host\":\"n1\",\"Score\":34}]");
    expect(cluster, ARGS(STANDARD, "[\"n3\",\"n1\"]"), asked, "[{\"Host\":\"n1\",\"Score\":9}]");
    expect(cluster, ARGS(STANDARD, "[\"n3\",\"nobody\"]"), asked, "[]");
    expect(cluster, ARGS(STANDARD, "[\"n1\"]"), asked, "[]");
    expect(cluster, ARGS(STANDARD, "[]"), asked, "[]");
    joulie_cluster_free(cluster);
}

static void a_twin_speaks_before_its_node_has_arrived(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = three_nodes();
    assert_int_equal(joulie_cluster_remove(cluster, "Node", NULL, "n2", NULL), JOULIE_OK);
    expect(cluster, ARGS(STANDARD, "[\"n1\",\"n2\",\"n3\"]"), by_hundred,
           "[{\"Host\":\"n1\",\"Score\":34},{\"Host\":\"n2\",\"Score\":0},{\"Host\":\"n3\","
           "\"Score\":0}]");
    joulie_cluster_free(cluster);
}

static void whole_numbers_are_numbers(void **state)
{
    (void)state; /* twins with every default; pod watts neglected by a pod without CPU share */
    struct joulie_cluster *cluster = make("{\"marginalCpuUtilCoeff\":0}");
    put_node(cluster, "eco", NULL);
    put_node(cluster, "perf", NULL);
    const char *rest = ",\"predictedPowerHeadroomScore\":100,\"predictedCoolingStressScore\":0,"
                       "\"powerMeasurement\":{\"source\":\"static\",\"measuredNodePowerW\":0,"
                       "\"nodeCappedPowerW\":432}";
    char text[512];
    snprintf(text, sizeof text, "\"schedulableClass\":\"eco\"%s", rest);
    put_twin(cluster, "eco", text, 0);
    snprintf(text, sizeof text, "\"schedulableClass\":\"performance\"%s", rest);
    put_twin(cluster, "perf", text, 0);
    expect(cluster, ARGS(STANDARD, "[\"eco\",\"perf\"]"), by_hundred,
           "[{\"Host\":\"eco\",\"Score\":95},{\"Host\":\"perf\",\"Score\":85}]");
    expect(cluster, ARGS(PERFORMANCE, "[\"perf\"]"), by_hundred,
           "[{\"Host\":\"perf\",\"Score\":85}]");
    joulie_cluster_free(cluster);
}

static int set_scoring(struct joulie_cluster *cluster, const char *profile,
                       struct joulie_error *err)
{
    return joulie_cluster_set_scoring(cluster, profile, profile != NULL ? strlen(profile) : 0, err);
}

/* eco 0.7·70 + 10, performance 0.7·70 + 0.15·80 − 0.3·30 by default. */
static void scores_follow_a_profile_that_is_set_later(void **state)
{
    (void)state;
    static const char both[] = ARGS(STANDARD, "[\"eco-1\",\"perf-1\"]");
    static const char first[] =
        "[{\"Host\":\"eco-1\",\"Score\":59},{\"Host\":\"perf-1\",\"Score\":42}]";
    struct joulie_cluster *cluster = two_nodes("scoring: {pressureWeight: 0.6333333333333333}");
    expect(cluster, both, by_hundred, first);
    assert_int_equal(
        set_scoring(cluster, "headroomWeight: 1\necoPoints: 0\npressureWeight: 0\n", NULL),
        JOULIE_OK);
    expect(cluster, both, by_hundred,
           "[{\"Host\":\"eco-1\",\"Score\":70},{\"Host\":\"perf-1\",\"Score\":82}]");
    /* what a profile leaves out is not as the one before it had it */
    assert_int_equal(set_scoring(cluster, "{\"version\":1,\"ecoPoints\":20}", NULL), JOULIE_OK);
    expect(cluster, both, by_hundred,
           "[{\"Host\":\"eco-1\",\"Score\":69},{\"Host\":\"perf-1\",\"Score\":42}]");
    assert_int_equal(set_scoring(cluster, NULL, NULL), JOULIE_OK);
    expect(cluster, both, by_hundred, first);
    joulie_cluster_free(cluster);
}

static void a_profile_that_cannot_be_set_changes_nothing(void **state)
{
    (void)state;

    static const struct {
        const char *profile;
        int code;
        const char *where;
    } rows[] = {
        { "{\"ecoPoints\":101}", JOULIE_E_RANGE, "ecoPoints" },
        { "{\"ecoPoint\":1}", JOULIE_E_UNKNOWN_MEMBER, "ecoPoint" },
        { "{\"ecoPoints\":\"1\"}", JOULIE_E_TYPE, "ecoPoints" },
        { "{\"spread\":\"wide\"}", JOULIE_E_ENUM, "spread" },
        { "{\"version\":2}", JOULIE_E_UNSUPPORTED, "version" },
        { "{\"profileName\":\"efficiency\"}", JOULIE_E_CONFLICT, "profileName" },
        { "ecoPoints: [", JOULIE_E_PARSE, "" },
    };

    struct joulie_cluster *cluster = two_nodes("{}");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        assert_int_equal(set_scoring(cluster, rows[i].profile, &err), rows[i].code);
        if (rows[i].where[0] != '\0')
            assert_string_equal(err.where, rows[i].where);
    }
    expect(cluster, ARGS(STANDARD, "[\"eco-1\"]"), by_hundred,
           "[{\"Host\":\"eco-1\",\"Score\":59}]");
    joulie_cluster_free(cluster);
}

/* What is kept of objects depends on the rules. */
static void rules_are_chosen_while_a_model_is_empty(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make("{\"marginalCpuUtilCoeff\":0.5}");
    char *json = NULL;
    assert_int_equal(set_scoring(cluster, "{\"profileName\":\"legacy\",\"spread\":\"rank\"}", NULL),
                     JOULIE_OK);
    assert_int_equal(joulie_cluster_scoring(cluster, NULL, 0, NOW_MS, &json, NULL), JOULIE_OK);
    assert_non_null(strstr(json, "\"scoringProfile\":\"legacy\""));
    assert_non_null(strstr(json, "\"spread\":\"rank\""));
    assert_non_null(strstr(json, "\"marginalCpuUtilCoeff\":0.5")); /* the profile leaves it out */
    joulie_free(json);
    assert_int_equal(joulie_cluster_settings(cluster, &json, NULL), JOULIE_OK);
    assert_non_null(
        strstr(json, "\"scoring\":{\"version\":1,\"profileName\":\"legacy\",\"spread\":\"rank\","));
    joulie_free(json);
    joulie_cluster_free(cluster);
}

static void the_formulas_of_the_sources_are_words_of_the_settings(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes("{\"scoringProfile\":\"v0.1.1\"}");
    expect(cluster, ARGS(STANDARD, "[\"nobody\"]"), by_hundred,
           "[{\"Host\":\"nobody\",\"Score\":50}]");
    joulie_cluster_free(cluster);
    cluster = make("{\"scoringProfile\":\"legacy\"}"); /* 80/10/10, no hardware record: 86 */
    put_node(cluster, "n", NULL);
    put_twin(cluster, "n",
             "\"schedulableClass\":\"draining\",\"predictedPowerHeadroomScore\":80,"
             "\"predictedCoolingStressScore\":10,\"predictedPsuStressScore\":10",
             0);
    expect(cluster, ARGS(STANDARD, "[\"n\"]"), by_hundred, "[{\"Host\":\"n\",\"Score\":86}]");
    joulie_cluster_free(cluster);
}

/* The watts of a CPU whose model alone is known are in the catalog, or nowhere. */
static void the_formulas_of_the_sources_know_no_catalog(void **state)
{
    (void)state;

    static const struct {
        const char *settings;
        bool has_watts;
    } rows[] = { { "{}", true },
                 { "{\"scoringProfile\":\"v0.1.1\"}", false },
                 { "{\"scoringProfile\":\"legacy\"}", false } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_cluster *cluster = make(rows[i].settings);
        char *json = NULL;
        put_node(cluster, "n", NULL);
        upsert(cluster, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\","
                        "\"metadata\":{\"name\":\"n\"},\"spec\":{\"nodeName\":\"n\"},\"status\":{"
                        "\"cpu\":{\"model\":\"AMD_EPYC_9654\",\"sockets\":2,\"totalCores\":192}}}");
        assert_int_equal(joulie_cluster_scoring(cluster, NULL, 0, NOW_MS, &json, NULL), JOULIE_OK);
        assert_non_null(strstr(json, "\"cpuTotalCores\":192"));
        assert_int_equal(strstr(json, "\"cpuMaxWattsTotal\":720") != NULL, rows[i].has_watts);
        joulie_free(json);
        joulie_cluster_free(cluster);
    }
}

/* ---- what it counts ---- */

static void a_request_reports_what_became_of_it(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes("{\"failPolicy\":\"closed\"}");
    struct joulie_extender_result result = JOULIE_INIT(struct joulie_extender_result);
    const char *body =
        ARGS(PERFORMANCE, "[\"eco-1\",\"perf-1\",\"dr\",\"dr-2\",\"lab\",\"x\",\"y\",\"z\"]");
    char *reply = NULL;
    put_node(cluster, "lab", "eco");
    put_twin(cluster, "dr", "\"schedulableClass\":\"draining\"", 0);
    put_twin(cluster, "dr-2", "\"schedulableClass\":\"draining\"", 0);
    assert_int_equal(ask(cluster, body, strlen(body),
                         (struct asked){ .verb = JOULIE_EXTENDER_FILTER }, &reply, &result, NULL),
                     JOULIE_OK);
    joulie_free(reply);
    assert_string_equal(result.workload_class, "performance");
    assert_int_equal(result.nodes, 8);
    assert_int_equal(result.rejected_eco, 1);
    assert_int_equal(result.rejected_draining, 2);
    assert_int_equal(result.rejected_label, 1);
    assert_int_equal(result.rejected_no_data, 3);
    assert_int_equal(result.invalid_annotations, 0);
    joulie_cluster_free(cluster);
}

static void words_of_nobody_and_bad_quantities_are_counted(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes(NULL);
    struct joulie_extender_result result = JOULIE_INIT(struct joulie_extender_result);
    const char *body =
        "{\"Pod\":{\"metadata\":{\"annotations\":{\"joulie.io/workload-class\":\"batch\","
        "\"joulie.io/cpu-sensitivity\":\"very\"}},\"spec\":{\"containers\":[{\"resources\":{"
        "\"requests\":{\"cpu\":\"-1\",\"memory\":\"much\"}}}]}},\"NodeNames\":[\"eco-1\"]}";
    char *reply = NULL;
    assert_int_equal(ask(cluster, body, strlen(body),
                         (struct asked){ .verb = JOULIE_EXTENDER_FILTER }, &reply, &result, NULL),
                     JOULIE_OK);
    assert_string_equal(reply, "{\"NodeNames\":[\"eco-1\"]}");
    joulie_free(reply);
    assert_string_equal(result.workload_class, "other");
    assert_int_equal(result.invalid_annotations,
                     JOULIE_INVALID_WORKLOAD_CLASS | JOULIE_INVALID_CPU_SENSITIVITY);
    assert_int_equal(result.bad_quantities, 2);
    assert_ptr_equal(result.pod, body + strlen("{\"Pod\":"));
    assert_memory_equal(result.pod + result.pod_len, ",\"NodeNames\"", 12);
    joulie_cluster_free(cluster);
}

/* ---- what is refused ---- */

static void what_is_no_request_is_refused(void **state)
{
    (void)state;

    static const struct {
        const char *body;
        int code;
        const char *where;
    } rows[] = {
        { "", JOULIE_E_PARSE, "" },
        { "[]", JOULIE_E_TYPE, "" },
        { "hello", JOULIE_E_PARSE, "" },
        { "{\"Pod\":" STANDARD ",\"NodeNames\":[\"a\"", JOULIE_E_PARSE, "" },
        { "{\"Pod\":" STANDARD ",\"NodeNames\":[\"a\"]} x", JOULIE_E_PARSE, "" },
        { "{\"Pod\":" STANDARD ",\"NodeNames\":[\"a\",]}", JOULIE_E_PARSE, "" },
        { "{\"Pod\":" STANDARD ",\"NodeNames\":[\"\xff\"]}", JOULIE_E_PARSE, "" },
        { "{\"Pod\":" STANDARD ",\"NodeNames\":[\"\\u0000\"]}", JOULIE_E_PARSE, "" },
        { "{\"Pod\":" STANDARD ",\"NodeNames\":[\"\\ud800\"]}", JOULIE_E_PARSE, "" },
        { "{\"Pod\":" STANDARD ",\"NodeNames\":[\"a\",7]}", JOULIE_E_TYPE, "NodeNames[1]" },
        { "{\"Pod\":" STANDARD ",\"NodeNames\":{}}", JOULIE_E_TYPE, "NodeNames" },
        { "{\"Pod\":" STANDARD ",\"Nodes\":[]}", JOULIE_E_TYPE, "Nodes" },
        { "{\"Pod\":" STANDARD ",\"Nodes\":{\"items\":[{}]}}", JOULIE_E_TYPE,
          "Nodes.items[0].metadata.name" },
        { "{\"Pod\":" STANDARD ",\"Nodes\":{\"items\":[null]}}", JOULIE_E_TYPE, "Nodes.items[0]" },
        { "{\"NodeNames\":[\"a\"]}", JOULIE_E_TYPE, "Pod" },
        { "{\"Pod\":null,\"NodeNames\":[\"a\"]}", JOULIE_E_TYPE, "Pod" },
        { "{\"Pod\":7,\"NodeNames\":[\"a\"]}", JOULIE_E_TYPE, "Pod" },
        { "{\"Pod\":{\"metadata\":{\"name\":7}},\"NodeNames\":[\"a\"]}", JOULIE_E_TYPE,
          "Pod.metadata.name" },
        { "{\"Pod\":{\"metadata\":{\"name\":\"\xc3\x28\"}},\"NodeNames\":[]}", JOULIE_E_PARSE, "" },
    };
    struct joulie_cluster *cluster = two_nodes(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct joulie_extender_result result = JOULIE_INIT(struct joulie_extender_result);
        char *reply = NULL;
        const int rc = ask(cluster, rows[i].body, strlen(rows[i].body),
                           (struct asked){ .verb = JOULIE_EXTENDER_FILTER }, &reply, &result, &err);
        if (rc != rows[i].code || strcmp(err.where, rows[i].where) != 0)
            fail_msg("%s: %d %s: %s", rows[i].body, rc, err.where, err.message);
        assert_null(reply);
        assert_null(result.workload_class);
    }
    joulie_cluster_free(cluster);
}

static void nesting_and_the_number_of_nodes_have_a_limit(void **state)
{
    (void)state;

    enum { MOST = 100000 };
    struct joulie_cluster *cluster = two_nodes(NULL);
    char *body = test_malloc(MOST * 4 + 1024);
    char *reply = NULL;
    size_t len = (size_t)sprintf(body, "{\"Pod\":%s,\"NodeNames\":[\"a\"", STANDARD);
    for (size_t i = 1; i < MOST; i++)
        len += (size_t)sprintf(body + len, ",\"\"");
    strcpy(body + len, "]}");
    assert_int_equal(ask(cluster, body, len + 2,
                         (struct asked){ .verb = JOULIE_EXTENDER_PRIORITIZE }, &reply, NULL, NULL),
                     JOULIE_OK);
    joulie_free(reply);
    strcpy(body + len, ",\"\"]}");
    reply = NULL;
    assert_int_equal(ask(cluster, body, len + 5,
                         (struct asked){ .verb = JOULIE_EXTENDER_PRIORITIZE }, &reply, NULL, NULL),
                     JOULIE_E_LIMIT);
    len = (size_t)sprintf(body, "{\"Deep\":");
    memset(body + len, '[', 1000);
    len += 1000;
    assert_int_equal(ask(cluster, body, len, (struct asked){ .verb = JOULIE_EXTENDER_FILTER },
                         &reply, NULL, NULL),
                     JOULIE_E_LIMIT);
    test_free(body);
    joulie_cluster_free(cluster);
}

static void options_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes(NULL);
    const char *body = ARGS(STANDARD, "[\"a\"]");
    const struct joulie_extender_options good = {
        .struct_size = sizeof good, .now_ms = NOW_MS, .verb = JOULIE_EXTENDER_FILTER, .is_filled = 1
    };

    struct {
        struct joulie_extender_options options;
        int code;
    } rows[] = {
        { good, JOULIE_E_ABI },   { good, JOULIE_E_ENUM },  { good, JOULIE_E_ENUM },
        { good, JOULIE_E_RANGE }, { good, JOULIE_E_RANGE },
    };

    rows[0].options.struct_size = 8;
    rows[1].options.verb = JOULIE_EXTENDER_UNKNOWN;
    rows[2].options.verb = (enum joulie_extender_verb)9;
    rows[3].options.score_range = 50;
    rows[4].options.now_ms = INT64_MAX;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *reply = NULL;
        assert_int_equal(joulie_cluster_extend(cluster, body, strlen(body), &rows[i].options,
                                               &reply, NULL, NULL),
                         rows[i].code);
        assert_null(reply);
    }
    struct joulie_extender_result small = { .struct_size = 8 };
    char *reply = NULL;
    assert_int_equal(
        joulie_cluster_extend(cluster, body, strlen(body), &good, &reply, &small, NULL),
        JOULIE_E_ABI);
    joulie_cluster_free(cluster);
}

static void settings_that_are_not_built_are_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "{\"scoringProfile\":\"v9\"}",
        "{\"scoringProfile\":\"/etc/profile.yaml\"}",
        "{\"failPolicy\":\"shut\"}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_cluster *cluster = NULL;
        assert_int_equal(joulie_cluster_new(rows[i], strlen(rows[i]), &cluster, NULL),
                         JOULIE_E_ENUM);
        assert_null(cluster);
    }
}

/* A write of it would fail for every node and for ever. */
static void label_keys_that_no_label_can_have_are_refused(void **state)
{
    (void)state;

    static const struct {
        const char *settings;
        const char *where;
    } rows[] = {
        { "{\"powerProfileLabel\":\"a b\"}", "powerProfileLabel" },
        { "{\"powerProfileLabel\":\"\"}", "powerProfileLabel" },
        { "{\"policy\":{\"reservedLabelKey\":\"/x\"}}", "policy.reservedLabelKey" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        struct joulie_cluster *cluster = NULL;
        assert_int_equal(
            joulie_cluster_new(rows[i].settings, strlen(rows[i].settings), &cluster, &err),
            JOULIE_E_PARSE);
        assert_string_equal(err.where, rows[i].where);
        assert_null(cluster);
    }
}

/* ---- the same as over all nodes ---- */

enum { NODES = 60 };

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1103515245U + 12345U;
    return *seed >> 16;
}

static void put_any(struct joulie_cluster *cluster, const char *name, unsigned *seed)
{
    static const char *const classes[] = { "eco", "draining", "performance", "unknown" };
    static const char *const labels[] = { NULL, "eco", "performance" };
    static const int ages_s[] = { 0, 299, 301, 1700, 1900 };
    char status[512];
    put_node(cluster, name, labels[next(seed) % 3]);
    if (next(seed) % 5 == 0)
        return;
    int len =
        snprintf(status, sizeof status, "\"schedulableClass\":\"%s\"", classes[next(seed) % 4]);
    if (next(seed) % 4 != 0)
        len += snprintf(status + len, sizeof status - (size_t)len,
                        ",\"predictedPowerHeadroomScore\":%u,\"predictedCoolingStressScore\":%u",
                        next(seed) % 101, next(seed) % 101);
    if (next(seed) % 3 != 0)
        snprintf(status + len, sizeof status - (size_t)len,
                 ",\"powerMeasurement\":{\"source\":\"http\",\"measuredNodePowerW\":%u,"
                 "\"nodeCappedPowerW\":%u,\"powerTrendWPerMin\":%d}",
                 next(seed) % 900, next(seed) % 1000, (int)(next(seed) % 80) - 40);
    put_twin(cluster, name, status, ages_s[next(seed) % 5]);
}

/* {"passed":A,"failed":B} as {"NodeNames":A,"FailedAndUnresolvableNodes":B} */
static void compare_filter(struct joulie_cluster *cluster, const char *pod, const char *body)
{
    char *all = NULL;
    char *reply = answer(cluster, body, (struct asked){ .verb = JOULIE_EXTENDER_FILTER });
    assert_int_equal(joulie_cluster_filter(cluster, pod, strlen(pod), NOW_MS, &all, NULL),
                     JOULIE_OK);
    char *failed = strstr(all, ",\"failed\":");
    const char *passed = all + strlen("{\"passed\":");
    char *expected = test_malloc(strlen(all) + 100);
    *failed = '\0';
    failed += strlen(",\"failed\":");
    if (strcmp(failed, "{}}") == 0)
        sprintf(expected, "{\"NodeNames\":%s}", passed);
    else
        sprintf(expected, "{\"NodeNames\":%s,\"FailedAndUnresolvableNodes\":%s", passed, failed);
    assert_string_equal(reply, expected);
    test_free(expected);
    joulie_free(all);
    joulie_free(reply);
}

static void compare_scores(struct joulie_cluster *cluster, const char *pod, const char *body)
{
    char *all = NULL;
    char *reply = answer(cluster, body, by_hundred);
    assert_int_equal(joulie_cluster_score(cluster, pod, strlen(pod), NOW_MS, &all, NULL),
                     JOULIE_OK);
    const char *left = all;
    const char *right = reply;
    for (int i = 0; i < NODES; i++) {
        left = strstr(left, "\"score\":") + strlen("\"score\":");
        right = strstr(right, "\"Score\":") + strlen("\"Score\":");
        assert_int_equal(strtol(left, NULL, 10), strtol(right, NULL, 10));
    }
    joulie_free(all);
    joulie_free(reply);
}

static long points_in(const char *reply, int node)
{
    char key[32];
    snprintf(key, sizeof key, "{\"Host\":\"n%02d\",\"Score\":", node);
    const char *at = strstr(reply, key);
    return at != NULL ? strtol(at + strlen(key), NULL, 10) : 0;
}

/* The order of the nodes, and by how much one is ahead of another, are the same. */
static void compare_short(struct joulie_cluster *cluster, const char *body)
{
    struct asked asked = by_hundred;
    char *whole = answer(cluster, body, asked);
    asked.is_short = true;
    char *reply = answer(cluster, body, asked);
    long lowest = 100;
    for (int i = 0; i < NODES; i++)
        lowest = points_in(whole, i) < lowest ? points_in(whole, i) : lowest;
    for (int i = 0; i < NODES; i++)
        assert_int_equal(points_in(reply, i), points_in(whole, i) - lowest);
    assert_null(strstr(reply, "\"Score\":0"));
    joulie_free(reply);
    joulie_free(whole);
}

static void over_all_nodes_the_answers_are_those_of_filter_and_score(void **state)
{
    (void)state;
    static const char *const pods[] = { PERFORMANCE, STANDARD };
    static const char *const settings[] = { NULL, "{\"failPolicy\":\"closed\"}",
                                            "{\"scoringProfile\":\"v0.1.1\"}",
                                            "{\"scoringProfile\":\"legacy\"}" };
    unsigned seed = 1;
    for (int round = 0; round < 40; round++) {
        struct joulie_cluster *cluster = make(settings[round % 4]);
        char names[NODES * 8] = "";
        for (int i = 0; i < NODES; i++) {
            char name[16];
            snprintf(name, sizeof name, "n%02d", i);
            put_any(cluster, name, &seed);
            sprintf(names + strlen(names), "%s\"%s\"", i > 0 ? "," : "", name);
        }
        for (size_t i = 0; i < 2; i++) {
            char body[NODES * 8 + 512];
            char pod[512];
            snprintf(body, sizeof body, "{\"Pod\":%s,\"NodeNames\":[%s]}", pods[i], names);
            snprintf(pod, sizeof pod, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",%s", pods[i] + 1);
            compare_filter(cluster, pod, body);
            compare_scores(cluster, pod, body);
            compare_short(cluster, body);
        }
        joulie_cluster_free(cluster);
    }
}

/* ---- /debug/scoring ---- */

static double number_behind(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    if (at == NULL)
        fail_msg("%s is not in %s", key, json);
    return strtod(at + strlen(key), NULL);
}

static void every_term_of_a_score_is_reported(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = three_nodes();
    const char *pod = "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},"
                      "\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":1}}}]}}";
    char *json = NULL;
    assert_int_equal(joulie_cluster_scoring(cluster, pod, strlen(pod), NOW_MS, &json, NULL),
                     JOULIE_OK);
    assert_near(number_behind(json, "\"perfPressure\":"), 62.5, 1e-9);
    assert_near(number_behind(json, "\"raw\":"), 34.9, 1e-9);
    assert_near(number_behind(json, "\"projectedHeadroom\":"), 59.5, 1e-9);
    assert_near(number_behind(json, "\"marginalW\":"), 105, 1e-9);
    assert_near(number_behind(json, "\"pressure\":"), -18.75, 1e-9);
    assert_near(number_behind(json, "\"baseScore\":"), 61, 1e-9);
    const char *missing = strstr(json, "{\"nodeName\":\"n3\"");
    assert_non_null(missing);
    assert_null(strstr(missing, "\"headroom\""));
    assert_null(strstr(missing, "\"raw\""));
    assert_non_null(strstr(missing, "\"stale\":true"));
    assert_non_null(strstr(missing, "\"basis\":\"missing\""));
    joulie_free(json);
    assert_int_equal(joulie_cluster_scoring(cluster, NULL, 0, NOW_MS, &json, NULL), JOULIE_OK);
    assert_near(number_behind(json, "\"CPUUtilCoeff\":"), 0.7, 1e-9);
    assert_null(strstr(json, "\"score\""));
    joulie_free(json);
    joulie_cluster_free(cluster);
}

/* A pod that the model does not have is asked about with the profile of what it belongs to. */
static void a_pod_has_the_class_of_its_profile(void **state)
{
    static const struct {
        const char *owner; /* of the pod */
        bool is_performance;
    } rows[] = {
        { "", false },
        { "\"controller\":true,\"kind\":\"StatefulSet\",\"name\":\"db\"", true },
        { "\"controller\":true,\"kind\":\"StatefulSet\",\"name\":\"other\"", false },
        { "\"controller\":true,\"kind\":\"ReplicaSet\",\"name\":\"site-5d4f\"", true },
    };
    struct joulie_cluster *cluster = two_nodes(NULL);
    (void)state;
    for (const char *const *subject = (const char *const[]){ "StatefulSet\",\"name\":\"db",
                                                             "Deployment\",\"name\":\"site", NULL };
         *subject != NULL; subject++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"WorkloadProfile\","
                 "\"metadata\":{\"name\":\"w%zu\",\"namespace\":\"d\"},\"spec\":{\"workloadRef\":{"
                 "\"kind\":\"%s\"}},\"status\":{\"criticality\":{\"class\":\"performance\"},"
                 "\"confidence\":0.9,\"lastUpdated\":\"2026-03-13T12:00:00Z\"}}",
                 strlen(*subject), *subject);
        upsert(cluster, text);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "{\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\",\"ownerReferences\":"
                 "[%s%s%s]},\"spec\":{\"containers\":[{\"name\":\"c\"}]}},\"Nodes\":null,"
                 "\"NodeNames\":[\"eco-1\",\"perf-1\"]}",
                 rows[i].owner[0] != '\0' ? "{" : "", rows[i].owner,
                 rows[i].owner[0] != '\0' ? "}" : "");
        expect_filter(cluster, body,
                      rows[i].is_performance
                          ? "{\"NodeNames\":[\"perf-1\"],\"FailedAndUnresolvableNodes\":{"
                            "\"eco-1\":\"" ECO_TEXT "\"}}"
                          : "{\"NodeNames\":[\"eco-1\",\"perf-1\"]}");
    }
    joulie_cluster_free(cluster);
}

/* What is not known of a node is left out, never 0: 0.7 x 70 = 49, and 0.15 x (100 - 20) more where
 * cooling is known; 25 where nothing is. */
static void scoring_leaves_out_what_is_not_known(void **state)
{
    struct joulie_cluster *cluster = two_nodes(NULL);
    char *json = NULL;
    (void)state;
    put_node(cluster, "bare", NULL);
    put_node(cluster, "g", NULL);
    upsert(cluster, "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":"
                    "{\"name\":\"g\"},\"spec\":{\"nodeName\":\"g\"},\"status\":{\"cpu\":{\"model\":"
                    "\"AMD_EPYC_9654\",\"sockets\":2,\"totalCores\":192},\"gpu\":{\"present\":true,"
                    "\"model\":\"NVIDIA_H100_SXM\",\"count\":8}}}");
    assert_int_equal(
        joulie_cluster_scoring(cluster, PERFORMANCE, strlen(PERFORMANCE), NOW_MS, &json, NULL),
        JOULIE_OK);
    assert_non_null(strstr(json, "{\"nodeName\":\"bare\",\"hasGpu\":false,\"stale\":true,"
                                 "\"score\":25,\"wire\":3,\"basis\":\"missing\"}"));
    assert_non_null(strstr(json, "{\"nodeName\":\"eco-1\",\"schedulableClass\":\"eco\","
                                 "\"headroom\":70,\"baseScore\":49,\"hasGpu\":false,"
                                 "\"stale\":false,\"rejected\":\"" ECO_TEXT "\",\"score\":49,"
                                 "\"wire\":5,\"raw\":49,\"projectedHeadroom\":70,"));
    assert_non_null(strstr(json, "{\"nodeName\":\"g\",\"cpuTotalCores\":192,\"cpuMaxWattsTotal\":"
                                 "720,\"gpuCount\":8,\"gpuMaxWattsPerGPU\":700,\"hasGpu\":true,"
                                 "\"stale\":true,\"score\":25,\"wire\":3,\"basis\":\"missing\"}"));
    assert_non_null(strstr(json, "{\"nodeName\":\"perf-1\",\"schedulableClass\":\"performance\","
                                 "\"headroom\":70,\"coolingStress\":20,\"baseScore\":61,"
                                 "\"hasGpu\":false,\"stale\":false,\"score\":61,\"wire\":6,"));
    joulie_free(json);
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejections_stand_where_preemption_does_not_look),
        cmocka_unit_test(what_passes_keeps_its_order_and_empty_members_are_left_out),
        cmocka_unit_test(all_rejected_is_an_empty_list_not_null),
        cmocka_unit_test(keys_are_read_in_any_case),
        cmocka_unit_test(full_nodes_go_back_byte_for_byte),
        cmocka_unit_test(full_nodes_win_over_names_and_the_last_of_two_lists_counts),
        cmocka_unit_test(neither_nodes_nor_names_is_an_error_of_the_answer),
        cmocka_unit_test(escapes_in_a_name_are_understood_and_go_back_as_they_came),
        cmocka_unit_test(scores_carry_the_keys_and_the_range_of_the_protocol),
        cmocka_unit_test(the_filter_follows_twin_then_label_then_fail_policy),
        cmocka_unit_test(the_heartbeat_keeps_twins_fresh),
        cmocka_unit_test(the_grace_of_stale_twins_is_a_setting),
        cmocka_unit_test(caches_that_were_never_filled_follow_the_fail_policy),
        cmocka_unit_test(pressure_is_that_of_the_cluster_and_the_unknown_nodes_that_of_the_request),
        cmocka_unit_test(a_rejected_node_does_not_limit_the_unknown_ones),
        cmocka_unit_test(a_pod_has_the_class_of_its_profile),
        cmocka_unit_test(scoring_leaves_out_what_is_not_known),
        cmocka_unit_test(a_short_reply_names_rejections_only_where_no_node_passed),
        cmocka_unit_test(rejections_that_no_reply_names_are_counted),
        cmocka_unit_test(a_short_reply_has_the_points_above_the_lowest),
        cmocka_unit_test(a_twin_speaks_before_its_node_has_arrived),
        cmocka_unit_test(whole_numbers_are_numbers),
        cmocka_unit_test(scores_follow_a_profile_that_is_set_later),
        cmocka_unit_test(a_profile_that_cannot_be_set_changes_nothing),
        cmocka_unit_test(rules_are_chosen_while_a_model_is_empty),
        cmocka_unit_test(the_formulas_of_the_sources_are_words_of_the_settings),
        cmocka_unit_test(the_formulas_of_the_sources_know_no_catalog),
        cmocka_unit_test(a_request_reports_what_became_of_it),
        cmocka_unit_test(words_of_nobody_and_bad_quantities_are_counted),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(nesting_and_the_number_of_nodes_have_a_limit),
        cmocka_unit_test(options_that_cannot_be_are_refused),
        cmocka_unit_test(settings_that_are_not_built_are_refused),
        cmocka_unit_test(label_keys_that_no_label_can_have_are_refused),
        cmocka_unit_test(over_all_nodes_the_answers_are_those_of_filter_and_score),
        cmocka_unit_test(every_term_of_a_score_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
