/* SPDX-License-Identifier: Apache-2.0 */

/* The scoring profile efficiency in a model: what stands on a node counts from its binding on, and
 * only while it is there. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cluster/api.h"

#define WORDS "{\"scoringProfile\":\"efficiency\"}"
/* Of 192 cores of two EPYC 9654: slope (817 - 257)/0.9/192 W a core, 8 cores at 0.7; step 257 - 128
 * less a tenth of the slope. */
#define SLOPE_W (8 * 0.7 * (817 - 257) / 0.9 / 192)
#define STEP_W (257 - 128 - 0.1 * (817 - 257) / 0.9)

static void put_node(struct joulie_cluster *cluster, const char *name)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"%s\"},"
             "\"status\":{\"allocatable\":{\"cpu\":\"100\"}}}",
             name);
    upsert(cluster, text);
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeHardware\",\"metadata\":{"
             "\"name\":\"%s\"},\"spec\":{\"nodeName\":\"%s\"},\"status\":{\"cpu\":{\"model\":"
             "\"AMD_EPYC_9654\",\"sockets\":2,\"totalCores\":192}}}",
             name, name);
    upsert(cluster, text);
}

/* more: further members of metadata, with a comma before; phase "" = none. */
static void put_pod(struct joulie_cluster *cluster, const char *name, const char *node,
                    const char *more, const char *phase)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"namespace\":"
             "\"d\"%s},\"spec\":{%s%s%s\"containers\":[{\"name\":\"c\",\"resources\":{"
             "\"requests\":{\"cpu\":\"3500m\"}}}]},\"status\":{\"phase\":\"%s\"}}",
             name, more, node[0] != '\0' ? "\"nodeName\":\"" : "", node,
             node[0] != '\0' ? "\"," : "", phase);
    upsert(cluster, text);
}

struct placed {
    size_t count;
    int32_t wire[4];
    int32_t basis[4];
    double step_w[4];
    double packing_w[4];
    double cost_w[4];
};

/* Of work with 8 cores, nodes by name. */
static struct placed place(struct joulie_cluster *cluster)
{
    struct joulie_work work = JOULIE_INIT(struct joulie_work);
    struct joulie_place_columns_out out = JOULIE_INIT(struct joulie_place_columns_out);
    struct placed placed = { 0 };
    work.has = JOULIE_WORK_HAS_CPU;
    work.cpu_cores = 8;
    out.wire = (struct joulie_column_int_out){ placed.wire, sizeof placed.wire[0] };
    out.basis = (struct joulie_column_int_out){ placed.basis, sizeof placed.basis[0] };
    out.cost_step_w = (struct joulie_column_out){ placed.step_w, sizeof(double) };
    out.cost_packing_w = (struct joulie_column_out){ placed.packing_w, sizeof(double) };
    out.cost_w = (struct joulie_column_out){ placed.cost_w, sizeof(double) };
    assert_int_equal(
        joulie_cluster_place(cluster, &work, NOW_MS, NULL, &out, 4, &placed.count, NULL), 0);
    return placed;
}

/* What stands on a and b, in pods and whole percents of 100 cores. */
static void assert_held(struct joulie_cluster *cluster, bool is_a_empty, int a_pct, bool is_b_empty,
                        int b_pct)
{
    const struct placed placed = place(cluster);
    assert_int_equal(placed.count, 2);
    assert_near(placed.step_w[0], is_a_empty ? STEP_W : 0, 1e-9);
    assert_near(placed.step_w[1], is_b_empty ? STEP_W : 0, 1e-9);
    assert_near(placed.packing_w[0], -0.01 * a_pct, 1e-12);
    assert_near(placed.packing_w[1], -0.01 * b_pct, 1e-12);
    assert_near(placed.cost_w[0], SLOPE_W + placed.step_w[0] + placed.packing_w[0], 1e-9);
    const bool is_equal = is_a_empty == is_b_empty && a_pct == b_pct;
    const bool is_a_best = placed.cost_w[0] < placed.cost_w[1];
    assert_int_equal(placed.wire[0], is_equal || is_a_best ? 10 : 0);
    assert_int_equal(placed.wire[1], is_equal || !is_a_best ? 10 : 0);
}

static struct joulie_cluster *two_nodes(void)
{
    struct joulie_cluster *cluster = make(WORDS);
    put_node(cluster, "b");
    put_node(cluster, "a");
    return cluster;
}

static void a_pod_counts_from_its_binding_to_its_end(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes();
    assert_held(cluster, true, 0, true, 0);
    put_pod(cluster, "p", "", "", "Pending");
    assert_held(cluster, true, 0, true, 0);
    put_pod(cluster, "p", "b", "", "Pending"); /* bound, and not started yet */
    assert_held(cluster, true, 0, false, 3);
    put_pod(cluster, "p", "b", "", "Running");
    put_pod(cluster, "q", "b", "", "Running"); /* 7 cores of 100 */
    assert_held(cluster, true, 0, false, 7);
    put_pod(cluster, "q", "a", "", "Running");
    assert_held(cluster, false, 3, false, 3);
    put_pod(cluster, "p", "b", "", "Succeeded");
    assert_held(cluster, false, 3, true, 0);
    assert_int_equal(joulie_cluster_remove(cluster, "Pod", "d", "q", NULL), 0);
    assert_held(cluster, true, 0, true, 0);
    joulie_cluster_free(cluster);
}

static void pods_of_the_node_itself_do_not_count(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = two_nodes();
    put_pod(cluster, "agent", "a",
            ",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"DaemonSet\",\"name\":"
            "\"d\",\"uid\":\"u\"}]",
            "Running");
    put_pod(cluster, "mirror", "b", ",\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}",
            "Running");
    assert_held(cluster, true, 0, true, 0);
    joulie_cluster_free(cluster);
}

/* Pods may come before their node, and nodes come and go. */
static void the_order_of_objects_does_not_matter(void **state)
{
    (void)state;
    struct joulie_cluster *cluster = make(WORDS);
    put_pod(cluster, "p", "a", "", "Running");
    put_node(cluster, "b");
    assert_int_equal(place(cluster).count, 1);
    put_node(cluster, "a");
    assert_held(cluster, false, 3, true, 0);
    assert_int_equal(joulie_cluster_remove(cluster, "Node", "", "a", NULL), 0);
    assert_int_equal(place(cluster).count, 1);
    put_node(cluster, "a");
    assert_held(cluster, false, 3, true, 0);
    joulie_cluster_free(cluster);
}

/* Work of an embedding program: on every one of its nodes, without Kubernetes. */
static void work_without_objects_counts_on_each_of_its_nodes(void **state)
{
    static const char *const both[] = { "a", "b" };
    struct joulie_cluster_work work = JOULIE_INIT(struct joulie_cluster_work);
    struct joulie_work needs = JOULIE_INIT(struct joulie_work);
    (void)state;
    struct joulie_cluster *cluster = two_nodes();
    work.node_names = both;
    work.node_count = 2;
    work.needs = &needs;
    needs.has = JOULIE_WORK_HAS_CPU;
    needs.cpu_cores = 4.25;
    assert_int_equal(joulie_cluster_put_work(cluster, "d", "w", &work, NULL), 0);
    assert_held(cluster, false, 4, false, 4);
    needs.has = 0; /* asks for no core: there is a piece, and nothing of the cores is in use */
    work.node_count = 1;
    assert_int_equal(joulie_cluster_put_work(cluster, "d", "w", &work, NULL), 0);
    assert_held(cluster, false, 0, true, 0);
    work.is_finished = 1;
    assert_int_equal(joulie_cluster_put_work(cluster, "d", "w", &work, NULL), 0);
    assert_held(cluster, true, 0, true, 0);
    joulie_cluster_free(cluster);
}

/* The extender sends the same numbers, and explains them; a node without hardware has 0. */
static void the_extender_answers_by_cost(void **state)
{
    static const char body[] =
        "{\"Pod\":{\"metadata\":{\"name\":\"n\",\"namespace\":\"d\"},\"spec\":{\"containers\":[{"
        "\"name\":\"c\",\"resources\":{\"requests\":{\"cpu\":\"8\"}}}]}},\"NodeNames\":[\"b\","
        "\"a\",\"c\"]}";
    struct joulie_extender_options options = JOULIE_INIT(struct joulie_extender_options);
    char *text = NULL;
    (void)state;
    struct joulie_cluster *cluster = two_nodes();
    put_pod(cluster, "p", "a", "", "Running");
    upsert(cluster, "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"c\"}}");
    options.now_ms = NOW_MS;
    options.verb = JOULIE_EXTENDER_PRIORITIZE;
    options.is_filled = 1;
    assert_int_equal(
        joulie_cluster_extend(cluster, body, strlen(body), &options, &text, NULL, NULL), 0);
    assert_string_equal(text, "[{\"Host\":\"b\",\"Score\":0},{\"Host\":\"a\",\"Score\":10},"
                              "{\"Host\":\"c\",\"Score\":0}]");
    joulie_free(text);
    const char *pod = strstr(body, "{\"metadata\"");
    const size_t len = (size_t)(strstr(body, ",\"NodeNames\"") - pod);
    assert_int_equal(joulie_cluster_scoring(cluster, pod, len, NOW_MS, &text, NULL), 0);
    assert_non_null(strstr(text, "\"wire\":10"));
    assert_non_null(strstr(text, "\"terms\":{\"slopeW\":18.1481"));
    assert_non_null(strstr(text, "\"packingW\":-0.03,\"costW\":18.1181"));
    joulie_free(text);
    joulie_cluster_free(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pod_counts_from_its_binding_to_its_end),
        cmocka_unit_test(pods_of_the_node_itself_do_not_count),
        cmocka_unit_test(the_order_of_objects_does_not_matter),
        cmocka_unit_test(work_without_objects_counts_on_each_of_its_nodes),
        cmocka_unit_test(the_extender_answers_by_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
