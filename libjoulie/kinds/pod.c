/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds/pod.h"

#include "kinds/root.h"

/* The members of a core Pod that decisions read (joulie-scheduler.md §4-§5, joulie-control.md
 * §4.6). */

static const struct jl_row resources_rows[] = {
    [JL_RESOURCES_REQUESTS] = JL_MAP(jl_pod_resources, requests, "requests", .flags = JL_SCALARS,
                                     .doc = "Requested quantities by resource name."),
    [JL_RESOURCES_LIMITS] = JL_MAP(jl_pod_resources, limits, "limits", .flags = JL_SCALARS,
                                   .doc = "Limits by resource name."),
};
static const struct jl_table resources_table =
    JL_TABLE(jl_pod_resources, resources_rows, .flags = JL_OPEN);

static const struct jl_row container_rows[] = {
    [JL_CONTAINER_NAME] = JL_STRING(jl_container, name, "name", .doc = "Name of the container."),
    [JL_CONTAINER_RESTART_POLICY] = JL_STRING(jl_container, restart_policy, "restartPolicy",
                                              .doc = "Always makes an init container a sidecar."),
    [JL_CONTAINER_RESOURCES] = JL_OBJECT(jl_container, resources, "resources", &resources_table,
                                         .doc = "What the container asks for."),
};
static const struct jl_table container_table =
    JL_TABLE(jl_container, container_rows, .flags = JL_OPEN);

static const struct jl_row expression_rows[] = {
    [JL_EXPRESSION_KEY] = JL_STRING(jl_node_expression, key, "key", .doc = "Label of the node."),
    [JL_EXPRESSION_OP] = JL_STRING(jl_node_expression, op, "operator",
                                   .doc = "In, NotIn, Exists, DoesNotExist, Gt or Lt."),
    [JL_EXPRESSION_VALUES] =
        JL_STRINGS(jl_node_expression, values, "values", .doc = "Values to compare with."),
};
static const struct jl_table expression_table =
    JL_TABLE(jl_node_expression, expression_rows, .flags = JL_OPEN);

static const struct jl_row term_rows[] = {
    [JL_TERM_EXPRESSIONS] = JL_LIST(jl_node_term, expressions, "matchExpressions",
                                    &expression_table, .doc = "Conditions that must all hold."),
};
static const struct jl_table term_table = JL_TABLE(jl_node_term, term_rows, .flags = JL_OPEN);

static const struct jl_row required_rows[] = {
    [JL_REQUIRED_TERMS] = JL_LIST(jl_required_affinity, terms, "nodeSelectorTerms", &term_table,
                                  .doc = "Terms of which one must hold."),
};
static const struct jl_table required_table =
    JL_TABLE(jl_required_affinity, required_rows, .flags = JL_OPEN);

static const struct jl_row node_affinity_rows[] = {
    [JL_NODE_AFFINITY_REQUIRED] =
        JL_OBJECT(jl_node_affinity, required, "requiredDuringSchedulingIgnoredDuringExecution",
                  &required_table, .doc = "What a node must have."),
};
static const struct jl_table node_affinity_table =
    JL_TABLE(jl_node_affinity, node_affinity_rows, .flags = JL_OPEN);

static const struct jl_row affinity_rows[] = {
    [JL_AFFINITY_NODE] = JL_OBJECT(jl_affinity, node, "nodeAffinity", &node_affinity_table,
                                   .doc = "Affinity to nodes."),
};
const struct jl_table jl_affinity_table = JL_TABLE(jl_affinity, affinity_rows, .flags = JL_OPEN);

static const struct jl_row pod_spec_rows[] = {
    [JL_POD_SPEC_NODE_NAME] =
        JL_STRING(jl_pod_spec, node_name, "nodeName", .doc = "Node that the pod is bound to."),
    [JL_POD_SPEC_NODE_SELECTOR] = JL_MAP(jl_pod_spec, node_selector, "nodeSelector",
                                         .doc = "Labels that the node must have."),
    [JL_POD_SPEC_AFFINITY] = JL_OBJECT(jl_pod_spec, affinity, "affinity", &jl_affinity_table,
                                       .doc = "Scheduling constraints."),
    [JL_POD_SPEC_CONTAINERS] =
        JL_LIST(jl_pod_spec, containers, "containers", &container_table, .doc = "Containers."),
    [JL_POD_SPEC_INIT_CONTAINERS] =
        JL_LIST(jl_pod_spec, init_containers, "initContainers", &container_table,
                .doc = "Containers that run before the others."),
    [JL_POD_SPEC_OVERHEAD] = JL_MAP(jl_pod_spec, overhead, "overhead", .flags = JL_SCALARS,
                                    .doc = "Quantities that the pod needs beside its containers."),
    [JL_POD_SPEC_SCHEDULER_NAME] = JL_STRING(jl_pod_spec, scheduler_name, "schedulerName",
                                             .doc = "Scheduler that places the pod."),
    [JL_POD_SPEC_PRIORITY] =
        JL_INTEGER(jl_pod_spec, priority, "priority", .doc = "Priority of the pod."),
};
static const struct jl_table pod_spec_table =
    JL_TABLE(jl_pod_spec, pod_spec_rows, .flags = JL_OPEN);

static const struct jl_row pod_status_rows[] = {
    [JL_POD_STATUS_PHASE] = JL_STRING(jl_pod_status, phase, "phase", .doc = "Phase of the pod."),
    [JL_POD_STATUS_START_TIME] =
        JL_STRING(jl_pod_status, start_time, "startTime", .doc = "When its node took the pod on."),
};
static const struct jl_table pod_status_table =
    JL_TABLE(jl_pod_status, pod_status_rows, .flags = JL_OPEN);

static const struct jl_kind pod_kind = {
    .api_version = "v1",
    .kind = "Pod",
    .plural = "pods",
    .singular = "pod",
    .short_name = "po",
    .scope = "Namespaced",
    .has_status = true,
    .is_core = true,
};

static const struct jl_row pod_rows[] = {
    JL_ROOT_ROWS(jl_pod, 0),
    [JL_ROOT_SPEC] = JL_OBJECT(jl_pod, spec, "spec", &pod_spec_table, .doc = "What should run."),
    [JL_ROOT_STATUS] = JL_OBJECT(jl_pod, status, "status", &pod_status_table, .doc = "What runs."),
};

const struct jl_table jl_pod_table =
    JL_TABLE(jl_pod, pod_rows, .flags = JL_OPEN, .kind = &pod_kind,
             .doc = "A core Pod; the members that decisions read.");
