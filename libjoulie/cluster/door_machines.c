/* SPDX-License-Identifier: Apache-2.0 */

/* Machines and work as flat structs, for schedulers of any kind. What they become inside is what
 * the objects of Kubernetes become. */

#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "cluster/door.h"
#include "kinds/effective.h"
#include "place/config.h"

#define MACHINE_SIZE_0_1 sizeof(struct joulie_cluster_machine)
#define MACHINE_BITS                                                                              \
    (JOULIE_MACHINE_HAS_CPU_SOCKETS | JOULIE_MACHINE_HAS_CPU_CORES | JOULIE_MACHINE_HAS_CPU_MAX | \
     JOULIE_MACHINE_HAS_CPU_MIN | JOULIE_MACHINE_HAS_GPU_COUNT | JOULIE_MACHINE_HAS_GPU_MAX |     \
     JOULIE_MACHINE_HAS_GPU_MIN | JOULIE_MACHINE_HAS_GPU_IDLE)
#define WORK_SIZE_0_1 sizeof(struct joulie_cluster_work)
#define WORK_BITS JOULIE_CLUSTER_WORK_HAS_STARTED

#define MOST_OF_ANYTHING 1e6                            /* sockets, cores, GPUs of one machine */
#define MOST_W 1e9                                      /* of one of them */
#define ANNOTATION_PINNED "kubernetes.io/config.mirror" /* such pods belong to their node */

_Static_assert(sizeof(struct joulie_cluster_machine) ==
                   sizeof(size_t) + sizeof(uint64_t) + 5 * sizeof(char *) + 8 * sizeof(double) +
                       6 * sizeof(int32_t),
               "no padding");
_Static_assert(sizeof(struct joulie_cluster_work) ==
                   sizeof(size_t) + 2 * sizeof(uint64_t) + 2 * sizeof(void *) + 4 * sizeof(int32_t),
               "no padding");

/* ---- checks ---- */

struct number {
    uint64_t bit;
    double value;
    bool is_whole;
    double least;
    const char *name;
};

static int check_number(const struct number *number, uint64_t has, struct joulie_error *err)
{
    const double most = number->is_whole ? MOST_OF_ANYTHING : MOST_W;
    if ((has & number->bit) == 0)
        return 0;
    if (!(number->value >= number->least && number->value <= most))
        return jl_fail(err, JOULIE_E_RANGE, number->name, "is not between %g and %g", number->least,
                       most);
    if (number->is_whole && (double)(int64_t)number->value != number->value)
        return jl_fail(err, JOULIE_E_RANGE, number->name, "is not whole");
    return 0;
}

static int check_flag(int32_t flag, const char *name, struct joulie_error *err)
{
    return flag == 0 || flag == 1 ? 0 : jl_fail(err, JOULIE_E_RANGE, name, "is neither 0 nor 1");
}

static int check_texts(const struct joulie_cluster_machine *machine, struct joulie_error *err)
{
    const struct {
        const char *text;
        const char *name;
    } texts[] = {
        { machine->name, "name" },
        { machine->cpu_model, "cpu_model" },
        { machine->gpu_model, "gpu_model" },
        { machine->rack, "rack" },
        { machine->cooling_zone, "cooling_zone" },
    };

    int rc = 0;
    for (size_t i = 0; i < JL_COUNT(texts) && rc == 0; i++)
        rc = jl_cluster_door_check_text(texts[i].text, texts[i].name, err);
    return rc;
}

static int check_machine(const struct joulie_cluster_machine *machine, struct joulie_error *err)
{
    const struct number numbers[] = {
        { JOULIE_MACHINE_HAS_CPU_SOCKETS, machine->cpu_sockets, true, 1, "cpu_sockets" },
        { JOULIE_MACHINE_HAS_CPU_CORES, machine->cpu_cores, true, 0, "cpu_cores" },
        { JOULIE_MACHINE_HAS_CPU_MAX, machine->cpu_max_w, false, 0, "cpu_max_w" },
        { JOULIE_MACHINE_HAS_CPU_MIN, machine->cpu_min_w, false, 0, "cpu_min_w" },
        { JOULIE_MACHINE_HAS_GPU_COUNT, machine->gpu_count, true, 0, "gpu_count" },
        { JOULIE_MACHINE_HAS_GPU_MAX, machine->gpu_max_w, false, 0, "gpu_max_w" },
        { JOULIE_MACHINE_HAS_GPU_MIN, machine->gpu_min_w, false, 0, "gpu_min_w" },
        { JOULIE_MACHINE_HAS_GPU_IDLE, machine->gpu_idle_w, false, 0, "gpu_idle_w" },
    };

    const struct {
        int32_t flag;
        const char *name;
    } flags[] = {
        { machine->is_draining, "is_draining" }, { machine->is_unmanaged, "is_unmanaged" },
        { machine->is_reserved, "is_reserved" }, { machine->is_unschedulable, "is_unschedulable" },
        { machine->is_paused, "is_paused" },
    };

    int rc = check_texts(machine, err);
    for (size_t i = 0; i < JL_COUNT(numbers) && rc == 0; i++)
        rc = check_number(&numbers[i], machine->has, err);
    for (size_t i = 0; i < JL_COUNT(flags) && rc == 0; i++)
        rc = check_flag(flags[i].flag, flags[i].name, err);
    if (rc == 0 && machine->profile != JOULIE_PROFILE_UNKNOWN &&
        jl_word_of(&jl_profile_words, (int)machine->profile) == NULL)
        rc = jl_fail(err, JOULIE_E_ENUM, "profile", "there is no such profile");
    return rc;
}

/* ---- machines ---- */

#define LABELS 4
#define ANNOTATIONS 1

struct machine_parts {
    struct jl_pair labels[LABELS];
    struct jl_pair annotations[ANNOTATIONS];
    struct jl_node node;
    struct jl_node_hardware hardware;
};

static void add_pair(struct jl_pair *pairs, size_t *count, const char *key, const char *value)
{
    if (!jl_is_empty(value))
        pairs[(*count)++] = (struct jl_pair){ key, value };
}

static void fill_node(const struct jl_cluster *model, const struct joulie_cluster_machine *machine,
                      struct machine_parts *parts)
{
    struct jl_node *node = &parts->node;
    size_t labels = 0;
    size_t annotations = 0;
    JL_MARK(node, JL_ROOT_META);
    JL_SET(&node->meta, name, machine->name);
    add_pair(parts->labels, &labels, JL_LABEL_RACK, machine->rack);
    add_pair(parts->labels, &labels, JL_LABEL_ZONE, machine->cooling_zone);
    add_pair(parts->labels, &labels, jl_cluster_reserved_key(model),
             machine->is_reserved ? "true" : NULL);
    add_pair(parts->labels, &labels, jl_cluster_label_key(model),
             jl_word_of(&jl_profile_words, (int)machine->profile));
    JL_SET(&node->meta, labels, ((struct jl_map){ parts->labels, labels }));
    add_pair(parts->annotations, &annotations, JL_ANNOTATION_PAUSED,
             machine->is_paused ? "true" : NULL);
    JL_SET(&node->meta, annotations, ((struct jl_map){ parts->annotations, annotations }));
    JL_MARK(node, JL_ROOT_SPEC);
    JL_SET(&node->spec, unschedulable, machine->is_unschedulable != 0);
}

static bool has(const struct joulie_cluster_machine *machine, uint64_t bit)
{
    return (machine->has & bit) != 0;
}

static void fill_cpu(const struct joulie_cluster_machine *machine, struct jl_hw_cpu *cpu)
{
    if (!jl_is_empty(machine->cpu_model))
        JL_SET(cpu, raw_model, machine->cpu_model);
    if (has(machine, JOULIE_MACHINE_HAS_CPU_SOCKETS))
        JL_SET(cpu, sockets, (int64_t)machine->cpu_sockets);
    if (has(machine, JOULIE_MACHINE_HAS_CPU_CORES))
        JL_SET(cpu, total_cores, (int64_t)machine->cpu_cores);
    if (has(machine, JOULIE_MACHINE_HAS_CPU_MAX))
        JL_SET(&cpu->cap_range, max_w, machine->cpu_max_w);
    if (has(machine, JOULIE_MACHINE_HAS_CPU_MIN))
        JL_SET(&cpu->cap_range, min_w, machine->cpu_min_w);
    if (cpu->cap_range.has != 0)
        cpu->given.cap_range = true;
}

static void fill_gpu(const struct joulie_cluster_machine *machine, struct jl_hw_gpu *gpu)
{
    const bool is_present = has(machine, JOULIE_MACHINE_HAS_GPU_COUNT) && machine->gpu_count > 0;
    JL_SET(gpu, present, is_present);
    if (!is_present)
        return;
    JL_SET(gpu, count, (int64_t)machine->gpu_count);
    if (!jl_is_empty(machine->gpu_model))
        JL_SET(gpu, raw_model, machine->gpu_model);
    if (has(machine, JOULIE_MACHINE_HAS_GPU_MAX))
        JL_SET(&gpu->cap_range, max_w, machine->gpu_max_w);
    if (has(machine, JOULIE_MACHINE_HAS_GPU_MIN))
        JL_SET(&gpu->cap_range, min_w, machine->gpu_min_w);
    if (gpu->cap_range.has != 0)
        gpu->given.cap_range = true;
}

static void fill_hardware(const struct joulie_cluster_machine *machine,
                          struct jl_node_hardware *hardware)
{
    JL_MARK(hardware, JL_ROOT_META);
    JL_SET(&hardware->meta, name, machine->name);
    JL_MARK(hardware, JL_ROOT_SPEC);
    JL_SET(&hardware->spec, node_name, machine->name);
    JL_MARK(hardware, JL_ROOT_STATUS);
    hardware->status.given.cpu = true;
    fill_cpu(machine, &hardware->status.cpu);
    hardware->status.given.gpu = true;
    fill_gpu(machine, &hardware->status.gpu);
}

static int put_machine(struct jl_cluster *model, const struct joulie_cluster_machine *theirs,
                       struct joulie_error *err)
{
    struct joulie_cluster_machine ours;
    struct machine_parts parts = { 0 };
    if (jl_sized_check(theirs, MACHINE_SIZE_0_1) < 0 ||
        jl_sized_read(&ours, sizeof ours, theirs) < 0 || (ours.has & ~MACHINE_BITS) != 0)
        return jl_cluster_door_fail_abi(err);
    const int rc = check_machine(&ours, err);
    if (rc < 0)
        return rc;
    fill_node(model, &ours, &parts);
    fill_hardware(&ours, &parts.hardware);
    const struct jl_cluster_machine machine = {
        .node = &parts.node,
        .hardware = &parts.hardware,
        .gpu_idle_w = has(&ours, JOULIE_MACHINE_HAS_GPU_IDLE) ? ours.gpu_idle_w : 0,
        .profile = ours.profile,
        .is_draining = ours.is_draining != 0,
        .is_unmanaged = ours.is_unmanaged != 0,
    };
    return jl_cluster_put_machine(model, &machine, err);
}

int joulie_cluster_put_machine(struct joulie_cluster *cluster,
                               const struct joulie_cluster_machine *machine,
                               struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_cluster_door_return(put_machine(cluster->model, machine, &full), &full, err);
}

/* ---- work ---- */

#define WORK_ANNOTATIONS 3

static int check_work(const struct joulie_cluster_work *work, struct joulie_error *err)
{
    int rc = jl_cluster_door_check_text(work->node_name, "node_name", err);
    if (rc == 0)
        rc = check_flag(work->is_finished, "is_finished", err);
    if (rc == 0)
        rc = check_flag(work->is_pinned, "is_pinned", err);
    if (rc < 0)
        return rc;
    if ((work->has & JOULIE_CLUSTER_WORK_HAS_STARTED) != 0 && !jl_is_instant(work->started_ms))
        return jl_fail(err, JOULIE_E_RANGE, "started_ms", "no clock shows this time");
    if (work->movable != JOULIE_MOVABLE_UNKNOWN && work->movable != JOULIE_MOVABLE_YES &&
        work->movable != JOULIE_MOVABLE_NO)
        return jl_fail(err, JOULIE_E_ENUM, "movable", "there is no such choice");
    if (work->intensity < JOULIE_LEVEL_UNKNOWN || work->intensity > JOULIE_LEVEL_NONE)
        return jl_fail(err, JOULIE_E_ENUM, "intensity", "there is no such level");
    return 0;
}

static int view_needs(const struct joulie_work *needs, struct jl_pod_view *out,
                      struct joulie_error *err)
{
    static const struct joulie_work nothing = { .struct_size = sizeof nothing };
    return jl_place_work_read(needs != NULL ? needs : &nothing, out, err);
}

static const char *class_text(enum joulie_workload_class class_)
{
    return class_ == JOULIE_WORKLOAD_STANDARD ? NULL : jl_word_of(&jl_pod_class_words, (int)class_);
}

static const char *phase_of(const struct joulie_cluster_work *work)
{
    if (work->is_finished)
        return "Succeeded";
    return jl_is_empty(work->node_name) ? "Pending" : "Running";
}

static void fill_pod(const char *group, const char *name, const struct joulie_cluster_work *work,
                     const struct jl_pod_view *view, struct jl_pair pairs[WORK_ANNOTATIONS],
                     struct jl_pod *pod)
{
    static const char *const movable_texts[] = { NULL, "true", "false" };
    size_t count = 0;
    add_pair(pairs, &count, JL_ANNOTATION_CLASS, class_text(view->class_));
    add_pair(pairs, &count, JL_ANNOTATION_RESCHEDULABLE, movable_texts[work->movable]);
    add_pair(pairs, &count, ANNOTATION_PINNED, work->is_pinned ? "true" : NULL);
    JL_MARK(pod, JL_ROOT_META);
    JL_SET(&pod->meta, name, name);
    JL_SET(&pod->meta, name_space, group != NULL ? group : "");
    JL_SET(&pod->meta, annotations, ((struct jl_map){ pairs, count }));
    JL_MARK(pod, JL_ROOT_SPEC);
    if (!jl_is_empty(work->node_name))
        JL_SET(&pod->spec, node_name, work->node_name);
    JL_MARK(pod, JL_ROOT_STATUS);
    JL_SET(&pod->status, phase, phase_of(work));
}

static int put_work(struct jl_cluster *model, const char *group, const char *name,
                    const struct joulie_cluster_work *theirs, struct joulie_error *err)
{
    struct joulie_cluster_work ours;
    struct jl_pair pairs[WORK_ANNOTATIONS];
    struct jl_pod pod = { 0 };
    struct jl_pod_view view;
    if (jl_sized_check(theirs, WORK_SIZE_0_1) < 0 ||
        jl_sized_read(&ours, sizeof ours, theirs) < 0 || (ours.has & ~WORK_BITS) != 0)
        return jl_cluster_door_fail_abi(err);
    int rc = jl_cluster_door_check_text(group, "group", err);
    if (rc == 0)
        rc = jl_cluster_door_check_text(name, "name", err);
    if (rc == 0)
        rc = check_work(&ours, err);
    if (rc == 0)
        rc = view_needs(ours.needs, &view, err);
    if (rc < 0)
        return rc;
    fill_pod(group, name, &ours, &view, pairs, &pod);
    const struct jl_cluster_work work = {
        .demand = view.demand,
        .intensity = ours.intensity,
        .has_started = (ours.has & JOULIE_CLUSTER_WORK_HAS_STARTED) != 0,
        .started_ms = ours.started_ms,
    };
    return jl_cluster_put_work(model, &pod, &work, err);
}

int joulie_cluster_put_work(struct joulie_cluster *cluster, const char *group, const char *name,
                            const struct joulie_cluster_work *work, struct joulie_error *err)
{
    struct joulie_error full = JOULIE_INIT(struct joulie_error);
    return jl_cluster_door_return(put_work(cluster->model, group, name, work, &full), &full, err);
}
