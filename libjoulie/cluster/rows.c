/* SPDX-License-Identifier: Apache-2.0 */

/* The nodes as placement sees them: one row each, kept up to date when a node or its twin changes,
 * so that an answer reads rows and nothing else. */

#include <string.h>

#include <joulie/error.h>

#include "cluster/state.h"
#include "kubernetes/quantity.h"

const struct jl_place_node jl_unknown_row = { 0 };

/* The source rules know neither catalog nor labels. */
void jl_cluster_read_row_hardware(const struct joulie_cluster *cluster,
                                  const struct cluster_node *node, struct jl_place_node *out)
{
    const enum joulie_place_rules rules = cluster->place_config.rules;
    const struct jl_hardware_status *status = jl_cluster_hardware_of(node);
    struct jl_hardware hardware = node->hardware;
    if (!jl_place_is_ours(rules))
        jl_hardware_resolve(status, NULL, JL_HARDWARE_V0_1_0, &hardware);
    jl_place_set_hardware(out, &hardware, rules);
}

/* Of a Node object; 0 = not known. */
static double allocatable_cores(const struct cluster_node *node)
{
    const char *text = node->is_known ? jl_map_get(&node->value.status.allocatable, "cpu") : NULL;
    struct jl_quantity cores;
    return text != NULL && jl_parse_quantity(text, strlen(text), &cores) == 0
               ? jl_quantity_to_double(&cores)
               : 0;
}

void jl_cluster_set_row_facts(struct joulie_cluster *cluster, const struct cluster_node *node)
{
    struct jl_place_node *row = &cluster->rows.nodes[node->row];
    jl_cluster_read_row_hardware(cluster, node, row);
    jl_place_set_allocatable(row, allocatable_cores(node));
    row->label = node->place_label;
    row->closed = node->closed;
}

void jl_cluster_set_row_twin(struct joulie_cluster *cluster, const struct cluster_node *node)
{
    const struct jl_node_twin *twin = jl_cluster_twin_of(node);
    jl_place_set_twin(&cluster->rows.nodes[node->row], twin != NULL ? &twin->status : NULL);
}

void jl_cluster_set_row(struct joulie_cluster *cluster, struct cluster_node *node, size_t row)
{
    node->row = row;
    cluster->rows.owners[row] = node;
    cluster->rows.is_part_due[row] = true;
    jl_cluster_set_row_twin(cluster, node);
    jl_cluster_set_row_facts(cluster, node);
}

/* ---- by name ---- */

int jl_cluster_open_names(struct joulie_cluster *cluster)
{
    const struct order *order = &cluster->order;
    struct jl_name_table *names = &cluster->rows.names;
    size_t bytes = 0;
    if (names->capacity > 0)
        return 0;
    for (size_t i = 0; i < order->count; i++)
        bytes += strlen(order->all[i]->name);
    if (jl_name_table_init(names, order->count, bytes) < 0)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < order->count; i++)
        jl_name_table_add(names, order->all[i]->name, order->all[i]->row);
    return 0;
}

const struct jl_place_node *jl_cluster_row_of(const struct rows *rows, struct jl_text name)
{
    size_t row = 0;
    return jl_name_table_find(&rows->names, name, &row) ? &rows->nodes[row] : &jl_unknown_row;
}

/* A machine has no amounts of Kubernetes: it offers what its hardware has. */
static void offer_of_machine(const struct jl_hardware *hardware, struct jl_room *out)
{
    struct joulie_work offer = JOULIE_INIT(struct joulie_work);
    offer.cpu_cores = hardware->total_cores;
    offer.gpu_count = hardware->gpu_count;
    offer.gpu_vendor =
        (enum joulie_gpu_vendor)jl_word_value(&jl_gpu_vendor_words, jl_text(hardware->gpu_vendor));
    jl_room_offer(out, &offer, offer.cpu_cores > 0, false);
}

void jl_cluster_room_of(const struct joulie_cluster *cluster, const struct cluster_node *node,
                        struct jl_room *out)
{
    jl_room_init(&node->value, &cluster->rows.nodes[node->row], &node->held, out);
    if (node->is_machine)
        offer_of_machine(&node->hardware, out);
}
