/* SPDX-License-Identifier: Apache-2.0 */

/* What keeps a pod off a node before any score counts: kube-scheduler's filters, as far as they are
 * about labels, taints and resources. The queue policy asks for a node as it would be, the question
 * score for one as it is (docs/rules/placement.md#unfit-nodes). */

#include "policy/admission.h"

#include <string.h>

#include "base/text.h"
#include "kinds/effective.h"
#include "kinds/requirement.h"
#include "kubernetes/quantity.h"

#define TAINT_CORDON "node.kubernetes.io/unschedulable"

/* ---- labels ---- */

struct view { /* of a node */
    const struct jl_node *node;
    const char *profile; /* in place of its power-profile label; NULL = as it is */
};

static const char *label_of(const struct view *view, const char *key)
{
    return view->profile != NULL && jl_same(key, JL_LABEL_POWER_PROFILE)
               ? view->profile
               : jl_label(&view->node->meta, key);
}

/* The only field that a node can be asked for. */
static const char *field_of(const struct jl_node *node, const char *key)
{
    return jl_same(key, "metadata.name") ? node->meta.name : NULL;
}

static bool term_holds(const struct jl_node_term *term, const struct view *view)
{
    for (size_t i = 0; i < term->expressions.count; i++) {
        const struct jl_node_expression *one = JL_ITEM(term->expressions, jl_node_expression, i);
        if (!jl_requirement_holds(one->key, one->op, &one->values, label_of(view, one->key)))
            return false;
    }
    for (size_t i = 0; i < term->fields.count; i++) {
        const struct jl_node_expression *one = JL_ITEM(term->fields, jl_node_expression, i);
        if (!jl_requirement_holds(one->key, one->op, &one->values, field_of(view->node, one->key)))
            return false;
    }
    return term->expressions.count + term->fields.count > 0;
}

static bool affinity_holds(const struct jl_pod_spec *pod, const struct view *view)
{
    const struct jl_node_affinity *affinity = &pod->affinity.node;
    if (!affinity->given.required)
        return true;
    for (size_t i = 0; i < affinity->required.terms.count; i++) {
        if (term_holds(JL_ITEM(affinity->required.terms, jl_node_term, i), view))
            return true;
    }
    return false;
}

/* The first label that is asked for and not there, NULL = there is none. */
static const struct jl_pair *missing_label(const struct jl_map *selector, const struct view *view)
{
    for (size_t i = 0; i < selector->count; i++) {
        if (!jl_same(label_of(view, selector->items[i].key), selector->items[i].value))
            return &selector->items[i];
    }
    return NULL;
}

/* ---- taints ---- */

static bool tolerates(const struct jl_toleration *toleration, const struct jl_taint *taint)
{
    if (!jl_is_empty(toleration->effect) && !jl_same(toleration->effect, taint->effect))
        return false;
    const bool is_any = jl_same(toleration->op, "Exists");
    if (jl_is_empty(toleration->key))
        return is_any;
    return jl_same(toleration->key, taint->key) &&
           (is_any || jl_compare(toleration->value, taint->value) == 0);
}

static bool taint_holds(const struct jl_list *tolerations, const struct jl_taint *taint)
{
    if (!jl_same(taint->effect, "NoSchedule") && !jl_same(taint->effect, "NoExecute"))
        return true;
    for (size_t i = 0; i < tolerations->count; i++) {
        if (tolerates(JL_ITEM(*tolerations, jl_toleration, i), taint))
            return true;
    }
    return false;
}

bool jl_pod_admitted(const struct jl_pod *pod, const struct jl_node *node)
{
    const struct view view = { node, "performance" };
    const struct jl_list *taints = &node->spec.taints;
    for (size_t i = 0; i < taints->count; i++) {
        if (!taint_holds(&pod->spec.tolerations, JL_ITEM(*taints, jl_taint, i)))
            return false;
    }
    return missing_label(&pod->spec.node_selector, &view) == NULL &&
           affinity_holds(&pod->spec, &view);
}

/* ---- what a pod asks for of one resource ---- */

/* What is no quantity counts as 0. */
static jl_i128 nano_of(const struct jl_map *map, const char *key)
{
    const char *text = jl_map_get(map, key);
    struct jl_quantity quantity;
    if (text == NULL || jl_parse_quantity(text, strlen(text), &quantity) < 0 || quantity.nano < 0)
        return 0;
    return quantity.nano;
}

/* The request, else the limit, as the API server fills it in. */
static jl_i128 container_nano(const struct jl_container *container, const char *key)
{
    const jl_i128 requested = nano_of(&container->resources.requests, key);
    return requested > 0 ? requested : nano_of(&container->resources.limits, key);
}

static jl_i128 larger(jl_i128 a, jl_i128 b)
{
    return a > b ? a : b;
}

static jl_i128 asked_nano(const struct jl_pod_spec *spec, const char *key)
{
    jl_i128 running = 0;
    jl_i128 sidecars = 0;
    jl_i128 starting = 0;
    for (size_t i = 0; i < spec->containers.count; i++)
        running += container_nano(JL_ITEM(spec->containers, jl_container, i), key);
    for (size_t i = 0; i < spec->init_containers.count; i++) {
        const struct jl_container *container = JL_ITEM(spec->init_containers, jl_container, i);
        const jl_i128 own = container_nano(container, key);
        if (jl_same(container->restart_policy, "Always"))
            sidecars += own;
        else
            starting = larger(starting, sidecars + own);
    }
    return larger(running + sidecars, starting) + nano_of(&spec->overhead, key);
}

static bool is_over(const struct jl_pod *pod)
{
    return jl_same(pod->status.phase, "Succeeded") || jl_same(pod->status.phase, "Failed");
}

static bool is_same_pod(const struct jl_pod *a, const struct jl_pod *b)
{
    return jl_same(a->meta.name, b->meta.name) && jl_same(a->meta.name_space, b->meta.name_space);
}

/* By the pods on a node but this one; pods hold one of "pods" each. */
static jl_i128 held_nano(const struct jl_list *held, const struct jl_pod *but, const char *key)
{
    jl_i128 sum = 0;
    for (size_t i = 0; held != NULL && i < held->count; i++) {
        const struct jl_pod *pod = JL_ITEM(*held, jl_pod, i);
        if (!is_over(pod) && !is_same_pod(pod, but))
            sum += asked_nano(&pod->spec, key);
    }
    return sum;
}

static size_t held_count(const struct jl_list *held, const struct jl_pod *but)
{
    size_t count = 0;
    for (size_t i = 0; held != NULL && i < held->count; i++) {
        const struct jl_pod *pod = JL_ITEM(*held, jl_pod, i);
        count += !is_over(pod) && !is_same_pod(pod, but);
    }
    return count;
}

/* ---- in words ---- */

struct judge {
    const struct jl_pod *pod;
    const struct jl_node *node;
    const struct jl_list *held;
    struct jl_buffer *out;
    size_t start; /* of the first text */
};

static void begin(struct judge *judge)
{
    if (judge->out->len > judge->start)
        jl_put_string(judge->out, "; ");
}

static void put_pair(struct jl_buffer *out, const char *key, const char *value)
{
    jl_put_string(out, key);
    if (jl_is_empty(value))
        return;
    jl_put_char(out, '=');
    jl_put_string(out, value);
}

static void judge_taints(struct judge *judge)
{
    static const struct jl_taint cordon = { .key = TAINT_CORDON, .effect = "NoSchedule" };
    const struct jl_list *tolerations = &judge->pod->spec.tolerations;
    const struct jl_node_spec *node = &judge->node->spec;
    if (node->unschedulable && !taint_holds(tolerations, &cordon)) {
        begin(judge);
        jl_put_string(judge->out, "is cordoned");
    }
    for (size_t i = 0; i < node->taints.count; i++) {
        const struct jl_taint *taint = JL_ITEM(node->taints, jl_taint, i);
        if (taint_holds(tolerations, taint) ||
            (node->unschedulable && jl_same(taint->key, TAINT_CORDON)))
            continue;
        begin(judge);
        jl_put_string(judge->out, "has the taint ");
        put_pair(judge->out, taint->key != NULL ? taint->key : "", taint->value);
        jl_put_char(judge->out, ':');
        jl_put_string(judge->out, taint->effect);
    }
}

static void judge_labels(struct judge *judge)
{
    const struct view view = { .node = judge->node };
    const struct jl_pair *missing = missing_label(&judge->pod->spec.node_selector, &view);
    if (missing != NULL) {
        begin(judge);
        jl_put_string(judge->out, "lacks the label ");
        put_pair(judge->out, missing->key, missing->value);
    }
    if (!affinity_holds(&judge->pod->spec, &view)) {
        begin(judge);
        jl_put_string(judge->out, "does not match the required node affinity");
    }
}

static void put_amount(struct jl_buffer *out, jl_i128 nano, enum jl_quantity_format format)
{
    const struct jl_quantity quantity = { nano, format };
    char text[JL_QUANTITY_TEXT];
    jl_put(out, text, jl_format_quantity(&quantity, text));
}

/* "asks for 2 nvidia.com/gpu and it has none", "asks for 4 cpu and 1500m of 8 are free" */
static void judge_amount(struct judge *judge, const char *key)
{
    const struct jl_map *allocatable = &judge->node->status.allocatable;
    const char *text = jl_map_get(allocatable, key);
    const jl_i128 asked = asked_nano(&judge->pod->spec, key);
    struct jl_quantity offer = { 0, JL_QUANTITY_DECIMAL_SI };
    const bool is_said = text != NULL && jl_parse_quantity(text, strlen(text), &offer) == 0;
    if (asked == 0 || (!is_said && (jl_same(key, "cpu") || jl_same(key, "memory"))))
        return;
    const jl_i128 free = offer.nano - held_nano(judge->held, judge->pod, key);
    if (asked <= free)
        return;
    begin(judge);
    jl_put_string(judge->out, "has ");
    if (offer.nano == 0) {
        jl_put_string(judge->out, "no ");
        jl_put_string(judge->out, key);
    } else if (asked > offer.nano) {
        put_amount(judge->out, offer.nano, offer.format);
        jl_put_char(judge->out, ' ');
        jl_put_string(judge->out, key);
    } else {
        put_amount(judge->out, larger(free, 0), offer.format);
        jl_put_string(judge->out, " of ");
        put_amount(judge->out, offer.nano, offer.format);
        jl_put_char(judge->out, ' ');
        jl_put_string(judge->out, key);
        jl_put_string(judge->out, " free");
    }
    jl_put_string(judge->out, ", the pod asks for ");
    put_amount(judge->out, asked, offer.format);
}

/* A resource that several containers name is judged at the first of them. */
struct asked {
    const char *keys[32];
    size_t count;
};

static void add_keys(struct asked *asked, const struct jl_map *map)
{
    for (size_t i = 0; i < map->count && asked->count < JL_COUNT(asked->keys); i++) {
        size_t at = 0;
        while (at < asked->count && !jl_same(asked->keys[at], map->items[i].key))
            at++;
        if (at == asked->count)
            asked->keys[asked->count++] = map->items[i].key;
    }
}

static void add_containers(struct asked *asked, const struct jl_list *containers)
{
    for (size_t i = 0; i < containers->count; i++) {
        const struct jl_container *container = JL_ITEM(*containers, jl_container, i);
        add_keys(asked, &container->resources.requests);
        add_keys(asked, &container->resources.limits);
    }
}

static void judge_resources(struct judge *judge)
{
    const struct jl_pod_spec *spec = &judge->pod->spec;
    const char *most = jl_map_get(&judge->node->status.allocatable, "pods");
    struct jl_quantity room;
    struct asked asked = { .count = 0 };
    if (judge->node->status.allocatable.count == 0)
        return;
    add_containers(&asked, &spec->containers);
    add_containers(&asked, &spec->init_containers);
    add_keys(&asked, &spec->overhead);
    for (size_t i = 0; i < asked.count; i++)
        judge_amount(judge, asked.keys[i]);
    int64_t pods = 0;
    if (most == NULL || jl_parse_quantity(most, strlen(most), &room) < 0 ||
        jl_quantity_to_i64(&room, &pods) < 0 || (int64_t)held_count(judge->held, judge->pod) < pods)
        return;
    begin(judge);
    jl_put_string(judge->out, "takes no more than ");
    jl_put_i64(judge->out, pods);
    jl_put_string(judge->out, " pods and has them");
}

void jl_put_unfit(const struct jl_pod *pod, const struct jl_node *node, const struct jl_list *held,
                  struct jl_buffer *out)
{
    struct judge judge = { .pod = pod, .node = node, .held = held, .out = out, .start = out->len };
    judge_taints(&judge);
    judge_labels(&judge);
    judge_resources(&judge);
}
