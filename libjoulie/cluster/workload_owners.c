/* SPDX-License-Identifier: Apache-2.0 */

/* Which workload a pod belongs to (docs/rules/classification.md#owners): its controller, or that
 * one's, as soon as it was read. */

#include "base/memory.h"
#include "base/sort.h"
#include "base/text.h"
#include "cluster/state.h"

#define ASK_AGAIN_MS INT64_C(600000)
#define MIRROR "kubernetes.io/config.mirror"

void jl_cluster_owner_free(void *item)
{
    struct cluster_owner *owner = item;
    jl_arena_clear(&owner->arena);
    jl_cluster_item_free(owner);
}

/* ---- pods that count ---- */

static bool is_system(const struct joulie_cluster *cluster, const char *name_space)
{
    return jl_same(name_space, "kube-system") || jl_same(name_space, "kube-public") ||
           jl_same(name_space, "kube-node-lease") ||
           jl_same(name_space, cluster->config.agents.name_space);
}

static bool is_named(const struct jl_list *namespaces, const char *name_space)
{
    for (size_t i = 0; i < namespaces->count; i++) {
        if (jl_same(JL_STRING_ITEM(*namespaces, i), name_space))
            return true;
    }
    return false;
}

static bool is_of_interest(const struct joulie_cluster *cluster, const char *name_space)
{
    const struct jl_list *namespaces = &cluster->config.classifier.namespaces;
    return namespaces->count > 0 ? is_named(namespaces, name_space)
                                 : !is_system(cluster, name_space);
}

/* Beside a pod without a namespace, which no API server has, no profile can be. */
static bool counts(const struct joulie_cluster *cluster, const struct cluster_pod *pod)
{
    const struct jl_meta *meta = &pod->value.meta;
    const char *phase = pod->value.status.phase;
    return !pod->is_work && jl_is_empty(meta->deletion_timestamp) && !jl_same(phase, "Succeeded") &&
           !jl_same(phase, "Failed") && jl_annotation(meta, MIRROR) == NULL &&
           (pod->node == NULL || pod->node->scope != SCOPE_OUT) &&
           !jl_is_empty(meta->name_space) && is_of_interest(cluster, meta->name_space);
}

/* ---- owners ---- */

/* What was read is of the object that owns the pod, and not of one of the same name. */
static bool is_known(const struct cluster_owner *owner, const struct jl_owner *controller)
{
    return owner->state == OWNER_READ && jl_same(owner->uid, controller->uid);
}

/* Which of the targets that a profile may name owns the pod: 0 the pod itself, 1 its controller, 2
 * that one's; -1 = it has to be read first. */
static int level_of(const struct cluster_owner *owner, const struct jl_owner *controller,
                    const struct jl_match_target *parent)
{
    if (parent->name.len == 0)
        return 1; /* no such name could be matched */
    if (owner->state == OWNER_UNREAD)
        return -1;
    if (!is_known(owner, controller))
        return 2; /* by its name, as readers match it */
    return jl_same(owner->parent.kind, parent->kind) &&
                   jl_text_is(parent->name, owner->parent.name != NULL ? owner->parent.name : "")
               ? 2
               : 1;
}

static int ask(struct joulie_cluster *cluster, struct cluster_owner *owner,
               const struct cluster_pod *pod, const struct jl_owner *controller)
{
    const struct workload_action read = {
        .kind = controller->kind,
        .name_space = pod->value.meta.name_space,
        .name = controller->name,
        .reason = "which workload its pods belong to",
        .owner = owner->key,
    };
    owner->asked_round = cluster->classifier.round; /* once for all of its pods */
    return jl_cluster_offer_read(cluster, &read);
}

static struct cluster_owner *owner_of(struct joulie_cluster *cluster, const char *name_space,
                                      const struct jl_owner *controller)
{
    struct classifier *classifier = &cluster->classifier;
    const char *key =
        jl_cluster_key(&classifier->arena, name_space, controller->kind, jl_text(controller->name));
    struct cluster_owner *owner = jl_cluster_find(&classifier->owners, key);
    if (owner != NULL || key == NULL)
        return owner;
    owner = jl_cluster_find_or_make(&classifier->owners, key, sizeof *owner);
    if (owner != NULL)
        owner->asked_ms = NEVER_MS;
    return owner;
}

static int fill_member(struct joulie_cluster *cluster, struct cluster_pod *pod,
                       const struct jl_match_target *target, const char *api_version,
                       const char *uid, struct member *out)
{
    struct jl_arena *arena = &cluster->classifier.arena;
    const char *plural = NULL;
    *out = (struct member){
        .pod = pod,
        .key = jl_cluster_key(arena, pod->value.meta.name_space, target->kind, target->name),
        .kind = target->kind,
        .name = jl_arena_copy(arena, target->name.ptr, target->name.len),
        .api_version = api_version,
        .uid = uid,
    };
    if (api_version == NULL)
        jl_cluster_kind_of_owner(target->kind, &out->api_version, &plural);
    return out->key != NULL && out->name != NULL ? 0 : JOULIE_E_NOMEM;
}

/* 1 = it is a member of a workload, 0 = not (yet), or JOULIE_E_NOMEM. */
static int find_workload(struct joulie_cluster *cluster, struct cluster_pod *pod, int64_t now_ms,
                         bool is_asking, struct member *out)
{
    struct jl_match_target targets[JL_MATCH_TARGETS];
    const struct jl_meta *meta = &pod->value.meta;
    const struct jl_owner *controller = jl_controller_of(meta);
    const size_t count = jl_match_targets(&pod->value, targets);
    int rc;
    if (count == 1 || controller == NULL) {
        rc = fill_member(cluster, pod, &targets[0], NULL, meta->uid, out);
        return rc < 0 ? rc : 1;
    }
    if (count == 2) {
        rc = fill_member(cluster, pod, &targets[1], controller->api_version, controller->uid, out);
        return rc < 0 ? rc : 1;
    }
    struct cluster_owner *owner = owner_of(cluster, meta->name_space, controller);
    if (owner == NULL)
        return JOULIE_E_NOMEM;
    owner->round = cluster->classifier.round;
    rc = is_asking && owner->asked_round != cluster->classifier.round && targets[2].name.len > 0 &&
                 !is_known(owner, controller) &&
                 jl_cluster_is_over(owner->asked_ms, now_ms, ASK_AGAIN_MS)
             ? ask(cluster, owner, pod, controller)
             : 0;
    const int level = level_of(owner, controller, &targets[2]);
    cluster->classifier.has_unread |= level < 0;
    if (rc < 0 || level < 0)
        return rc < 0 ? rc : 0;
    const char *uid = level == 1                    ? controller->uid
                      : is_known(owner, controller) ? owner->parent.uid
                                                    : NULL;
    rc = fill_member(cluster, pod, &targets[level], NULL, uid, out);
    return rc < 0 ? rc : 1;
}

/* ---- all of them ---- */

static int compare(const void *a, const void *b, void *user)
{
    const struct member *first = a;
    const struct member *second = b;
    (void)user;
    const int by_key = jl_compare(first->key, second->key);
    return by_key != 0 ? by_key : jl_compare(first->pod->key, second->pod->key);
}

static int compare_pods(const void *a, const void *b, void *user)
{
    (void)user;
    return jl_compare((*(struct cluster_pod *const *)a)->key,
                      (*(struct cluster_pod *const *)b)->key);
}

/* In the order of their names, so that what is read first does not depend on memory. */
static struct cluster_pod **sorted_pods(struct joulie_cluster *cluster, size_t *out_count)
{
    struct cluster_pod **pods = JL_NEW_ARRAY(&cluster->classifier.arena,
                                             cluster->store.pods.count + 1, struct cluster_pod *);
    *out_count = 0;
    for (size_t i = 0; pods != NULL && i < cluster->store.pods.capacity; i++) {
        struct cluster_pod *pod = jl_cluster_slot(&cluster->store.pods, i);
        if (pod != NULL && counts(cluster, pod))
            pods[(*out_count)++] = pod;
    }
    return pods != NULL && jl_sort(pods, *out_count, sizeof *pods, compare_pods, NULL) == 0 ? pods
                                                                                            : NULL;
}

/* What no pod names any more. */
static void forget_owners(struct classifier *classifier)
{
    for (size_t i = 0; i < classifier->owners.capacity; i++) {
        struct cluster_owner *owner = jl_cluster_slot(&classifier->owners, i);
        if (owner == NULL || owner->round == classifier->round)
            continue;
        jl_index_remove(&classifier->owners, owner->key);
        jl_cluster_owner_free(owner);
    }
}

int jl_cluster_group_pods(struct joulie_cluster *cluster, int64_t now_ms, bool is_asking)
{
    struct classifier *classifier = &cluster->classifier;
    size_t count = 0;
    classifier->member_count = 0;
    classifier->has_unread = false;
    struct cluster_pod **pods = sorted_pods(cluster, &count);
    classifier->members = JL_NEW_ARRAY(&classifier->arena, count + 1, struct member);
    if (pods == NULL || classifier->members == NULL)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const int rc = find_workload(cluster, pods[i], now_ms, is_asking,
                                     &classifier->members[classifier->member_count]);
        if (rc < 0)
            return rc;
        classifier->member_count += (size_t)rc;
    }
    forget_owners(classifier);
    return jl_sort(classifier->members, classifier->member_count, sizeof *classifier->members,
                   compare, NULL);
}
