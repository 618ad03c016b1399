/* SPDX-License-Identifier: Apache-2.0 */

/* The state of a cluster once, or over and over (docs/rules/commands.md#status). */

#include <time.h>

#include "cluster.h"
#include "overview.h"

#define REFRESH_S 2
#define CLEAR_SCREEN "\033[2J\033[H"
#define PERCENT 100

/* ---- --explain: how the workloads were classified ---- */

static void add_profile(struct jd_table *table, struct json_object *profile)
{
    struct json_object *confidence = jd_json_at(profile, "status.confidence");
    const char *name = jd_json_text(profile, "spec.workloadRef.name");
    jd_add_text(table, profile, "metadata.namespace");
    jd_table_add(table, name ? name : jd_json_text(profile, "metadata.name"));
    jd_add_text(table, profile, "status.criticality.class");
    if (confidence)
        jd_table_addf(table, "%.0f%%", PERCENT * json_object_get_double(confidence));
    else
        jd_table_add(table, NULL);
    jd_add_text(table, profile, "status.cpu.bound");
    jd_add_text(table, profile, "status.gpu.bound");
    jd_add_text(table, profile, "status.classificationReason");
}

static int by_place(const void *a, const void *b)
{
    struct json_object *const *left = a;
    struct json_object *const *right = b;
    const int order = jl_compare(jd_json_text(*left, "metadata.namespace"),
                                 jd_json_text(*right, "metadata.namespace"));
    return order != 0 ? order
                      : jl_compare(jd_json_text(*left, "metadata.name"),
                                   jd_json_text(*right, "metadata.name"));
}

static void put_profiles(struct json_object *profiles, bool has_heads, struct jl_buffer *out)
{
    static const char *const heads[] = { "NAMESPACE", "NAME",      "CLASS", "CONFIDENCE",
                                         "CPU BOUND", "GPU BOUND", "REASON" };
    struct jd_table table;
    jl_put_string(out, "\nWORKLOAD CLASSIFICATION\n");
    if (jd_json_count(profiles) == 0) {
        jl_put_string(out, "No WorkloadProfile resources found. Is the classifier running?\n");
        return;
    }
    json_object_array_sort(profiles, by_place);
    jd_table_init(&table, heads, JL_COUNT(heads));
    for (size_t i = 0; i < jd_json_count(profiles); i++)
        add_profile(&table, jd_item(profiles, i));
    jd_table_end(&table, has_heads, out);
}

static int explain(struct jd_call *call, struct jd_cluster *cluster)
{
    const struct jd_collection profiles = { "profiles", { .resource = &jd_workload_profiles } };
    JL_CLEANUP(jd_json_freep) struct json_object *doc = json_object_new_object();
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    const int status = jd_cluster_add(cluster, &profiles, 1, doc);
    if (status != JD_EXIT_OK)
        return status;
    put_profiles(jd_json_at(doc, "profiles"), !call->values.no_headers, &out);
    return jd_cluster_put(call, cluster, &out);
}

/* ---- once ---- */

static void put_names(struct json_object *overview, struct jl_buffer *out)
{
    struct json_object *nodes = jd_json_at(overview, "nodes");
    for (size_t i = 0; i < jd_json_count(nodes); i++) {
        jl_put_string(out, "node/");
        jd_put_plain(out, jd_json_text(jd_item(nodes, i), "nodeName"));
        jl_put_char(out, '\n');
    }
}

static void put_nothing(const struct jd_call *call, struct jl_buffer *out)
{
    const char *selector = call->values.selector;
    if (!selector) {
        jl_put_string(out, "No NodeTwin resources found. Is Joulie installed?\n");
        return;
    }
    jl_put_string(out, "No NodeTwin of a node that matches ");
    jd_put_plain(out, selector);
    jl_put_string(out, ".\n");
}

static void put_tables(const struct jd_call *call, struct json_object *overview, void *user,
                       struct jl_buffer *out)
{
    (void)user;
    if (call->values.watch)
        jl_put_string(out, CLEAR_SCREEN);
    if (jd_json_count(jd_json_at(overview, "nodes")) == 0) {
        put_nothing(call, out);
        return;
    }
    jd_overview_put_summary(overview, out);
    jl_put_char(out, '\n');
    jd_overview_put_table(overview, jl_same(call->values.output, "wide"), !call->values.no_headers,
                          out);
}

static int refresh(struct jd_call *call, struct jd_cluster *cluster)
{
    static const struct jd_view view = { put_names, put_tables, NULL };
    JL_CLEANUP(jd_json_freep) struct json_object *overview = NULL;
    int status = jd_overview_fetch(call, cluster, &overview);
    if (status != JD_EXIT_OK)
        return status;
    status = jd_cluster_show(call, cluster, overview, &view);
    if (status == JD_EXIT_OK && call->values.explain)
        status = explain(call, cluster);
    if (call->values.require_fresh && jd_overview_is_stale(overview))
        status = jd_worse(status, JD_EXIT_STALE);
    return status;
}

/* Until Ctrl-C; a refresh that fails is reported, and the next one may work again. */
static int keep_showing(struct jd_call *call, struct jd_cluster *cluster)
{
    const struct timespec pause = { .tv_sec = REFRESH_S };
    for (;;) {
        refresh(call, cluster);
        jd_print("\n  (watching — refresh every %ds, Ctrl-C to stop)\n", REFRESH_S);
        if (jd_finish_output(JD_EXIT_OK) != JD_EXIT_OK)
            return JD_EXIT_BAD;
        nanosleep(&pause, NULL);
    }
}

static int run(struct jd_call *call)
{
    const bool is_table = !jd_is_for_programs(call) && !jl_same(call->values.output, "name");
    if (!is_table && (call->values.explain || call->values.watch))
        return jd_usage("--explain and --watch print tables; they do not go with -o %s",
                        call->values.output);
    if (call->values.watch && call->values.require_fresh)
        return jd_usage("--watch ends with Ctrl-C; --require-fresh has no exit status to set");
    return jd_on_cluster(call, call->values.watch ? keep_showing : refresh);
}

static const struct jd_setting options[] = {
    JD_OPTION_ROW("WATCH", 'W', JD_BOOLEAN_AT(jd_values, watch), NULL,
                  "clear the screen and repeat every two seconds"),
    JD_BOOLEAN_ROW("EXPLAIN", explain, "also how the workloads were classified"),
    JD_BOOLEAN_ROW("REQUIRE_FRESH", require_fresh,
                   "exit with 3 when the status of a node is stale"),
    JD_SELECTOR_ROW("labels of the nodes to show"),
    JD_OPERATOR_ROW,
    JD_ALL_NAMESPACES_ROW,
    JD_CLUSTER_ROWS,
};

const struct jd_command jd_command_status = {
    .name = "status",
    .summary = "The energy state of a cluster",
    .text = "Every NodeTwin with its node and pods. A value that nobody knows is shown as -.",
    .question = "status",
    JD_ROWS(options),
    .run = run,
};
