/* SPDX-License-Identifier: Apache-2.0 */

/* What a simulation holds, for a person who looks for a mistake: the bodies of /debug
 * (docs/rules/simulator-contract.md#debug-views). */

#include "base/memory.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/time.h"
#include "schema/encode.h"
#include "sim/contract.h"
#include "sim/emit.h"
#include "sim/summary.h"

#define US_PER_MS 1000

static void put_time(struct jl_buffer *out, double time_s)
{
    char text[JL_TIME_TEXT];
    const size_t len = jl_format_time_us(jl_sim_instant_ms(time_s) * US_PER_MS, text);
    jl_put_json_string(out, text, len);
}

/* ---- jobs ---- */

static bool has_ended(const struct jl_sim_job *job)
{
    return job->state > JL_JOB_RUNNING;
}

static int compare_jobs(const void *a, const void *b, void *user)
{
    const struct jl_sim_fleet *fleet = user;
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    const int by_end = (int)has_ended(&fleet->jobs[left]) - (int)has_ended(&fleet->jobs[right]);
    return by_end != 0 ? by_end
                       : jl_compare(fleet->workload->tasks[left].job->job_id,
                                    fleet->workload->tasks[right].job->job_id);
}

static void put_times(struct jl_buffer *out, const struct jl_sim_fleet *fleet,
                      const struct jl_sim_job *job)
{
    const bool is_stalled = job->state == JL_JOB_RUNNING && job->stalled_s < JL_NEVER;
    if (job->has_started) {
        jl_emit_key(out, "lastProgressAt");
        put_time(out, is_stalled
                          ? job->stalled_s
                          : jl_min(fleet->now_s, has_ended(job) ? job->end_s : fleet->now_s));
    }
    if (has_ended(job)) {
        jl_emit_key(out, "deleteRequestedAt");
        put_time(out, job->end_s);
    }
    jl_emit_number(out, "stalledForSec", is_stalled ? fleet->now_s - job->stalled_s : 0);
}

static void put_job(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_trace_job *trace = fleet->workload->tasks[index].job;
    const struct jl_sim_job *job = &fleet->jobs[index];
    jl_put_char(out, '{');
    jl_emit_text(out, "jobId", trace->job_id);
    jl_emit_text(out, "workloadId", trace->workload_id);
    jl_emit_text(out, "workloadType", trace->workload_type);
    jl_emit_text(out, "podRole", trace->pod_role);
    jl_emit_bool(out, "gang", trace->is_gang);
    jl_emit_text(out, "class", trace->is_performance ? "performance" : "standard");
    jl_emit_bool(out, "submitted", job->state != JL_JOB_FUTURE);
    jl_emit_bool(out, "completed", job->state == JL_JOB_COMPLETED);
    jl_emit_text(out, "node", job->has_started ? fleet->nodes[job->node].machine->name : NULL);
    jl_emit_number(out, "requestedCpuCores", trace->cpu_cores);
    jl_emit_number(out, "requestedGpus", (double)trace->gpu_count);
    jl_emit_number(out, "cpuUnitsTotal", job->cpu.total);
    jl_emit_number(out, "cpuUnitsRemaining", job->cpu.total - jl_sim_done(&job->cpu, fleet->now_s));
    jl_emit_number(out, "gpuUnitsTotal", job->gpu.total);
    jl_emit_number(out, "gpuUnitsRemaining", job->gpu.total - jl_sim_done(&job->gpu, fleet->now_s));
    put_times(out, fleet, job);
    jl_put_char(out, '}');
}

int jl_sim_put_debug_jobs(struct jl_buffer *out, const struct jl_sim_fleet *fleet)
{
    const size_t count = fleet->workload->count;
    JL_CLEANUP(jl_freep) uint32_t *order = jl_calloc(count, sizeof *order);
    if (!order)
        return JOULIE_E_NOMEM;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    if (jl_sort(order, count, sizeof *order, compare_jobs, (void *)(uintptr_t)fleet) < 0)
        return JOULIE_E_NOMEM;
    jl_put_string(out, "{\"count\":");
    jl_put_i64(out, (int64_t)count);
    jl_put_string(out, ",\"jobs\":[");
    for (size_t i = 0; i < count; i++) {
        jl_put_string(out, i > 0 ? "," : "");
        put_job(out, fleet, order[i]);
    }
    jl_put_string(out, "]}");
    return jl_buffer_code(out);
}

/* ---- nodes ---- */

static void put_class(struct jl_buffer *out, const struct jl_sim_family *family)
{
    jl_emit_key(out, "class");
    jl_put_string(out, "\"default");
    const char *const keys[] = { family->cpu_model ? family->cpu_model->key : NULL,
                                 family->gpu_model ? family->gpu_model->key : NULL };
    for (size_t i = 0; i < JL_COUNT(keys); i++) {
        for (const char *p = keys[i] ? keys[i] : ""; *p; p++) {
            if (p == keys[i])
                jl_put_char(out, '+');
            jl_put_char(out, *p == '_' ? '-' : jl_lower(*p));
        }
    }
    jl_put_char(out, '"');
}

static void put_node(struct jl_buffer *out, const struct jl_sim_fleet *fleet, size_t index)
{
    const struct jl_sim_machine *machine = fleet->nodes[index].machine;
    jl_put_char(out, '{');
    jl_emit_text(out, "node", machine->name);
    jl_emit_bool(out, "selected", true);
    put_class(out, machine->family);
    jl_emit_key(out, "model");
    jl_encode(out, &jl_physics_profile_table, &machine->family->profile);
    jl_emit_key(out, "state");
    (void)jl_sim_put_state(out, fleet, index); /* a failure stays in the buffer */
    jl_emit_bool(out, "known", true);
    jl_emit_bool(out, "seenByApi", true);
    jl_put_char(out, '}');
}

int jl_sim_put_debug_nodes(struct jl_buffer *out, const struct jl_sim_fleet *fleet)
{
    jl_put_string(out, "{\"count\":");
    jl_put_i64(out, (int64_t)fleet->node_count);
    jl_put_string(out, ",\"nodes\":[");
    for (size_t i = 0; i < fleet->node_count; i++) {
        jl_put_string(out, i > 0 ? "," : "");
        put_node(out, fleet, i);
    }
    jl_put_string(out, "]}");
    return jl_buffer_code(out);
}

/* ---- energy ---- */

void jl_sim_mean_utils(const struct jl_sim_fleet *fleet, double *out_cpu, double *out_gpu)
{
    double cpu = 0;
    double gpu = 0;
    for (size_t i = 0; i < fleet->node_count; i++) {
        cpu += fleet->nodes[i].cpu_util;
        gpu += fleet->nodes[i].gpu_util;
    }
    *out_cpu = cpu / (double)fleet->node_count;
    *out_gpu = gpu / (double)fleet->node_count;
}

int jl_sim_put_debug_energy(struct jl_buffer *out, const struct jl_sim_fleet *fleet)
{
    double cpu_util;
    double gpu_util;
    jl_sim_mean_utils(fleet, &cpu_util, &gpu_util);
    jl_put_char(out, '{');
    jl_emit_number(out, "totalJoules", jl_sim_it_energy_j(fleet));
    jl_emit_key(out, "byNodeJoules");
    jl_put_char(out, '{');
    for (size_t i = 0; i < fleet->node_count; i++)
        jl_emit_number(out, fleet->nodes[i].machine->name,
                       jl_sim_energy_j(&fleet->nodes[i].cpu, fleet->now_s) +
                           jl_sim_energy_j(&fleet->nodes[i].gpu, fleet->now_s));
    jl_put_char(out, '}');
    jl_emit_number(out, "clusterCpuUtil", cpu_util);
    jl_emit_number(out, "clusterGpuUtil", gpu_util);
    jl_emit_key(out, "lastUpdated");
    put_time(out, fleet->now_s);
    jl_put_char(out, '}');
    return jl_buffer_code(out);
}
