/* SPDX-License-Identifier: Apache-2.0 */

/* What is asked of pods, and what everybody may do: binding, eviction, access reviews. */

#include "apiserver/writing.h"
#include "base/time.h"

/* NULL = it may be bound, else why not. */
static const char *refusal(struct jd_request *request, const struct jd_object *pod,
                           struct json_object *tree)
{
    const char *bound = jd_json_text(tree, "spec.nodeName");
    if (jd_json_at(tree, "metadata.deletionTimestamp"))
        return jd_text(&request->arena, "pod %s is being deleted, cannot be assigned to a host",
                       pod->name);
    if (!jl_is_empty(bound))
        return jd_text(&request->arena, "pod %s is already assigned to node \"%s\"", pod->name,
                       bound);
    return NULL;
}

static int set_scheduled(const struct jd_request *request, struct json_object *tree)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer patch = { 0 };
    JL_CLEANUP(jd_json_freep) struct json_object *condition = NULL;
    char time[JL_TIME_TEXT];
    jl_format_time(jd_api_now_ms(request->api), time);
    jd_put_format(&patch,
                  "{\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"True\","
                  "\"lastProbeTime\":null,\"lastTransitionTime\":\"%s\"}]}}",
                  time);
    int rc = jl_buffer_code(&patch);
    if (rc == 0)
        rc = jd_tree_read(patch.data, patch.len, &condition, NULL);
    return rc == 0 ? jd_strategic_merge(tree, condition, NULL) : rc;
}

static int assign(struct jd_request *request, struct jd_object *pod, struct json_object *tree,
                  const char *node)
{
    struct jd_object *object;
    jd_tree_set(jd_tree_child(tree, "spec"), "nodeName", node);
    int rc = set_scheduled(request, tree);
    if (rc == 0)
        rc = jd_api_complete(request->api, request->kind, pod, tree);
    if (rc < 0 || request->is_dry_run)
        return rc;
    struct jd_object *before = jd_object_hold(pod);
    rc = jd_api_store(request->api, request->kind, tree, &object);
    if (rc == 0)
        jd_done(request, before, object, false);
    jd_object_release(before);
    return rc;
}

/* A pod gets its node once. */
static void bind_pod(struct jd_writing *writing, struct jd_object *pod)
{
    struct jd_request *request = writing->request;
    const char *node = jd_json_text(writing->tree, "target.name");
    JL_CLEANUP(jd_json_freep) struct json_object *tree = jd_object_tree(pod);
    if (!tree) {
        jd_fail_memory(request);
        return;
    }
    if (jl_is_empty(node)) {
        jd_cause(&writing->causes, JD_REQUIRED, "target.name", "Required value");
        jd_fail_invalid(request, request->name, &writing->causes);
        return;
    }
    if (!jd_check_uid(request, jd_json_text(writing->tree, "metadata.uid"), pod->uid))
        return;
    const char *problem = refusal(request, pod, tree);
    if (problem)
        jd_fail_conflict(request, problem);
    else if (assign(request, pod, tree, node) < 0)
        jd_fail_memory(request);
    else
        jd_succeed(request, NULL, NULL);
}

void jd_serve_pod_action(struct jd_request *request)
{
    struct jd_writing writing;
    struct jd_object *pod = jd_find_object(request);
    const bool is_binding = jl_same(request->subresource, "binding");
    if (jd_writing_begin(&writing, request) && jd_writing_read(&writing)) {
        if (!pod)
            jd_fail_not_found(request);
        else if (is_binding)
            bind_pod(&writing, pod);
        else
            jd_delete_object(request, pod, jd_json_at(writing.tree, "deleteOptions"));
    }
    jd_writing_clear(&writing);
}

/* Everybody may do everything, whatever is asked: kubectl asks in protobuf, which nobody reads
 * here. */
void jd_serve_access_review(struct jd_request *request)
{
    struct jd_writing writing;
    if (jd_writing_begin(&writing, request) &&
        (jl_same(jd_content_type(request), "application/vnd.kubernetes.protobuf") ||
         jd_writing_read(&writing))) {
        JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
        writing.tree = writing.tree ? writing.tree : json_object_new_object();
        if (jd_writing_take_kind(&writing)) {
            jd_tree_child(writing.tree, "metadata");
            jd_tree_child(writing.tree, "spec");
            json_object_object_add(jd_tree_child(writing.tree, "status"), "allowed",
                                   json_object_new_boolean(1));
            jd_json_put_tree(&text, writing.tree);
            jd_reply_buffer(request, 201, &text);
        }
    }
    jd_writing_clear(&writing);
}
