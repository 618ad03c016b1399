/* SPDX-License-Identifier: Apache-2.0 */

/* The kinds that our programs talk about, and where the API has them. */

#include "base/buffer.h"
#include "kube/client.h"
#include "runtime/json.h"

const struct jd_resource jd_nodes = { "", "v1", "nodes", "Node", false };
const struct jd_resource jd_pods = { "", "v1", "pods", "Pod", true };
const struct jd_resource jd_events = { "events.k8s.io", "v1", "events", "Event", true };
const struct jd_resource jd_leases = { "coordination.k8s.io", "v1", "leases", "Lease", true };
const struct jd_resource jd_node_twins = { "joulie.io", "v1alpha1", "nodetwins", "NodeTwin",
                                           false };
const struct jd_resource jd_node_hardwares = { "joulie.io", "v1alpha1", "nodehardwares",
                                               "NodeHardware", false };
const struct jd_resource jd_workload_profiles = { "joulie.io", "v1alpha1", "workloadprofiles",
                                                  "WorkloadProfile", true };
const struct jd_resource jd_telemetry_profiles = { "joulie.io", "v1alpha1", "telemetryprofiles",
                                                   "TelemetryProfile", false };
const struct jd_resource jd_crds = { "apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                     "CustomResourceDefinition", false };
const struct jd_resource jd_access_reviews = { "authorization.k8s.io", "v1",
                                               "selfsubjectaccessreviews",
                                               "SelfSubjectAccessReview", false };
const struct jd_resource jd_deployments = { "apps", "v1", "deployments", "Deployment", true };
const struct jd_resource jd_daemon_sets = { "apps", "v1", "daemonsets", "DaemonSet", true };
const struct jd_resource jd_replica_sets = { "apps", "v1", "replicasets", "ReplicaSet", true };
const struct jd_resource jd_stateful_sets = { "apps", "v1", "statefulsets", "StatefulSet", true };
const struct jd_resource jd_jobs = { "batch", "v1", "jobs", "Job", true };
const struct jd_resource jd_cron_jobs = { "batch", "v1", "cronjobs", "CronJob", true };

static void put_segment(struct jl_buffer *out, const char *segment)
{
    jl_put_char(out, '/');
    jd_put_url(out, segment);
}

void jd_put_path(struct jl_buffer *out, const struct jd_resource *resource, const char *name_space,
                 const char *name, const char *subresource)
{
    jl_put_string(out, *resource->group ? "/apis" : "/api");
    if (*resource->group)
        put_segment(out, resource->group);
    put_segment(out, resource->version);
    if (!jl_is_empty(name_space)) {
        put_segment(out, "namespaces");
        put_segment(out, name_space);
    }
    put_segment(out, resource->plural);
    if (!jl_is_empty(name))
        put_segment(out, name);
    if (!jl_is_empty(subresource))
        put_segment(out, subresource);
}

void jd_put_api_version(struct jl_buffer *out, const struct jd_resource *resource)
{
    jd_put_format(out, "%s%s%s", resource->group, *resource->group ? "/" : "", resource->version);
}
