/* SPDX-License-Identifier: Apache-2.0 */

/* The plan of an operator for the one that comes after it (docs/rules/policy.md#restarts).
 * operator.c calls this around each step. */

#include "operator/memory.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/time.h"
#include "runtime/json.h"

#define COMPONENT "plan"

void jd_memory_see(struct jd_memory *memory, struct json_object *lease)
{
    const char *renewed = jd_json_text(lease, "spec.renewTime");
    jd_announce_see(&memory->plan, lease);
    memory->has_beat = renewed && jl_parse_time(renewed, strlen(renewed), &memory->beat_ms) == 0;
}

/* Once for each text. */
static void report_bad(struct jd_memory *memory, const struct joulie_error *err)
{
    if (jl_same(memory->bad, memory->plan.said))
        return;
    snprintf(memory->bad, sizeof memory->bad, "%s", memory->plan.said);
    jd_log(memory->plan.shared->log, JOULIE_LOG_LEVEL_WARN, COMPONENT,
           "what the Lease " JD_HEARTBEAT_LEASE " says of the plan before does not count, and the "
           "twins alone do: %s%s%s",
           err->where, err->where[0] ? ": " : "", err->message);
}

void jd_memory_recall(struct jd_memory *memory, int64_t now_ms)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const struct jd_shared *shared = memory->plan.shared;
    const char *said = memory->plan.said[0] ? memory->plan.said : NULL;
    if (memory->is_recalled)
        return;
    memory->is_recalled = true;
    if (memory->has_beat)
        joulie_cluster_heartbeat(shared->cluster, memory->beat_ms);
    if (joulie_cluster_restore(shared->cluster, said, said ? strlen(said) : 0, now_ms, &err) ==
        JOULIE_OK) {
        if (said)
            jd_log(shared->log, JOULIE_LOG_LEVEL_INFO, COMPONENT, "goes on from %s", said);
        return;
    }
    report_bad(memory, &err);
    (void)joulie_cluster_restore(shared->cluster, NULL, 0, now_ms, NULL);
}

void jd_memory_keep(struct jd_memory *memory)
{
    JL_CLEANUP(jl_freep) char *text = NULL;
    if (joulie_cluster_save(memory->plan.shared->cluster, &text, NULL) == JOULIE_OK)
        jd_announce(&memory->plan, text ? text : "");
}
