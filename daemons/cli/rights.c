/* SPDX-License-Identifier: Apache-2.0 */

/* Reviews of rights, one SelfSubjectAccessReview each. doctor and uninstall ask. */

#include "rights.h"

#include <string.h>

static struct json_object *review_of(const struct jd_right *right)
{
    struct json_object *review = json_object_new_object();
    struct json_object *spec = json_object_new_object();
    struct json_object *what = json_object_new_object();
    jd_set_text(review, "apiVersion", "authorization.k8s.io/v1");
    jd_set_text(review, "kind", "SelfSubjectAccessReview");
    json_object_object_add(review, "spec", spec);
    json_object_object_add(spec, "resourceAttributes", what);
    jd_set_text(what, "group", right->resource->group);
    jd_set_text(what, "resource", right->resource->plural);
    jd_set_text(what, "verb", right->verb);
    if (right->name_space)
        jd_set_text(what, "namespace", right->name_space);
    return review;
}

/* 1 allowed, 0 not, -1 unknown. */
static int may(struct jd_cluster *cluster, const struct jd_right *right)
{
    JL_CLEANUP(jd_got_clear) struct jd_got got = { .code = 0 };
    JL_CLEANUP(jd_json_freep) struct json_object *review = review_of(right);
    const char *body = jd_tree_text(review);
    int answer = -1;
    const struct jd_kube_call call = {
        .method = "POST",
        .resource = &jd_access_reviews,
        .body = body,
        .len = strlen(body),
    };
    if (jd_cluster_call(cluster, &call, &got) == 0 && (got.code == 200 || got.code == 201)) {
        JL_CLEANUP(jd_json_freep)
        struct json_object *reviewed = jd_json_parse(got.body.data, got.body.len);
        struct json_object *allowed = jd_json_at(reviewed, "status.allowed");
        answer = allowed ? json_object_get_boolean(allowed) : -1;
    }
    return answer;
}

bool jd_missing_rights(struct jd_cluster *cluster, const struct jd_right *rights, size_t count,
                       struct jl_buffer *out)
{
    bool is_known = true;
    for (size_t i = 0; i < count; i++) {
        const int answer = may(cluster, &rights[i]);
        is_known &= answer >= 0;
        if (answer == 0)
            jd_put_format(out, "%s%s %s", out->len > 0 ? ", " : "", rights[i].verb,
                          rights[i].resource->plural);
    }
    return is_known;
}
