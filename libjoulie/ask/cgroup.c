/* SPDX-License-Identifier: Apache-2.0 */

/* cgroup: weights, files and paths of a pod's control groups
 * (docs/rules/energy.md#control-groups). */

#include "power/cgroup.h"

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"

#define RECORD cgroup_in
#define MEMBERS                                                                             \
    INTEGER(millicpu, "milliCpu", "CPU request, in thousandths: for weight.", NOT_NEGATIVE) \
    ENUM(tier, "tier", jl_tier, jl_tier_words, "Tier of the pod: for writes.")              \
    INTEGER(current_weight, "currentWeight", "cpu.weight as it reads.",                     \
            BETWEEN(0, JL_CPU_WEIGHT_MAX))                                                  \
    BOOLEAN(idle_supported, "idleSupported", "Whether the kernel has cpu.idle.")            \
    ENUM(driver, "driver", jl_cgroup_driver, jl_cgroup_driver_words,                        \
         "Who makes the groups: for the paths.")                                            \
    ENUM(qos_class, "qosClass", jl_qos_class, jl_qos_class_words, "QoS class of the pod.")  \
    STRING(pod_uid, "podUid", "UID of the pod.")                                            \
    STRING(container_id, "containerId", "Container, with its runtime: containerd://ID.")
#include "schema/record.h"

#define RECORD cgroup_write
#define MEMBERS                               \
    STRING(file, "file", "Name of the file.") \
    STRING(text, "text", "What is written.")
#include "schema/record.h"

#define RECORD cgroup_out
#define MEMBERS                                                                        \
    INTEGER(weight, "weight", "cpu.weight of the request.")                            \
    LIST(writes, "writes", cgroup_write, "What the tier writes into the pod's group.") \
    STRING(pod_path, "podPath", "The pod's group, below the root of all groups.")      \
    STRING(container_path, "containerPath", "The container's group, likewise.")
#include "schema/record.h"

static int put_writes(struct jl_ask *ask, const struct cgroup_in *in, struct cgroup_out *out)
{
    const uint64_t needed = in->tier == JL_TIER_LOW          ? JL_ASK_ROW(cgroup_in, current_weight)
                            : in->tier == JL_TIER_BACKGROUND ? JL_ASK_ROW(cgroup_in, idle_supported)
                                                             : 0;
    const int rc = jl_ask_require(ask, &cgroup_in_table, in, needed);
    if (rc < 0)
        return rc;
    const struct jl_cgroup_write write =
        jl_tier_write(in->tier, in->current_weight, in->idle_supported);
    if (write.file == NULL) {
        JL_SET(out, writes, ((struct jl_list){ NULL, 0 }));
        return 0;
    }
    char digits[JL_DOUBLE_TEXT];
    struct cgroup_write *item = JL_NEW(ask->arena, struct cgroup_write);
    const char *text = jl_arena_copy(ask->arena, digits, jl_format_i64(write.value, digits));
    if (item == NULL || text == NULL)
        return jl_fail_memory(ask->err);
    JL_SET(item, file, write.file);
    JL_SET(item, text, text);
    JL_SET(out, writes, ((struct jl_list){ item, 1 }));
    return 0;
}

static int fail_path(struct jl_ask *ask, int code, const char *where)
{
    if (code == JOULIE_E_NOMEM)
        return jl_fail_memory(ask->err);
    if (code == JOULIE_E_ENUM)
        return jl_ask_fail(ask, code, where, "the runtime is none of containerd, crio, docker");
    return jl_ask_fail(ask, code, where,
                       code == JOULIE_E_LIMIT ? "the id is too long for a name"
                                              : "the id cannot be part of a name");
}

static int put_paths(struct jl_ask *ask, const struct cgroup_in *in, struct cgroup_out *out)
{
    int rc = jl_ask_require(ask, &cgroup_in_table, in,
                            JL_ASK_ROW(cgroup_in, driver) | JL_ASK_ROW(cgroup_in, qos_class) |
                                JL_ASK_ROW(cgroup_in, pod_uid));
    if (rc < 0)
        return rc;
    rc = jl_cgroup_pod_path(ask->arena, in->driver, in->qos_class, in->pod_uid, &out->pod_path);
    if (rc < 0)
        return fail_path(ask, rc, "podUid");
    out->given.pod_path = true;
    if (!in->given.container_id)
        return 0;
    rc = jl_cgroup_container_path(ask->arena, in->driver, out->pod_path, in->container_id,
                                  &out->container_path);
    if (rc < 0)
        return fail_path(ask, rc, "containerId");
    out->given.container_path = true;
    return 0;
}

static int answer_cgroup(struct jl_ask *ask, const struct cgroup_in *in, struct cgroup_out *out)
{
    int rc = 0;
    if (in->given.millicpu)
        JL_SET(out, weight, jl_cpu_weight(in->millicpu));
    if (in->given.tier)
        rc = put_writes(ask, in, out);
    if (rc == 0 && in->has >> JL_INDEX(cgroup_in, driver) != 0)
        rc = put_paths(ask, in, out);
    if (rc == 0 && out->has == 0)
        rc = jl_ask_fail(ask, JOULIE_E_REQUIRED, "", "give milliCpu, a tier or a driver");
    return rc;
}

JL_QUESTION(cgroup, "cgroup", "weights, files and paths of a pod's control groups");
