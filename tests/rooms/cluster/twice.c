/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/twice.h"

#include <string.h>

#include "base/buffer.h"
#include "cluster/state.h"
#include "schema/encode.h"

struct jl_cluster_config world_config(enum jl_policy_type policy)
{
    static const char *rack_names[] = { "r1" };
    static struct jl_rack_setting racks[] = { { .has = 1, .capacity_w = 700 } };
    static const char *zone_names[] = { "z2" };
    static struct jl_zone_setting zones[] = { { .has = 1, .outside_temp_c = 31 } };
    struct jl_cluster_config config = queue_config();
    JL_SET(&config.policy, type, policy);
    JL_SET(&config, racks, ((struct jl_dict){ rack_names, racks, 1 }));
    JL_SET(&config, zones, ((struct jl_dict){ zone_names, zones, 1 }));
    JL_SET(&config, has_ledger, true);
    JL_SET(&config.policy, node_selector, "joulie.io/managed=true");
    JL_SET(&config, rack_capacity_w, 2000);
    JL_SET(&config, cluster_capacity_w, 10000);
    return config;
}

static void put_part(struct jl_buffer *out, const char *name, const struct jl_table *table,
                     const void *object)
{
    jl_put_string(out, name);
    if (object != NULL)
        jl_encode(out, table, object);
}

/* Everything about an action but its number. */
static void print_action(struct jl_buffer *out, const struct jl_cluster_write *action)
{
    jl_put_i64(out, (int64_t)action->change);
    jl_put_char(out, ' ');
    jl_put_string(out, action->node_name);
    jl_put_char(out, ' ');
    jl_put_string(out, action->object_name != NULL ? action->object_name : "-");
    jl_put_char(out, ' ');
    jl_put_string(out, action->label != NULL ? action->label : "-");
    jl_put_char(out, ' ');
    jl_put_string(out, action->profile_since != NULL ? action->profile_since : "-");
    jl_put_char(out, ' ');
    jl_put_string(out, action->cap_lowered != NULL ? action->cap_lowered : "-");
    put_part(out, "\n  spec ", &jl_twin_spec_table, action->spec);
    put_part(out, "\n  old spec ", &jl_twin_spec_table, action->old_spec);
    put_part(out, "\n  status ", &jl_twin_status_table, action->status);
    put_part(out, "\n  old status ", &jl_twin_status_table, action->old_status);
    jl_put_string(out, "\n  ");
    jl_put_string(out, action->reason);
    jl_put_char(out, '\n');
}

static void print_actions(struct jl_buffer *out, const struct actions *actions)
{
    for (size_t i = 0; i < actions->count; i++)
        print_action(out, &actions->items[i]);
}

static void print_scores(struct jl_buffer *out, struct joulie_cluster *cluster, int64_t now_ms)
{
    struct jl_pair annotation = { "joulie.io/workload-class", "performance" };
    struct jl_pod pods[2] = { 0 };
    pods[1].meta.annotations = (struct jl_map){ &annotation, 1 };
    for (int i = 0; i < 2; i++) {
        const struct jl_cluster_score *scores = NULL;
        size_t count = 0;
        assert_int_equal(jl_cluster_score_pod(cluster, &pods[i], now_ms, &scores, &count, NULL), 0);
        for (size_t s = 0; s < count; s++) {
            jl_put_string(out, scores[s].node_name);
            jl_put_char(out, ' ');
            jl_put_i64(out, scores[s].score);
            jl_put_char(out, scores[s].is_known ? 'k' : 'u');
            if (scores[s].is_known) {
                jl_put_double(out, scores[s].raw);
                jl_put_char(out, ' ');
                jl_put_double(out, scores[s].headroom);
            }
            jl_put_string(out, scores[s].rejected != NULL ? scores[s].rejected : "");
            jl_put_char(out, '\n');
        }
    }
}

/* What is known of each node, written or not. */
static void print_nodes(struct jl_buffer *out, struct joulie_cluster *cluster)
{
    struct joulie_cluster_node node = JOULIE_INIT(struct joulie_cluster_node);
    for (size_t i = 0; joulie_cluster_node_at(cluster, i, &node, NULL) == 0; i++) {
        struct jl_cluster_reasons reasons;
        assert_int_equal(jl_cluster_reasons_of(cluster, node.name, &reasons, NULL), 0);
        jl_put_string(out, node.name);
        jl_put_char(out, ' ');
        jl_put_double(out, reasons.rack_power_w);
        jl_put_char(out, ' ');
        jl_put_double(out, node.ledger_w);
        put_part(out, "\n  wanted ", &jl_twin_spec_table, reasons.wanted);
        struct jl_limit_report limit;
        jl_limit_report_of(&reasons.limit, &limit);
        put_part(out, "\n  limit ", &jl_limit_report_table, &limit);
        if (reasons.status != NULL)
            put_part(out, "\n  predicted ", &jl_twin_status_table, reasons.status);
        jl_put_char(out, '\n');
    }
    const struct joulie_cluster_totals sums = totals(cluster);
    const int64_t counts[] = { sums.ledger_entries, sums.pods_performance, sums.pods_eco,
                               sums.pods_general, sums.pods_unknown };
    for (size_t i = 0; i < JL_COUNT(counts); i++) {
        jl_put_char(out, ' ');
        jl_put_i64(out, counts[i]);
    }
    jl_put_char(out, ' ');
    jl_put_double(out, sums.weighted_demand);
}

static size_t line_length(const char *text)
{
    const char *end = strchr(text, '\n');
    return end != NULL ? (size_t)(end - text) : strlen(text);
}

/* Fails with the first line that differs. */
static void assert_same_text(const struct jl_buffer *a, const struct jl_buffer *b,
                             uint64_t order_seed)
{
    const char *left = a->data != NULL ? a->data : "";
    const char *right = b->data != NULL ? b->data : "";
    const char *left_line = left;
    const char *right_line = right;
    for (; *left != '\0' && *left == *right; left++, right++) {
        if (*left == '\n') {
            left_line = left + 1;
            right_line = right + 1;
        }
    }
    if (*left != *right) {
        print_message("order %llu:\n", (unsigned long long)order_seed);
        print_message("%.*s\nfrom scratch:\n", (int)line_length(left_line), left_line);
        print_message("%.*s\n", (int)line_length(right_line), right_line);
        print_message("ALL %s\n----\n%s", a->data, b->data);
        fail();
    }
}

/* What a model that was built just now would answer. */
static void answer_from_scratch(const struct world *world, const struct jl_plan_state *state,
                                uint64_t order_seed, struct jl_buffer *out)
{
    const struct jl_cluster_config config = world_config(world->policy);
    struct joulie_cluster *cluster = new_cluster(&config);
    world_tell(world, cluster, order_seed);
    cluster->plan.state = *state;
    const struct actions actions = step(cluster, world->now_ms);
    print_actions(out, &actions);
    print_scores(out, cluster, world->now_ms);
    print_nodes(out, cluster);
    joulie_cluster_free(cluster);
}

struct actions step_twice(const struct world *world, struct joulie_cluster *cluster,
                          uint64_t order_seed)
{
    struct jl_buffer incremental = { 0 };
    struct jl_buffer scratch = { 0 };
    const struct jl_plan_state state = cluster->plan.state;
    const struct actions actions = step(cluster, world->now_ms);
    print_actions(&incremental, &actions);
    print_scores(&incremental, cluster, world->now_ms);
    print_nodes(&incremental, cluster);
    answer_from_scratch(world, &state, order_seed, &scratch);
    assert_same_text(&incremental, &scratch, order_seed);
    jl_buffer_clear(&incremental);
    jl_buffer_clear(&scratch);
    return actions;
}

bool is_empty_model(const struct joulie_cluster *cluster)
{
    for (size_t i = 0; i < cluster->store.zones.capacity; i++) {
        const struct cluster_zone *zone = jl_cluster_slot(&cluster->store.zones, i);
        if (zone != NULL && (zone->nodes > 0 || zone->readings.has != 0))
            return false;
    }
    return cluster->store.nodes.count + cluster->store.hardware.count + cluster->store.twins.count +
                   cluster->store.pods.count + cluster->store.profiles.count +
                   cluster->store.subjects.count + cluster->store.racks.count ==
               0 &&
           cluster->dirty_pods == NULL;
}
