/* SPDX-License-Identifier: Apache-2.0 */

/* Machines: flat structs of schedulers of any kind. What one becomes inside is what a Node and a
 * NodeHardware become, so that every rule is written for those alone. */

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/sized.h"
#include "base/time.h"
#include "cluster/call.h"
#include "cluster/state.h"

#define MACHINE_BITS                                                                 \
    (JOULIE_CLUSTER_MACHINE_HAS_CPU_SOCKETS | JOULIE_CLUSTER_MACHINE_HAS_CPU_CORES | \
     JOULIE_CLUSTER_MACHINE_HAS_CPU_MAX | JOULIE_CLUSTER_MACHINE_HAS_CPU_MIN |       \
     JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT | JOULIE_CLUSTER_MACHINE_HAS_GPU_MAX |     \
     JOULIE_CLUSTER_MACHINE_HAS_GPU_MIN | JOULIE_CLUSTER_MACHINE_HAS_GPU_IDLE |      \
     JOULIE_CLUSTER_MACHINE_HAS_BOOTED | JOULIE_CLUSTER_MACHINE_HAS_POWER_SINCE)

#define MOST_OF_ANYTHING 1e6 /* sockets, cores, GPUs of one machine */
#define MOST_W 1e9           /* of one of them */

_Static_assert(sizeof(struct joulie_cluster_machine) ==
                   sizeof(size_t) + sizeof(uint64_t) + 5 * sizeof(char *) + 8 * sizeof(double) +
                       6 * sizeof(int32_t) + 2 * sizeof(int64_t) + 4 * sizeof(int32_t),
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

int jl_cluster_check_flag(int32_t flag, const char *name, struct joulie_error *err)
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
        rc = jl_cluster_check_text(texts[i].text, texts[i].name, err);
    return rc;
}

static int check_instant(int64_t ms, bool is_given, const char *name, struct joulie_error *err)
{
    return is_given && !jl_is_instant(ms)
               ? jl_fail(err, JOULIE_E_RANGE, name, "is outside the years 0 to 9999")
               : 0;
}

static int check_power(const struct joulie_cluster_machine *machine, struct joulie_error *err)
{
    const bool has_since = (machine->has & JOULIE_CLUSTER_MACHINE_HAS_POWER_SINCE) != 0;
    const enum joulie_power_state state = machine->power_state;
    if (state != JOULIE_POWER_STATE_UNKNOWN &&
        jl_word_of(&jl_power_state_words, (int)state) == NULL)
        return jl_fail(err, JOULIE_E_ENUM, "power_state", "there is no such state");
    if ((unsigned)machine->readiness > JOULIE_READINESS_NOT_READY)
        return jl_fail(err, JOULIE_E_ENUM, "readiness", "there is no such readiness");
    if (machine->power_failures < 0)
        return jl_fail(err, JOULIE_E_RANGE, "power_failures", "is negative");
    if (!has_since && state != JOULIE_POWER_STATE_UNKNOWN && state != JOULIE_POWER_STATE_ON)
        return jl_fail(err, JOULIE_E_REQUIRED, "power_since_ms", "the state needs its time");
    const int rc = check_instant(machine->power_since_ms, has_since, "power_since_ms", err);
    return rc == 0 ? check_instant(machine->booted_ms,
                                   (machine->has & JOULIE_CLUSTER_MACHINE_HAS_BOOTED) != 0,
                                   "booted_ms", err)
                   : rc;
}

static int check_machine(const struct joulie_cluster_machine *machine, struct joulie_error *err)
{
    const struct number numbers[] = {
        { JOULIE_CLUSTER_MACHINE_HAS_CPU_SOCKETS, machine->cpu_sockets, true, 1, "cpu_sockets" },
        { JOULIE_CLUSTER_MACHINE_HAS_CPU_CORES, machine->cpu_cores, true, 0, "cpu_cores" },
        { JOULIE_CLUSTER_MACHINE_HAS_CPU_MAX, machine->cpu_max_w, false, 0, "cpu_max_w" },
        { JOULIE_CLUSTER_MACHINE_HAS_CPU_MIN, machine->cpu_min_w, false, 0, "cpu_min_w" },
        { JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT, machine->gpu_count, true, 0, "gpu_count" },
        { JOULIE_CLUSTER_MACHINE_HAS_GPU_MAX, machine->gpu_max_w, false, 0, "gpu_max_w" },
        { JOULIE_CLUSTER_MACHINE_HAS_GPU_MIN, machine->gpu_min_w, false, 0, "gpu_min_w" },
        { JOULIE_CLUSTER_MACHINE_HAS_GPU_IDLE, machine->gpu_idle_w, false, 0, "gpu_idle_w" },
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
        rc = jl_cluster_check_flag(flags[i].flag, flags[i].name, err);
    if (rc == 0 && machine->profile != JOULIE_PROFILE_UNKNOWN &&
        jl_word_of(&jl_profile_words, (int)machine->profile) == NULL)
        rc = jl_fail(err, JOULIE_E_ENUM, "profile", "there is no such profile");
    return rc == 0 ? check_power(machine, err) : rc;
}

/* ---- machines ---- */

#define LABELS 4
#define ANNOTATIONS (1 + JL_POWER_ANNOTATIONS)

struct machine_parts {
    struct jl_pair labels[LABELS];
    struct jl_pair annotations[ANNOTATIONS];
    struct jl_node_condition ready;
    struct jl_taint taint;
    char boot_id[JL_DOUBLE_TEXT];
    char booted[JL_TIME_TEXT];
    char since[JL_TIME_TEXT];
    char failures[JL_DOUBLE_TEXT];
    struct jl_node node;
    struct jl_node_hardware hardware;
};

void jl_cluster_add_pair(struct jl_pair *pairs, size_t *count, const char *key, const char *value)
{
    if (!jl_is_empty(value))
        pairs[(*count)++] = (struct jl_pair){ key, value };
}

static bool has(const struct joulie_cluster_machine *machine, uint64_t bit)
{
    return (machine->has & bit) != 0;
}

/* ---- its power record: docs/rules/policy.md#power-records ---- */

static void drain(struct machine_parts *parts)
{
    JL_SET(&parts->taint, key, JL_TAINT_POWERED_OFF);
    JL_SET(&parts->taint, effect, "NoSchedule");
    JL_SET(&parts->node.spec, unschedulable, true);
    JL_SET(&parts->node.spec, taints, ((struct jl_list){ &parts->taint, 1 }));
}

/* What another model left behind. */
static void take_record(const struct joulie_cluster_machine *machine, struct machine_parts *parts,
                        struct jl_pair out[JL_POWER_ANNOTATIONS])
{
    const struct jl_power_record record = {
        .state = (enum jl_power_state)machine->power_state,
        .failures = machine->power_failures,
    };
    if (has(machine, JOULIE_CLUSTER_MACHINE_HAS_POWER_SINCE))
        jl_format_time(machine->power_since_ms, parts->since);
    jl_format_i64(record.failures, parts->failures);
    jl_power_annotations(&record, parts->since, parts->failures, out);
    if (record.state != JL_POWER_ON)
        drain(parts);
}

static void keep_record(const struct cluster_node *known, struct machine_parts *parts,
                        struct jl_pair out[JL_POWER_ANNOTATIONS])
{
    static const struct jl_power_record on = { .state = JL_POWER_ON };
    jl_power_annotations(&on, NULL, NULL, out); /* the keys */
    for (size_t i = 0; i < JL_POWER_ANNOTATIONS; i++)
        out[i].value = jl_annotation(&known->value.meta, out[i].key);
    if (known->power.record.is_drained)
        drain(parts);
}

static bool is_same_record(const struct joulie_cluster_machine *a,
                           const struct joulie_cluster_machine *b)
{
    return a->power_state == b->power_state && a->power_since_ms == b->power_since_ms &&
           a->power_failures == b->power_failures;
}

/* The model's own record goes on, unless the caller has another one than before. */
static void fill_record(const struct joulie_cluster *cluster,
                        const struct joulie_cluster_machine *machine, struct machine_parts *parts,
                        size_t *annotations)
{
    const struct cluster_node *known = jl_cluster_find(&cluster->store.nodes, machine->name);
    const bool is_new = known == NULL || !known->is_known || !known->is_machine;
    const bool is_told = machine->power_state != JOULIE_POWER_STATE_UNKNOWN &&
                         (is_new || known->put == NULL || !is_same_record(machine, known->put));
    struct jl_pair pairs[JL_POWER_ANNOTATIONS] = { { NULL, NULL } };
    if (is_told)
        take_record(machine, parts, pairs);
    else if (!is_new)
        keep_record(known, parts, pairs);
    for (size_t i = 0; i < JL_POWER_ANNOTATIONS; i++)
        jl_cluster_add_pair(parts->annotations, annotations, pairs[i].key, pairs[i].value);
}

static void fill_report(const struct joulie_cluster_machine *machine, struct machine_parts *parts)
{
    const bool is_ready = machine->readiness == JOULIE_READINESS_READY;
    struct jl_node_status *status = &parts->node.status;
    if (has(machine, JOULIE_CLUSTER_MACHINE_HAS_BOOTED)) {
        jl_format_i64(machine->booted_ms, parts->boot_id);
        jl_format_time(machine->booted_ms, parts->booted);
        JL_SET(&status->info, boot_id, parts->boot_id);
        status->given.info = true;
        JL_MARK(&parts->node, JL_ROOT_STATUS);
    }
    if (machine->readiness == JOULIE_READINESS_UNKNOWN)
        return;
    JL_SET(&parts->ready, type, "Ready");
    JL_SET(&parts->ready, status, is_ready ? "True" : "False");
    if (is_ready && has(machine, JOULIE_CLUSTER_MACHINE_HAS_BOOTED))
        JL_SET(&parts->ready, last_transition_time, parts->booted);
    JL_SET(status, conditions, ((struct jl_list){ &parts->ready, 1 }));
    JL_MARK(&parts->node, JL_ROOT_STATUS);
}

static void fill_node(const struct joulie_cluster *cluster,
                      const struct joulie_cluster_machine *machine, struct machine_parts *parts)
{
    struct jl_node *node = &parts->node;
    size_t labels = 0;
    size_t annotations = 0;
    JL_MARK(node, JL_ROOT_META);
    JL_SET(&node->meta, name, machine->name);
    jl_cluster_add_pair(parts->labels, &labels, JL_LABEL_RACK, machine->rack);
    jl_cluster_add_pair(parts->labels, &labels, JL_LABEL_ZONE, machine->cooling_zone);
    jl_cluster_add_pair(parts->labels, &labels, cluster->config.policy.reserved_label_key,
                        machine->is_reserved ? "true" : NULL);
    jl_cluster_add_pair(parts->labels, &labels, cluster->config.policy.power_profile_label,
                        jl_word_of(&jl_profile_words, (int)machine->profile));
    JL_SET(&node->meta, labels, ((struct jl_map){ parts->labels, labels }));
    jl_cluster_add_pair(parts->annotations, &annotations, JL_ANNOTATION_PAUSED,
                        machine->is_paused ? "true" : NULL);
    JL_MARK(node, JL_ROOT_SPEC);
    JL_SET(&node->spec, unschedulable, machine->is_unschedulable != 0);
    fill_record(cluster, machine, parts, &annotations);
    fill_report(machine, parts);
    JL_SET(&node->meta, annotations, ((struct jl_map){ parts->annotations, annotations }));
}

static void fill_cpu(const struct joulie_cluster_machine *machine, struct jl_hw_cpu *cpu)
{
    if (!jl_is_empty(machine->cpu_model))
        JL_SET(cpu, raw_model, machine->cpu_model);
    if (has(machine, JOULIE_CLUSTER_MACHINE_HAS_CPU_SOCKETS))
        JL_SET(cpu, sockets, (int64_t)machine->cpu_sockets);
    if (has(machine, JOULIE_CLUSTER_MACHINE_HAS_CPU_CORES))
        JL_SET(cpu, total_cores, (int64_t)machine->cpu_cores);
    if (has(machine, JOULIE_CLUSTER_MACHINE_HAS_CPU_MAX))
        JL_SET(&cpu->cap_range, max_w, machine->cpu_max_w);
    if (has(machine, JOULIE_CLUSTER_MACHINE_HAS_CPU_MIN))
        JL_SET(&cpu->cap_range, min_w, machine->cpu_min_w);
    if (cpu->cap_range.has != 0)
        cpu->given.cap_range = true;
}

static void fill_gpu(const struct joulie_cluster_machine *machine, struct jl_hw_gpu *gpu)
{
    const bool is_present =
        has(machine, JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT) && machine->gpu_count > 0;
    JL_SET(gpu, present, is_present);
    if (!is_present)
        return;
    JL_SET(gpu, count, (int64_t)machine->gpu_count);
    if (!jl_is_empty(machine->gpu_model))
        JL_SET(gpu, raw_model, machine->gpu_model);
    if (has(machine, JOULIE_CLUSTER_MACHINE_HAS_GPU_MAX))
        JL_SET(&gpu->cap_range, max_w, machine->gpu_max_w);
    if (has(machine, JOULIE_CLUSTER_MACHINE_HAS_GPU_MIN))
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

/* ---- put again ---- */

static bool is_same_text(const char *a, const char *b)
{
    return jl_is_empty(a) ? jl_is_empty(b) : jl_same(a, b);
}

/* The numbers and flags alone; texts are kept by the objects that were made of the machine. */
static struct joulie_cluster_machine without_texts(const struct joulie_cluster_machine *machine)
{
    struct joulie_cluster_machine bare = *machine;
    bare.name = bare.cpu_model = bare.gpu_model = bare.rack = bare.cooling_zone = NULL;
    return bare;
}

static bool has_same_texts(const struct cluster_node *node,
                           const struct joulie_cluster_machine *machine)
{
    const struct jl_hardware_status *status = jl_cluster_hardware_of(node);
    if (status == NULL || !jl_same(node->hardware_objects->name, node->name))
        return false;
    const bool has_gpu =
        has(machine, JOULIE_CLUSTER_MACHINE_HAS_GPU_COUNT) && machine->gpu_count > 0;
    return is_same_text(status->cpu.raw_model, machine->cpu_model) &&
           is_same_text(status->gpu.raw_model, has_gpu ? machine->gpu_model : NULL) &&
           is_same_text(jl_label(&node->value.meta, JL_LABEL_RACK), machine->rack) &&
           is_same_text(jl_label(&node->value.meta, JL_LABEL_ZONE), machine->cooling_zone);
}

/* Schedulers put every machine at every beat, and hardly one of them has changed. */
static bool is_as_put(const struct joulie_cluster *cluster,
                      const struct joulie_cluster_machine *machine)
{
    const struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, machine->name);
    if (node == NULL || !node->is_as_put || node->put == NULL)
        return false;
    const struct joulie_cluster_machine bare = without_texts(machine);
    return memcmp(&bare, node->put, sizeof bare) == 0 && has_same_texts(node, machine);
}

/* Without memory for it the next put is taken for a change. */
static void remember(struct cluster_node *node, const struct joulie_cluster_machine *machine)
{
    if (node->put == NULL)
        node->put = jl_calloc(1, sizeof *node->put);
    if (node->put == NULL)
        return;
    *node->put = without_texts(machine);
    node->is_as_put = true;
}

/* ---- put and remove ---- */

static int store(struct joulie_cluster *cluster, const struct joulie_cluster_machine *machine,
                 const struct jl_node *value)
{
    struct cluster_node *node = jl_cluster_node_of(cluster, machine->name);
    if (node == NULL)
        return JOULIE_E_NOMEM;
    node->is_machine = true;
    node->is_unmanaged = machine->is_unmanaged != 0;
    node->gpu_idle_w = has(machine, JOULIE_CLUSTER_MACHINE_HAS_GPU_IDLE) ? machine->gpu_idle_w : 0;
    node->machine_profile = machine->profile;
    node->is_machine_draining = machine->is_draining != 0;
    const int rc = jl_cluster_store_node(cluster, node, value);
    if (rc < 0)
        jl_cluster_node_release(cluster, node);
    else
        remember(node, machine);
    return rc;
}

int joulie_cluster_put_machine(struct joulie_cluster *cluster,
                               const struct joulie_cluster_machine *theirs,
                               struct joulie_error *err)
{
    struct joulie_cluster_machine ours;
    struct machine_parts parts = { 0 };
    if (JL_SIZED_READ(&ours, theirs) < 0 || (ours.has & ~MACHINE_BITS) != 0 || ours.reserved != 0)
        return jl_fail_abi(err, "");
    if (is_as_put(cluster, &ours))
        return 0;
    int rc = check_machine(&ours, err);
    if (rc < 0)
        return rc;
    if (jl_is_empty(ours.name))
        return jl_fail(err, JOULIE_E_REQUIRED, "name", "a machine needs a name");
    fill_node(cluster, &ours, &parts);
    fill_hardware(&ours, &parts.hardware);
    /* the hardware first, so that the node is decided about with it */
    rc = jl_cluster_put_hardware(cluster, &parts.hardware, err);
    if (rc < 0)
        return rc;
    return store(cluster, &ours, &parts.node) == 0 ? 0 : jl_fail_memory(err);
}

int jl_cluster_remove_machine(struct joulie_cluster *cluster, const char *name)
{
    struct cluster_node *node = jl_cluster_find(&cluster->store.nodes, name);
    if (node == NULL || !node->is_known)
        return 0;
    jl_cluster_void_writes(&cluster->writes, name);
    while (node->twins != NULL) /* the node stays: it is known */
        (void)jl_cluster_remove_object(cluster, OBJECT_TWIN, node->twins->name);
    const int rc = jl_cluster_remove_object(cluster, OBJECT_HARDWARE, name);
    return rc < 0 ? rc : jl_cluster_node_forget(cluster, node);
}
