/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A trace made ready for runs: jobs in queue order, gangs, and kinds of jobs that fit the same
 * nodes. */

#include "place/place.h"
#include "sim/inventory.h"
#include "sim/trace.h"

#define JL_NO_GANG SIZE_MAX

struct jl_sim_shape { /* what a pod needs and how it is filtered; pods of one shape are placed alike
                       */
    int64_t millicores;
    int64_t memory_bytes;
    int64_t gpus;
    enum joulie_gpu_vendor gpu_vendor; /* JOULIE_GPU_VENDOR_UNKNOWN = any */
    bool is_performance;
    bool fits_somewhere; /* an empty node has the room */
};

struct jl_sim_task {
    const struct jl_trace_job *job;
    struct jl_work_traits traits;
    size_t shape;
    size_t gang;      /* or JL_NO_GANG */
    size_t gang_next; /* the next task of the gang, or JL_NO_GANG */
};

struct jl_sim_gang_members {
    size_t first; /* task */
    size_t last;
    size_t count;
    bool fits_somewhere; /* every member does: otherwise none of them ever makes progress */
};

struct jl_sim_workload {
    struct jl_sim_task *tasks; /* by submission, then name */
    size_t count;
    struct jl_sim_shape *shapes;
    size_t shape_count;
    size_t shape_capacity;
    struct jl_sim_gang_members *gangs;
    size_t gang_count;
};

/* The vendor of GPUs by its word; NULL = none or any. */
enum joulie_gpu_vendor jl_sim_vendor(const char *word);

/* trace and inventory are borrowed for the life of the workload. 0 or JOULIE_E_NOMEM. */
int jl_sim_workload_init(const struct jl_trace *trace, const struct jl_inventory *inventory,
                         struct jl_sim_workload *out);
bool jl_sim_fits_empty(const struct jl_sim_shape *shape, const struct jl_sim_family *family);
/* Whether a task could ever run: it fits an empty node, and so does every member of its gang. */
bool jl_sim_has_hope(const struct jl_sim_workload *workload, size_t task);
void jl_sim_workload_clear(struct jl_sim_workload *workload);
