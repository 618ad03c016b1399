/* SPDX-License-Identifier: Apache-2.0 */

/* Room for pods that wait (docs/rules/policy.md#room): whether a node takes one, and which does so
 * at the lowest cost. Used by the queue policy, which reserves room, and by caps, which lift when
 * work waits. */

#include "policy/room.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "base/time.h"
#include "place/row_rules.h"
#include "policy/admission.h"

/* ---- the pods ---- */

#define PLACED_WITHIN_MS 5000

/* Of one whose age is not known, as a clock was set back, it is assumed. */
static bool is_backlog(const struct jl_pod *pod, int64_t now_ms)
{
    const char *created = pod->meta.creation_timestamp;
    int64_t created_ms = 0;
    if (created == NULL || jl_parse_time(created, strlen(created), &created_ms) < 0)
        return true;
    const int64_t age_ms = now_ms - created_ms;
    return age_ms > PLACED_WITHIN_MS || age_ms < -PLACED_WITHIN_MS;
}

void jl_waiting_pod_init(const struct jl_pod *pod, const struct jl_workload_profile *profile,
                         int64_t now_ms, struct jl_waiting_pod *out)
{
    struct joulie_work request;
    jl_work_of_pod(pod, profile, JOULIE_PLACE_RULES_EFFICIENCY, now_ms, &out->needs, NULL);
    jl_pod_request(pod, &request);
    out->pod = pod;
    out->load = jl_place_load_of(&request);
    out->is_backlog = is_backlog(pod, now_ms);
}

/* Time stamps of one format compare as texts. */
static int queue_order(const void *a, const void *b, void *user)
{
    const struct jl_pod *left = ((const struct jl_waiting_pod *)a)->pod;
    const struct jl_pod *right = ((const struct jl_waiting_pod *)b)->pod;
    (void)user;
    int order = JL_ORDER(right->spec.priority, left->spec.priority);
    if (order == 0)
        order = jl_compare(left->meta.creation_timestamp, right->meta.creation_timestamp);
    if (order == 0)
        order = jl_compare(left->meta.name_space, right->meta.name_space);
    return order != 0 ? order : jl_compare(left->meta.name, right->meta.name);
}

int jl_waiting_sort(struct jl_waiting_pod *pods, size_t count)
{
    return jl_sort(pods, count, sizeof *pods, queue_order, NULL);
}

/* ---- the nodes ---- */

void jl_room_init(const struct jl_node *node, const struct jl_place_node *row,
                  const struct jl_place_load *held, struct jl_room *out)
{
    const struct jl_map *allocatable = &node->status.allocatable;
    struct joulie_work offer;
    jl_node_offer(node, &offer);
    *out = (struct jl_room){ .node = node, .row = *row, .held = *held };
    jl_room_offer(out, &offer, jl_map_get(allocatable, "cpu") != NULL,
                  jl_map_get(allocatable, "memory") != NULL);
    jl_place_set_load(&out->row, held);
}

void jl_room_open(const struct jl_node *node, const struct jl_hardware *hardware,
                  const struct jl_place_load *held, struct jl_room *out)
{
    struct jl_place_node row = { 0 };
    jl_place_set_hardware(&row, hardware, JOULIE_PLACE_RULES_EFFICIENCY);
    jl_room_init(node, &row, held, out);
}

void jl_room_offer(struct jl_room *room, const struct joulie_work *offer, bool has_cores,
                   bool has_memory)
{
    room->offer = jl_place_load_of(offer);
    room->vendor = offer->gpu_vendor;
    room->has_cores = has_cores;
    room->has_memory = has_memory;
    jl_place_set_allocatable(&room->row, offer->cpu_cores);
}

void jl_room_take(struct jl_room *room, const struct jl_place_load *load)
{
    jl_place_load_add(&room->held, load, 1);
    jl_place_set_load(&room->row, &room->held);
}

/* ---- whether a node takes a pod ---- */

/* Pods of Kubernetes name one with their GPUs; other work and machines may not. */
static bool is_of_vendor(enum joulie_gpu_vendor work, enum joulie_gpu_vendor node)
{
    return work == node || work == JOULIE_GPU_VENDOR_UNKNOWN || node == JOULIE_GPU_VENDOR_UNKNOWN;
}

bool jl_pod_fits(const struct jl_waiting_pod *pod, const struct jl_room *room,
                 const struct jl_place_load *held)
{
    const struct jl_place_load *load = &pod->load;
    if (room->has_cores && held->millicores + load->millicores > room->offer.millicores)
        return false;
    if (room->has_memory && held->bytes + load->bytes > room->offer.bytes)
        return false;
    return load->micro_gpus == 0 || (is_of_vendor(pod->needs.gpu_vendor, room->vendor) &&
                                     held->micro_gpus + load->micro_gpus <= room->offer.micro_gpus);
}

/* ---- pods that are alike ---- */

static bool is_same_map(const struct jl_map *a, const struct jl_map *b)
{
    bool is_same = a->count == b->count;
    for (size_t i = 0; i < a->count && is_same; i++)
        is_same = jl_same(a->items[i].key, b->items[i].key) &&
                  jl_same(a->items[i].value, b->items[i].value);
    return is_same;
}

static bool is_same_tolerations(const struct jl_list *a, const struct jl_list *b)
{
    bool is_same = a->count == b->count;
    for (size_t i = 0; i < a->count && is_same; i++) {
        const struct jl_toleration *left = JL_ITEM(*a, jl_toleration, i);
        const struct jl_toleration *right = JL_ITEM(*b, jl_toleration, i);
        is_same = jl_same(left->key, right->key) && jl_same(left->op, right->op) &&
                  jl_same(left->value, right->value) && jl_same(left->effect, right->effect);
    }
    return is_same;
}

/* An affinity is not compared. */
bool jl_waiting_alike(const struct jl_waiting_pod *a, const struct jl_waiting_pod *b)
{
    const struct jl_pod_spec *left = &a->pod->spec;
    const struct jl_pod_spec *right = &b->pod->spec;
    return a->load.millicores == b->load.millicores && a->load.bytes == b->load.bytes &&
           a->load.micro_gpus == b->load.micro_gpus && a->needs.gpu_vendor == b->needs.gpu_vendor &&
           a->needs.workload_class == b->needs.workload_class &&
           !left->affinity.node.given.required && !right->affinity.node.given.required &&
           is_same_map(&left->node_selector, &right->node_selector) &&
           is_same_tolerations(&left->tolerations, &right->tolerations);
}

bool jl_room_has_backlog(const struct jl_room *room, const struct jl_waiting_pod *waiting,
                         size_t count)
{
    static const struct jl_place_load nothing = { 0 };
    for (size_t i = 0; i < count; i++) {
        if (waiting[i].is_backlog && jl_pod_fits(&waiting[i], room, &nothing) &&
            jl_pod_admitted(waiting[i].pod, room->node))
            return true;
    }
    return false;
}

/* ---- which one ---- */

static double cost_w(const struct jl_place_request *request, const struct jl_room *room)
{
    struct jl_place_score score;
    jl_place_score_request(request, &room->row, &score);
    return score.basis == JOULIE_BASIS_FRESH ? score.cost.total_w : (double)INFINITY;
}

size_t jl_cheapest_room(const struct jl_waiting_pod *pod, const struct jl_room *rooms, size_t count,
                        bool (*is_candidate)(const void *user, size_t i), const void *user)
{
    static const struct jl_place_aggregate nothing = { 0 };
    struct joulie_place_config config;
    struct jl_place_request request;
    size_t best = count;
    double best_w = 0;
    jl_place_config_init(&config, JOULIE_PLACE_RULES_EFFICIENCY);
    jl_place_request_init(&config, &pod->needs, &nothing, 0, &request);
    for (size_t i = 0; i < count; i++) {
        if (!is_candidate(user, i) || !jl_pod_fits(pod, &rooms[i], &rooms[i].held) ||
            !jl_pod_admitted(pod->pod, rooms[i].node))
            continue;
        const double here_w = cost_w(&request, &rooms[i]);
        if (best == count || here_w < best_w) {
            best = i;
            best_w = here_w;
        }
    }
    return best;
}
