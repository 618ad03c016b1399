/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A job of a trace as a line has it (docs/rules/workloads.md#trace-line): trace.c reads it,
 * generate_record.c writes it. */

#include "kinds/pod.h"
#include "physics/physics.h"
#include "sim/trace.h"

enum jl_trace_version { JL_TRACE_VERSION_UNKNOWN, JL_TRACE_V1, JL_TRACE_V2 };

enum jl_trace_intent { JL_TRACE_INTENT_UNKNOWN, JL_TRACE_PERFORMANCE, JL_TRACE_STANDARD };

extern const struct jl_words jl_trace_version_words;
extern const struct jl_words jl_trace_intent_words;

#ifdef JL_TRACE_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_trace_template
#define MEMBERS                                                       \
    OBJECT(affinity, "affinity", jl_affinity, "Affinity of the pod.") \
    MAP(requests, "requests", "Requests: cpu, memory, GPUs.")
#include "schema/shared_record.h"

#define RECORD jl_trace_work
#define MEMBERS                                               \
    NUMBER(cpu, "cpuUnits", "CPU work, units.", NOT_NEGATIVE) \
    NUMBER(gpu, "gpuUnits", "GPU work, units.", NOT_NEGATIVE)
#include "schema/shared_record.h"

#define RECORD jl_trace_sensitivity
#define MEMBERS                                                         \
    NUMBER(cpu, "cpu", "Sensitivity to CPU caps, 0..1.", BETWEEN(0, 1)) \
    NUMBER(gpu, "gpu", "Sensitivity to GPU caps, 0..1.", BETWEEN(0, 1))
#include "schema/shared_record.h"

#define RECORD jl_trace_class
#define MEMBERS                                                      \
    ENUM(cpu, "cpu", jl_cpu_class, jl_cpu_class_words, "CPU class.") \
    ENUM(gpu, "gpu", jl_gpu_class, jl_gpu_class_words, "GPU class.")
#include "schema/shared_record.h"

#define RECORD jl_trace_profile
#define MEMBERS                                                                          \
    NUMBER(cpu_util, "cpuUtilization", "Utilisation of its cores, 0..1.", BETWEEN(0, 1)) \
    NUMBER(gpu_util, "gpuUtilization", "Utilisation of its GPUs, 0..1.", BETWEEN(0, 1))  \
    NUMBER(memory, "memoryIntensity", "Memory intensity, 0..1.", BETWEEN(0, 1))          \
    NUMBER(io, "ioIntensity", "I/O intensity, 0..1.", BETWEEN(0, 1))                     \
    NUMBER(feed, "cpuFeedIntensityGpu", "How much the CPU has to feed the GPU, 0..1.",   \
           BETWEEN(0, 1))
#include "schema/shared_record.h"

#define RECORD jl_trace_record
#define MEMBERS                                                                      \
    STRING(type, "type", "job.")                                                     \
    ENUM(version, "schemaVersion", jl_trace_version, jl_trace_version_words,         \
         "Version of the schema.")                                                   \
    STRING(job_id, "jobId", "Name of the job, unique.", REQUIRED)                    \
    STRING(workload_id, "workloadId", "Workload it belongs to.")                     \
    STRING(workload_type, "workloadType", "Kind of workload.")                       \
    STRING(pod_role, "podRole", "Role in the workload.")                             \
    BOOLEAN(is_gang, "gang", "Progresses only together with its workload.")          \
    NUMBER(submit_s, "submitTimeOffsetSec", "Submission, seconds after the start.",  \
           BETWEEN(0, JL_SIM_LONGEST_S))                                             \
    STRING(name_space, "namespace", "Namespace of the pod.")                         \
    ENUM(intent, "intentClass", jl_trace_intent, jl_trace_intent_words,              \
         "Class; wins over the affinity.")                                           \
    OBJECT(pod, "podTemplate", jl_trace_template, "The pod.")                        \
    OBJECT(work, "work", jl_trace_work, "Work to do.")                               \
    OBJECT(sensitivity, "sensitivity", jl_trace_sensitivity, "Sensitivity to caps.") \
    OBJECT(class_, "workloadClass", jl_trace_class, "What the job is bound by.")     \
    OBJECT(profile, "workloadProfile", jl_trace_profile, "Utilisation, intensity.")  \
    STRINGS(tags, "tags", "Free words.")
#include "schema/shared_record.h"

#undef RECORD_TABLES
