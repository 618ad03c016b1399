/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A machine as thread profiles see it, and whether a profile is for it. Rules:
 * docs/rules/threads.md#machines. */

#include "base/limits.h"
#include "kinds/thread_profile.h"

#ifdef JL_THREAD_MACHINE_TABLES
#define RECORD_TABLES
#endif

#define RECORD jl_machine_core
#define MEMBERS                                                          \
    INTEGER(id, "id", "Number of the core.", REQUIRED, BETWEEN(0, 1e6))  \
    NUMBERS(cpus, "cpus", "Its CPUs.", REQUIRED, NOT_NEGATIVE, AS_INT32, \
            AT_MOST(JL_LIMIT_CPUS - 1))                                  \
    INTEGER(node, "node", "Its NUMA node.", BETWEEN(0, 1e6))             \
    INTEGER(llc, "llc", "Its last-level cache.", BETWEEN(0, 1e6))        \
    INTEGER(max_khz, "max_khz", "Its highest frequency, kHz.", BETWEEN(0, 1e12))
#include "schema/shared_record.h"

#define COUNT BETWEEN(1, 1e6)
#define RECORD jl_thread_machine
#define MEMBERS                                                                \
    INTEGER(logical_cpus, "logical_cpus", "CPUs that are online.", COUNT)      \
    INTEGER(physical_cores, "physical_cores", "Cores that are online.", COUNT) \
    INTEGER(smt, "smt", "Most threads of a core.", COUNT)                      \
    INTEGER(sockets, "sockets", "Sockets.", COUNT)                             \
    INTEGER(numa_nodes, "numa_nodes", "NUMA nodes.", COUNT)                    \
    INTEGER(llcs, "llcs", "Last-level caches.", COUNT)                         \
    STRING(arch, "arch", "Architecture, as uname -m has it.")                  \
    STRING(cpu_vendor, "cpu_vendor", "Vendor, as /proc/cpuinfo has it.")       \
    STRING(cpu_model, "cpu_model", "Model name, likewise.")                    \
    BOOLEAN(hybrid, "hybrid", "Whether its cores are of more than one kind.")  \
    STRING(kernel, "kernel", "Release of its kernel.")                         \
    LIST(cores, "cores", jl_machine_core, "Cores that are online.")
#include "schema/shared_record.h"
#undef COUNT
#undef RECORD_TABLES

/* Gives the counts that are absent and follow from the cores. */
void jl_machine_derive(struct jl_thread_machine *machine);

/* How much a shape asks for: keys of one value, and keys of a range or glob. */
struct jl_shape_weight {
    int64_t exact;
    int64_t ranges;
};

struct jl_shape_weight jl_shape_weigh(const struct jl_machine_shape *shape);
int jl_compare_shapes(const struct jl_machine_shape *a, const struct jl_machine_shape *b);

/* What the machine does not know, no shape that asks for it matches. */
bool jl_shape_matches(const struct jl_machine_shape *shape,
                      const struct jl_thread_machine *machine);
