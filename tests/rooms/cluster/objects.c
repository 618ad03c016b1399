/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/objects.h"

#include <stdio.h>
#include <string.h>

#include "cluster/state.h"
#include "kinds/kinds.h"
#include "schema/decode.h"

static int hand_over(struct joulie_cluster *cluster, const struct jl_table *table,
                     const void *object, struct joulie_error *err)
{
    if (table == &jl_node_table)
        return jl_cluster_put_node(cluster, object, err);
    if (table == &jl_node_hardware_table)
        return jl_cluster_put_hardware(cluster, object, err);
    if (table == &jl_node_twin_table)
        return jl_cluster_put_twin(cluster, object, err);
    if (table == &jl_pod_table)
        return jl_cluster_put_pod(cluster, object, err);
    assert_ptr_equal(table, &jl_workload_profile_table);
    return jl_cluster_put_profile(cluster, object, err);
}

static const struct jl_table *table_of(struct jl_decode *decode)
{
    struct jl_raw version = { 0 };
    struct jl_raw kind = { 0 };
    char version_text[64] = "";
    char kind_text[64] = "";
    assert_int_equal(jl_decode_member(decode, "apiVersion", &version), 0);
    assert_int_equal(jl_decode_member(decode, "kind", &kind), 0);
    snprintf(version_text, sizeof version_text, "%.*s", (int)version.len - 2, version.text + 1);
    snprintf(kind_text, sizeof kind_text, "%.*s", (int)kind.len - 2, kind.text + 1);
    const struct jl_table *table = jl_kind_find(version_text, kind_text);
    assert_non_null(table);
    return table;
}

static void put_text(struct joulie_cluster *cluster, const char *text)
{
    struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_decode decode = { .arena = &arena, .text = text, .len = strlen(text), .err = &err };
    const struct jl_table *table = table_of(&decode);
    void *object = jl_arena_alloc(&arena, table->size);
    int rc = jl_decode_document(&decode, table, object);
    if (rc == 0)
        rc = hand_over(cluster, table, object, &err);
    if (rc != 0)
        fail_msg("%s: %s: %s", text, err.where, err.message);
    jl_arena_clear(&arena);
}

void put(struct joulie_cluster *cluster, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    const int len = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert_true(len > 0 && (size_t)len < sizeof text);
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '\'')
            *c = '"';
    }
    put_text(cluster, text);
}

void take_away(struct joulie_cluster *cluster, const char *kind, const char *name)
{
    assert_int_equal(joulie_cluster_remove(cluster, kind, "default", name, NULL), 0);
}

void put_cpu_node(struct joulie_cluster *cluster, const char *name)
{
    put(cluster,
        "{'apiVersion':'v1','kind':'Node','metadata':{'name':'%s','labels':{'joulie.io/"
        "managed':'true'}},"
        "'status':{'capacity':{'cpu':'192'},'allocatable':{'cpu':'192'}}}",
        name);
    put(cluster,
        "{'apiVersion':'joulie.io/"
        "v1alpha1','kind':'NodeHardware','metadata':{'name':'%s'},'spec':{'nodeName':'%s'},"
        "'status':{'cpu':{'model':'AMD_EPYC_9654','sockets':2,'totalCores':192}}}",
        name, name);
}

void put_pod(struct joulie_cluster *cluster, const char *name, const char *node,
             const char *class_word, const char *phase)
{
    char annotations[128] = "";
    char place[128] = "";
    if (class_word != NULL)
        snprintf(annotations, sizeof annotations,
                 ",'annotations':{'joulie.io/workload-class':'%s'}", class_word);
    if (node != NULL)
        snprintf(place, sizeof place, ",'nodeName':'%s'", node);
    put(cluster,
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'default'%s},"
        "'spec':{'containers':[{'name':'c'}]%s},'status':{'phase':'%s'}}",
        name, annotations, place, phase);
}

void measure(struct joulie_cluster *cluster, const char *node, int64_t at_ms, double watts)
{
    struct joulie_cluster_sample sample = { .struct_size = sizeof sample, .at_ms = at_ms };
    sample.has |= JOULIE_CLUSTER_SAMPLE_HAS_NODE_POWER;
    sample.node_power_w = watts;
    sample.source = JOULIE_POWER_SOURCE_PROMETHEUS;
    assert_int_equal(joulie_cluster_put_sample(cluster, node, &sample, NULL), 0);
}

struct joulie_cluster *new_cluster(const struct jl_cluster_config *config)
{
    static const struct jl_cluster_config defaults;
    struct joulie_cluster *cluster = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (jl_cluster_make(config != NULL ? config : &defaults, &cluster, &err) != 0)
        fail_msg("%s: %s", err.where, err.message);
    return cluster;
}

struct jl_cluster_config queue_config(void)
{
    struct jl_cluster_config config = { .given.policy = true };
    JL_SET(&config.policy, type, JL_POLICY_QUEUE);
    JL_SET(&config.policy, queue_hp_base_frac, 0);
    JL_SET(&config.policy, queue_hp_min, 0);
    JL_SET(&config.policy, queue_perf_per_hp_node, 1);
    return config;
}

struct actions step(struct joulie_cluster *cluster, int64_t now_ms)
{
    struct actions actions = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (jl_cluster_step(cluster, now_ms, &actions.items, &actions.count, &err) != 0)
        fail_msg("step: %s: %s", err.where, err.message);
    return actions;
}

void apply_all(struct joulie_cluster *cluster, const struct actions *actions)
{
    for (size_t i = 0; i < actions->count; i++)
        assert_int_equal(
            joulie_cluster_action_done(cluster, actions->items[i].id, JOULIE_OUTCOME_APPLIED, NULL),
            0);
}

int settle(struct joulie_cluster *cluster, int64_t now_ms)
{
    int steps = 0;
    for (struct actions actions = step(cluster, now_ms); actions.count > 0;
         actions = step(cluster, now_ms)) {
        apply_all(cluster, &actions);
        assert_true(++steps < 10);
    }
    return steps;
}

const struct jl_cluster_write *find_action(const struct actions *actions, enum joulie_change kind,
                                           const char *node)
{
    for (size_t i = 0; i < actions->count; i++) {
        if (actions->items[i].change == kind && strcmp(actions->items[i].node_name, node) == 0)
            return &actions->items[i];
    }
    return NULL;
}

struct joulie_cluster_totals totals(struct joulie_cluster *cluster)
{
    struct joulie_cluster_totals out = JOULIE_INIT(struct joulie_cluster_totals);
    assert_int_equal(joulie_cluster_get_totals(cluster, &out, NULL), JOULIE_OK);
    return out;
}

struct jl_cluster_reasons explain(struct joulie_cluster *cluster, const char *node)
{
    struct jl_cluster_reasons explanation;
    assert_int_equal(jl_cluster_reasons_of(cluster, node, &explanation, NULL), 0);
    return explanation;
}

struct joulie_cluster *started_anew(struct joulie_cluster *before,
                                    const struct jl_cluster_config *config)
{
    struct joulie_cluster *cluster = new_cluster(config);
    for (size_t i = 0; i < before->store.twins.capacity; i++) {
        const struct node_object *twin = jl_cluster_slot(&before->store.twins, i);
        if (twin != NULL)
            assert_int_equal(jl_cluster_put_twin(cluster, &twin->value.twin, NULL), 0);
    }
    for (size_t i = 0; i < before->store.nodes.capacity; i++) {
        const struct cluster_node *node = jl_cluster_slot(&before->store.nodes, i);
        if (node == NULL || !node->is_known)
            continue;
        assert_int_equal(jl_cluster_put_node(cluster, &node->value, NULL), 0);
        const struct node_object *hardware = node->hardware_objects;
        if (hardware != NULL)
            assert_int_equal(jl_cluster_put_hardware(cluster, &hardware->value.hardware, NULL), 0);
    }
    joulie_cluster_free(before);
    return cluster;
}
