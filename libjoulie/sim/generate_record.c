/* SPDX-License-Identifier: Apache-2.0 */

/* The records of a generated trace as JSON lines: a workload, and its jobs
 * (docs/rules/workloads.md#trace-line). Called by both generators. */

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "schema/encode.h"
#include "sim/generate.h"
#include "sim/trace_line.h"

#define SHARE_STEPS 10000 /* utilisations and intensities carry four decimals */
#define EVERY UINT64_MAX  /* member is there; those that are not are taken out again */
#define GIB "Gi"
#define ID_BYTES 64 /* a number, a role and an index */

#define RECORD pod_record
#define MEMBERS                                        \
    STRING(role, "role", "Role in the workload.")      \
    INTEGER(replicas, "replicas", "Pods like this.")   \
    MAP(requests, "requests", "Requests of each pod.") \
    BOOLEAN(is_gang, "gang", "Part of the gang.")
#include "schema/record.h"

#define RECORD workload_record
#define MEMBERS                                                                               \
    STRING(type, "type", "workload.")                                                         \
    ENUM(version, "schemaVersion", jl_trace_version, jl_trace_version_words,                  \
         "Version of the schema.")                                                            \
    STRING(id, "workloadId", "Name of the workload.")                                         \
    NUMBER(submit_s, "submitTimeOffsetSec", "Submission, seconds after the start.")           \
    STRING(name_space, "namespace", "Namespace of the pods.")                                 \
    STRING(workload_type, "workloadType", "Kind of workload.")                                \
    BOOLEAN(is_gang, "gang", "Its jobs progress only together.")                              \
    NUMBER(duration_s, "durationSec", "Duration at full speed, s.")                           \
    ENUM(intent, "intentClass", jl_trace_intent, jl_trace_intent_words, "Class of the pods.") \
    OBJECT(class_, "workloadClass", jl_trace_class, "What the jobs are bound by.")            \
    LIST(pods, "pods", pod_record, "Pods of one role are one entry.")
#include "schema/record.h"

double jl_generate_round(double value, double per_unit)
{
    return floor(value * per_unit + 0.5) / per_unit;
}

static double share(double value)
{
    return jl_generate_round(value, SHARE_STEPS);
}

static enum jl_trace_intent intent_of(const struct jl_draft_workload *workload)
{
    return workload->is_performance ? JL_TRACE_PERFORMANCE : JL_TRACE_STANDARD;
}

static struct jl_trace_class class_of(const struct jl_draft_workload *workload, bool has_gpus)
{
    struct jl_trace_class class_ = { .has = EVERY,
                                     .cpu = workload->cpu_class,
                                     .gpu = workload->gpu_class };
    class_.given.gpu = has_gpus;
    return class_;
}

struct requests { /* of a pod, with the texts that its map refers to */
    char cpu[JL_DOUBLE_TEXT];
    char memory[JL_DOUBLE_TEXT + sizeof GIB - 1];
    char gpus[JL_DOUBLE_TEXT];
    struct jl_pair pairs[3];
};

static struct jl_map requests_of(const struct jl_draft_workload *workload,
                                 const struct jl_draft *draft, struct requests *room)
{
    jl_format_i64(draft->cores, room->cpu);
    memcpy(room->memory + jl_format_i64(draft->memory_gib, room->memory), GIB, sizeof GIB);
    jl_format_i64(draft->gpus, room->gpus);
    room->pairs[0] = (struct jl_pair){ "cpu", room->cpu };
    room->pairs[1] = (struct jl_pair){ "memory", room->memory };
    room->pairs[2] =
        (struct jl_pair){ workload->is_amd ? "amd.com/gpu" : "nvidia.com/gpu", room->gpus };
    return (struct jl_map){ room->pairs, draft->gpus > 0 ? 3 : 2 };
}

static void put_job(struct jl_generator *generator, const struct jl_draft_workload *workload,
                    const struct jl_draft *draft, const char *workload_id)
{
    const struct jl_work *work = &draft->work;
    char id[ID_BYTES];
    struct jl_buffer id_text = { .data = id, .capacity = sizeof id, .is_fixed = true };
    struct requests room;
    struct jl_trace_record job = {
        .has = EVERY,
        .type = "job",
        .version = JL_TRACE_V2,
        .job_id = id,
        .workload_id = workload_id,
        .workload_type = workload->type,
        .pod_role = draft->role,
        .is_gang = draft->is_gang,
        .submit_s = workload->submit_s,
        .name_space = generator->options->name_space,
        .intent = intent_of(workload),
        .pod = { .has = EVERY,
                 .affinity = generator->no_eco,
                 .requests = requests_of(workload, draft, &room) },
        .work = { .has = EVERY,
                  .cpu = jl_generate_round(draft->cpu_units, 1000),
                  .gpu = jl_generate_round(draft->gpu_units, 1000) },
        .sensitivity = { .has = EVERY, .cpu = 1, .gpu = 1 },
        .class_ = class_of(workload, draft->gpus > 0),
        .profile = { .has = EVERY,
                     .cpu_util = share(work->cpu_util),
                     .gpu_util = share(work->gpu_util),
                     .memory = share(work->memory),
                     .io = share(work->io),
                     .feed = share(work->feed) },
    };
    job.given.tags = false;
    job.pod.given.affinity = workload->is_performance;
    job.profile.given.gpu_util = work->given.gpu_util;
    job.profile.given.feed = work->given.feed;
    jl_put_string(&id_text, workload_id);
    jl_put_char(&id_text, '-');
    jl_put_string(&id_text, draft->role);
    jl_put_string(&id_text, draft->index < 10 ? "-0" : "-");
    jl_put_i64(&id_text, draft->index);
    jl_encode(generator->out, &jl_trace_record_table, &job);
    jl_put_char(generator->out, '\n');
    generator->jobs++;
}

/* Pods of one role stand next to each other and are alike: one entry with replicas. */
static void put_workload(struct jl_generator *generator, const struct jl_draft_workload *workload,
                         const struct jl_draft *drafts, size_t count, const char *id)
{
    struct pod_record pods[JL_GENERATE_MOST_PODS];
    struct requests rooms[JL_GENERATE_MOST_PODS];
    size_t roles = 0;
    for (size_t i = 0; i < count; i++) {
        if (roles > 0 && jl_same(pods[roles - 1].role, drafts[i].role)) {
            pods[roles - 1].replicas++;
            continue;
        }
        pods[roles] = (struct pod_record){
            .has = EVERY,
            .role = drafts[i].role,
            .replicas = 1,
            .requests = requests_of(workload, &drafts[i], &rooms[roles]),
            .is_gang = drafts[i].is_gang,
        };
        roles++;
    }
    const struct workload_record record = {
        .has = EVERY,
        .type = "workload",
        .version = JL_TRACE_V2,
        .id = id,
        .submit_s = workload->submit_s,
        .name_space = generator->options->name_space,
        .workload_type = workload->type,
        .is_gang = workload->is_gang,
        .duration_s = workload->duration_s,
        .intent = intent_of(workload),
        .class_ = class_of(workload, workload->gpu_class != JL_GPU_UNKNOWN),
        .pods = { pods, roles },
    };
    jl_encode(generator->out, &workload_record_table, &record);
    jl_put_char(generator->out, '\n');
}

void jl_generate_write(struct jl_generator *generator, const struct jl_draft_workload *workload,
                       const struct jl_draft *drafts, size_t count)
{
    char id[ID_BYTES];
    struct jl_buffer id_text = { .data = id, .capacity = sizeof id, .is_fixed = true };
    jl_put_string(&id_text, "wl-");
    jl_put_i64(&id_text, workload->number);
    if (generator->options->has_records)
        put_workload(generator, workload, drafts, count, id);
    for (size_t i = 0; i < count; i++)
        put_job(generator, workload, &drafts[i], id);
}
