/* SPDX-License-Identifier: Apache-2.0 */

/* Objects as text: read, recognised by apiVersion and kind, and handed to the file of their kind;
 * and whatever was handed in, removed by kind and name. */

#include "base/error.h"
#include "cluster/call.h"
#include "cluster/state.h"
#include "kinds/kinds.h"
#include "schema/document.h"

static int put_object(struct joulie_cluster *cluster, const struct jl_table *table,
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
    return jl_cluster_put_profile(cluster, object, err);
}

static bool is_modelled(const struct jl_table *table)
{
    return table == &jl_node_table || table == &jl_node_hardware_table ||
           table == &jl_node_twin_table || table == &jl_pod_table ||
           table == &jl_workload_profile_table;
}

/* The two members that say what a document is. */

#define RECORD header
#define MEMBERS                                                                         \
    STRING(api_version, "apiVersion", "Version of the schema of the object.", REQUIRED) \
    STRING(kind, "kind", "Kind of the object.", REQUIRED)
#define ABOUT .flags = JL_OPEN
#include "schema/record.h"

int joulie_cluster_put_object(struct joulie_cluster *cluster, const char *text, size_t len,
                              struct joulie_error *err)
{
    JL_CLEANUP(jl_document_clear) struct jl_document document = { 0 };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct header header;
    int rc = jl_document_read(&document, text, len, err);
    struct jl_decode decode = jl_document_decode(&document, &arena, err);
    decode.flags = JL_LENIENT;
    if (rc == 0)
        rc = jl_decode_document(&decode, &header_table, &header);
    if (rc < 0)
        return rc;
    if (jl_same(header.api_version, "coordination.k8s.io/v1") && jl_same(header.kind, "Lease"))
        return jl_cluster_put_lease(cluster, &decode, err);
    const struct jl_table *table = jl_kind_find(header.api_version, header.kind);
    if (table == NULL || !is_modelled(table))
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "the model takes no %.64s", header.kind);
    void *object = jl_arena_alloc(&arena, table->size);
    if (object == NULL)
        return jl_fail_memory(err);
    rc = jl_decode_document(&decode, table, object);
    return rc < 0 ? rc : put_object(cluster, table, object, err);
}

int joulie_cluster_remove(struct joulie_cluster *cluster, const char *kind, const char *name_space,
                          const char *name, struct joulie_error *err)
{
    int rc = 0;
    if (jl_same(kind, "Node")) {
        struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, name);
        rc = node != NULL && node->is_known ? jl_cluster_node_forget(cluster, node) : 0;
    } else if (jl_same(kind, "NodeHardware")) {
        rc = jl_cluster_remove_object(cluster, OBJECT_HARDWARE, name);
    } else if (jl_same(kind, "NodeTwin")) {
        rc = jl_cluster_remove_object(cluster, OBJECT_TWIN, name);
    } else if (jl_same(kind, "machine")) {
        rc = jl_cluster_remove_machine(cluster, name);
    } else if (jl_same(kind, "Pod") || jl_same(kind, "work")) {
        rc = jl_cluster_remove_pod(cluster, name_space, name);
    } else if (jl_same(kind, "WorkloadProfile")) {
        rc = jl_cluster_remove_profile(cluster, name_space, name);
    } else if (jl_same(kind, "Lease")) {
        rc = 0; /* its last renewal ages */
    } else {
        return jl_fail(err, JOULIE_E_UNSUPPORTED, "kind", "the model has no such kind");
    }
    return rc < 0 ? jl_fail_memory(err) : 0;
}
