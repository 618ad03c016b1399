/* SPDX-License-Identifier: Apache-2.0 */

/* The state of a cluster as the question status answers it: what it needs is fetched here, and its
 * summary and table printed. status, top and doctor use it. */

#include "overview.h"

#include <stdio.h>

#include "base/number.h"
#include "runtime/json.h"

/* ---- what the question is asked ---- */

/* Twins of nodes that a selector left out go. */
static void keep_selected(struct json_object *doc)
{
    struct json_object *twins = jd_json_at(doc, "twins");
    JL_CLEANUP(jd_json_freep) struct json_object *names = jd_nodes_of(jd_json_at(doc, "nodes"));
    struct json_object *kept = json_object_new_array();
    for (size_t i = 0; i < jd_json_count(twins); i++) {
        struct json_object *twin = jd_item(twins, i);
        const char *name = jd_node_of(twin);
        if (name && json_object_object_get_ex(names, name, NULL))
            json_object_array_add(kept, json_object_get(twin));
    }
    json_object_object_add(doc, "twins", kept);
}

static int collect(const struct jd_call *call, struct jd_cluster *cluster, struct json_object *doc)
{
    const char *selector = call->values.selector;
    const struct jd_collection parts[] = {
        { "twins", { .resource = &jd_node_twins, .is_text = !selector } },
        { "nodes", { .resource = &jd_nodes, .labels = selector, .is_text = !selector } },
        { "pods",
          { .resource = &jd_pods,
            .fields = "status.phase!=Succeeded,status.phase!=Failed",
            .is_text = true } },
    };

    int status = jd_cluster_add(cluster, parts, JL_COUNT(parts), doc);
    if (status == JD_EXIT_OK)
        status = jd_cluster_add_time(cluster, call->values.access.name_space, doc);
    if (status == JD_EXIT_OK)
        jd_cluster_add_agents(cluster, call->values.access.name_space, doc);
    if (status == JD_EXIT_OK && selector)
        keep_selected(doc);
    return status;
}

int jd_overview_fetch(const struct jd_call *call, struct jd_cluster *cluster,
                      struct json_object **out)
{
    JL_CLEANUP(jd_json_freep) struct json_object *doc = json_object_new_object();
    const int status = collect(call, cluster, doc);
    *out = status == JD_EXIT_OK ? jd_cluster_ask(cluster, "status", doc, NULL) : NULL;
    return status == JD_EXIT_OK && !*out ? JD_EXIT_BAD : status;
}

static int64_t count_of(struct json_object *overview, const char *path)
{
    return json_object_get_int64(jd_json_at(overview, path));
}

bool jd_overview_is_stale(struct json_object *overview)
{
    return count_of(overview, "summary.stale") > 0;
}

/* ---- for a person ---- */

void jd_add_number(struct jd_table *table, struct json_object *node, const char *member,
                   const char *unit)
{
    struct json_object *found = jd_json_at(node, member);
    if (found)
        jd_table_addf(table, "%.0f%s", json_object_get_double(found), unit);
    else
        jd_table_add(table, NULL);
}

void jd_add_text(struct jd_table *table, struct json_object *node, const char *member)
{
    jd_table_add(table, jd_json_text(node, member));
}

/* 42s, 7m, 3h, 12d. */
void jd_add_age(struct jd_table *table, struct json_object *node)
{
    static const struct {
        double below_s;
        double unit_s;
        char unit;
    } units[] = { { 120, 1, 's' }, { 7200, 60, 'm' }, { 172800, 3600, 'h' }, { 0, 86400, 'd' } };

    struct json_object *found = jd_json_at(node, "ageS");
    const double age_s = jl_max(0, json_object_get_double(found));
    size_t i = 0;
    while (i + 1 < JL_COUNT(units) && age_s >= units[i].below_s)
        i++;
    if (found)
        jd_table_addf(table, "%lld%c", (long long)(age_s / units[i].unit_s), units[i].unit);
    else
        jd_table_add(table, NULL);
}

static void put_counts(struct json_object *overview, struct jl_buffer *out)
{
    static const char *const classes[] = { "eco", "performance", "draining", "unknown" };
    const char *before = " (";
    jd_put_format(out, "  Nodes: %lld total", (long long)count_of(overview, "summary.nodes"));
    for (size_t i = 0; i < JL_COUNT(classes); i++) {
        char path[32];
        snprintf(path, sizeof path, "summary.%s", classes[i]);
        const int64_t count = count_of(overview, path);
        if (count == 0)
            continue;
        jd_put_format(out, "%s%lld %s", before, (long long)count, classes[i]);
        before = ", ";
    }
    jl_put_string(out, before[0] == ',' ? ")\n" : "\n");
}

static void put_power(struct json_object *overview, struct jl_buffer *out)
{
    const long long off = count_of(overview, "summary.off");
    const long long left_alone = count_of(overview, "summary.leftAlone");
    if (off > 0)
        jd_put_format(out, "  Switched off: %lld of them\n", off);
    if (left_alone > 0)
        jd_put_format(
            out, "  Left alone, as switching failed: %lld of them (joulie doctor names them)\n",
            left_alone);
}

static bool put_mean(struct json_object *overview, const char *name, const char *path,
                     struct jl_buffer *out)
{
    struct json_object *found = jd_json_at(overview, path);
    if (found)
        jd_put_format(out, "%s: %.0f%%", name, json_object_get_double(found));
    return found != NULL;
}

void jd_overview_put_summary(struct json_object *overview, struct jl_buffer *out)
{
    jl_put_string(out, "CLUSTER ENERGY STATE\n");
    put_counts(overview, out);
    if (put_mean(overview, "  Avg cooling stress", "summary.avgCoolingStressScore", out)) {
        if (put_mean(overview, "  |  Peak", "summary.peakCoolingStressScore", out)) {
            jl_put_string(out, " (");
            jd_put_plain(out, jd_json_text(overview, "summary.peakCoolingNode"));
            jl_put_char(out, ')');
        }
        jl_put_char(out, '\n');
    }
    if (put_mean(overview, "  Avg PSU stress", "summary.avgPsuStressScore", out))
        jl_put_char(out, '\n');
    if (put_mean(overview, "  Avg power headroom", "summary.avgPowerHeadroomScore", out))
        jl_put_char(out, '\n');
    jd_put_format(out, "  Running pods: %lld\n",
                  (long long)count_of(overview, "summary.runningPods"));
    put_power(overview, out);
    if (count_of(overview, "summary.agentSilent") > 0)
        jd_put_format(out, "  Agents gone: %lld, none of their caps is in force\n",
                      (long long)count_of(overview, "summary.agentSilent"));
    if (jd_overview_is_stale(overview))
        jd_put_format(out, "  Stale: %lld of them (joulie doctor says why)\n",
                      (long long)count_of(overview, "summary.stale"));
}

/* A node without a status shows that by itself. What is off has no need of a class. */
void jd_add_class(struct jd_table *table, struct json_object *node)
{
    const bool is_stale = json_object_get_boolean(jd_json_at(node, "stale"));
    const char *class = jd_json_text(node, "class");
    const char *power = jd_json_text(node, "powerState");
    const bool is_silent = json_object_get_boolean(jd_json_at(node, "agentSilent"));
    const char *age = is_stale && jd_json_at(node, "ageS") ? " (stale)" : "";
    const char *agent = is_silent ? " (no agent)" : "";
    if (power && (!class || jl_same(class, "unknown")))
        jd_table_addf(table, "%s%s%s", power, age, agent);
    else if (power)
        jd_table_addf(table, "%s (%s)%s%s", class, power, age, agent);
    else
        jd_table_addf(table, "%s%s%s", class ? class : "-", age, agent);
}

static void add_row(struct jd_table *table, struct json_object *node, bool is_wide)
{
    jd_add_text(table, node, "nodeName");
    jd_add_class(table, node);
    jd_add_number(table, node, "headroomScore", "%");
    jd_add_number(table, node, "coolingStressScore", "%");
    jd_add_number(table, node, "cpuRequestPct", "%");
    jd_add_number(table, node, "memoryRequestPct", "%");
    jd_add_number(table, node, "gpuRequestPct", "%");
    jd_add_number(table, node, "pods", "");
    jd_add_number(table, node, "cpuCapPct", "%");
    jd_add_number(table, node, "gpuCapPct", "%");
    if (!is_wide)
        return;
    jd_add_text(table, node, "profile");
    jd_add_number(table, node, "measuredNodePowerW", "W");
    jd_add_number(table, node, "nodeCappedPowerW", "W");
    jd_add_age(table, node);
}

void jd_overview_put_table(struct json_object *overview, bool is_wide, bool has_heads,
                           struct jl_buffer *out)
{
    static const char *const heads[] = { "NODE",    "CLASS",    "HEADROOM", "COOLING", "CPU%",
                                         "MEM%",    "GPU%",     "PODS",     "CPU CAP", "GPU CAP",
                                         "PROFILE", "MEASURED", "CAPPED",   "AGE" };

    enum { WIDE_ONLY = 4 };
    struct json_object *nodes = jd_json_at(overview, "nodes");
    struct jd_table table;
    jd_table_init(&table, heads, JL_COUNT(heads) - (is_wide ? 0 : WIDE_ONLY));
    for (size_t i = 0; i < jd_json_count(nodes); i++)
        add_row(&table, jd_item(nodes, i), is_wide);
    jd_table_end(&table, has_heads, out);
}
