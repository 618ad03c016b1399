/* SPDX-License-Identifier: Apache-2.0 */

/* Words and tables of thread profiles (docs/rules/threads.md#profiles). */

#define JL_THREAD_PROFILE_TABLES
#include "kinds/thread_profile.h"

const struct jl_words jl_tier_words = JL_WORDS({
    { JL_TIER_CRITICAL, "critical" },
    { JL_TIER_HIGH, "high" },
    { JL_TIER_NORMAL, "normal" },
    { JL_TIER_LOW, "low" },
    { JL_TIER_BACKGROUND, "background" },
});

const struct jl_words jl_treatment_words = JL_WORDS({
    { JL_TREATMENT_EXCLUSIVE, "exclusive" },
    { JL_TREATMENT_LATENCY, "latency" },
    { JL_TREATMENT_YIELD, "yield" },
    { JL_TREATMENT_NORMAL, "normal" },
});

const struct jl_words jl_thread_role_words = JL_WORDS({
    { JL_THREAD_SYNC_COMPUTE, "sync_compute" },
    { JL_THREAD_LATENCY_CRITICAL, "latency_critical" },
    { JL_THREAD_IO_WAKE_CHAIN, "io_wake_chain" },
    { JL_THREAD_SPORADIC, "sporadic" },
});

const struct jl_words jl_image_and_exe_words = JL_WORDS({
    { JL_ANY_OF, "any" },
    { JL_ALL_OF, "all" },
});

const struct jl_words jl_thread_rank_words = JL_WORDS({
    { JL_RANK_CPU_TIME, "cpu_time" },
    { JL_RANK_WAKE_RATE, "wake_rate" },
    { JL_RANK_TID, "tid" },
});

const struct jl_words jl_thread_overflow_words = JL_WORDS({
    { JL_OVERFLOW_NEXT, "next" },
    { JL_OVERFLOW_NORMAL, "normal" },
});

const struct jl_words jl_thread_smt_words = JL_WORDS({
    { JL_SMT_ISOLATE, "isolate" },
    { JL_SMT_SHARE, "share" },
});

const struct jl_words jl_thread_pin_words = JL_WORDS({
    { JL_PIN_GROUP, "group" },
    { JL_PIN_PER_THREAD, "per_thread" },
});

const struct jl_words jl_yield_policy_words = JL_WORDS({
    { JL_YIELD_BATCH, "batch" },
    { JL_YIELD_IDLE, "idle" },
});

const struct jl_words jl_thread_numa_words = JL_WORDS({
    { JL_NUMA_ANY, "any" },
    { JL_NUMA_LOCAL, "local" },
});

const struct jl_words jl_direction_words = JL_WORDS({
    { JL_DIRECTION_LOWER, "lower" },
    { JL_DIRECTION_HIGHER, "higher" },
});

const struct jl_words jl_program_kind_words = JL_WORDS({
    { JL_PROGRAM_OLTP_DB, "oltp_db" },
    { JL_PROGRAM_KV_CACHE, "kv_cache" },
    { JL_PROGRAM_JVM_SERVICE, "jvm_service" },
    { JL_PROGRAM_PROXY, "proxy" },
    { JL_PROGRAM_ML_TRAINING, "ml_training" },
    { JL_PROGRAM_ML_INFERENCE, "ml_inference" },
    { JL_PROGRAM_LLM_INFERENCE, "llm_inference" },
    { JL_PROGRAM_MEDIA_TRANSCODE, "media_transcode" },
    { JL_PROGRAM_CONSENSUS_STORE, "consensus_store" },
    { JL_PROGRAM_BATCH, "batch" },
    { JL_PROGRAM_GENERIC, "generic" },
});

const struct jl_words jl_cores_words = JL_WORDS({
    { JL_CORES_AUTO, "auto" },
});
