/* SPDX-License-Identifier: Apache-2.0 */

/* cgroup: weights, files and paths of a pod's control groups (temper.md §1.5, linux-power.md §10).
 */

#include "power/cgroup.h"

#include "ask/ask.h"
#include "base/error.h"
#include "base/number.h"

struct cgroup_in {
    uint64_t has;
    int64_t millicpu;
    enum jl_tier tier;
    int64_t current_weight;
    bool idle_supported;
    enum jl_cgroup_driver driver;
    enum jl_qos_class qos_class;
    const char *pod_uid;
    const char *container_id;
};

enum {
    IN_MILLICPU,
    IN_TIER,
    IN_CURRENT_WEIGHT,
    IN_IDLE_SUPPORTED,
    IN_DRIVER,
    IN_QOS_CLASS,
    IN_POD_UID,
    IN_CONTAINER_ID,
};

static const struct jl_row in_rows[] = {
    [IN_MILLICPU] = JL_INTEGER(cgroup_in, millicpu, "milliCpu", .flags = JL_NOT_NEGATIVE,
                               .doc = "CPU request, in thousandths: for weight."),
    [IN_TIER] =
        JL_ENUM(cgroup_in, tier, "tier", &jl_tier_words, .doc = "Tier of the pod: for writes."),
    [IN_CURRENT_WEIGHT] =
        JL_INTEGER(cgroup_in, current_weight, "currentWeight", .flags = JL_HAS_MIN | JL_HAS_MAX,
                   .min = 0, .max = JL_CPU_WEIGHT_MAX, .doc = "cpu.weight as it reads."),
    [IN_IDLE_SUPPORTED] = JL_BOOLEAN(cgroup_in, idle_supported, "idleSupported",
                                     .doc = "Whether the kernel has cpu.idle."),
    [IN_DRIVER] = JL_ENUM(cgroup_in, driver, "driver", &jl_cgroup_driver_words,
                          .doc = "Who makes the groups: for the paths."),
    [IN_QOS_CLASS] = JL_ENUM(cgroup_in, qos_class, "qosClass", &jl_qos_class_words,
                             .doc = "QoS class of the pod."),
    [IN_POD_UID] = JL_STRING(cgroup_in, pod_uid, "podUid", .doc = "UID of the pod."),
    [IN_CONTAINER_ID] = JL_STRING(cgroup_in, container_id, "containerId",
                                  .doc = "Container, with its runtime: containerd://ID."),
};
static const struct jl_table in_table = JL_TABLE(cgroup_in, in_rows);

struct cgroup_write {
    uint64_t has;
    const char *file;
    const char *text;
};

enum { WRITE_FILE, WRITE_TEXT };

static const struct jl_row write_rows[] = {
    [WRITE_FILE] = JL_STRING(cgroup_write, file, "file", .doc = "Name of the file."),
    [WRITE_TEXT] = JL_STRING(cgroup_write, text, "text", .doc = "What is written."),
};
static const struct jl_table write_table = JL_TABLE(cgroup_write, write_rows);

struct cgroup_out {
    uint64_t has;
    int64_t weight;
    struct jl_list writes;
    const char *pod_path;
    const char *container_path;
};

enum { OUT_WEIGHT, OUT_WRITES, OUT_POD_PATH, OUT_CONTAINER_PATH };

static const struct jl_row out_rows[] = {
    [OUT_WEIGHT] = JL_INTEGER(cgroup_out, weight, "weight", .doc = "cpu.weight of the request."),
    [OUT_WRITES] = JL_LIST(cgroup_out, writes, "writes", &write_table,
                           .doc = "What the tier writes into the pod's group."),
    [OUT_POD_PATH] = JL_STRING(cgroup_out, pod_path, "podPath",
                               .doc = "The pod's group, below the root of all groups."),
    [OUT_CONTAINER_PATH] = JL_STRING(cgroup_out, container_path, "containerPath",
                                     .doc = "The container's group, likewise."),
};
static const struct jl_table out_table = JL_TABLE(cgroup_out, out_rows);

static int put_writes(struct jl_ask *ask, const struct cgroup_in *in, struct cgroup_out *out)
{
    int rc = 0;
    if (in->tier == JL_TIER_LOW)
        rc = jl_ask_require(ask, &in_table, in, IN_CURRENT_WEIGHT);
    if (in->tier == JL_TIER_BACKGROUND)
        rc = jl_ask_require(ask, &in_table, in, IN_IDLE_SUPPORTED);
    if (rc < 0)
        return rc;
    const struct jl_cgroup_write write =
        jl_tier_write(in->tier, in->current_weight, in->idle_supported);
    if (write.file == NULL) {
        JL_PUT(out, OUT_WRITES, writes, ((struct jl_list){ NULL, 0 }));
        return 0;
    }
    char digits[JL_DOUBLE_TEXT];
    struct cgroup_write *item = JL_NEW(ask->arena, struct cgroup_write);
    const char *text = jl_arena_copy(ask->arena, digits, jl_format_i64(write.value, digits));
    if (item == NULL || text == NULL)
        return jl_fail_memory(ask->err);
    JL_PUT(item, WRITE_FILE, file, write.file);
    JL_PUT(item, WRITE_TEXT, text, text);
    JL_PUT(out, OUT_WRITES, writes, ((struct jl_list){ item, 1 }));
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
    int rc = jl_ask_require(ask, &in_table, in, IN_DRIVER);
    if (rc == 0)
        rc = jl_ask_require(ask, &in_table, in, IN_QOS_CLASS);
    if (rc == 0)
        rc = jl_ask_require(ask, &in_table, in, IN_POD_UID);
    if (rc < 0)
        return rc;
    rc = jl_cgroup_pod_path(ask->arena, in->driver, in->qos_class, in->pod_uid, &out->pod_path);
    if (rc < 0)
        return fail_path(ask, rc, "podUid");
    JL_MARK(out, OUT_POD_PATH);
    if (!JL_HAS(in, IN_CONTAINER_ID))
        return 0;
    rc = jl_cgroup_container_path(ask->arena, in->driver, out->pod_path, in->container_id,
                                  &out->container_path);
    if (rc < 0)
        return fail_path(ask, rc, "containerId");
    JL_MARK(out, OUT_CONTAINER_PATH);
    return 0;
}

static int answer(struct jl_ask *ask, const void *input, void *output)
{
    const struct cgroup_in *in = input;
    struct cgroup_out *out = output;
    int rc = 0;
    if (JL_HAS(in, IN_MILLICPU))
        JL_PUT(out, OUT_WEIGHT, weight, jl_cpu_weight(in->millicpu));
    if (JL_HAS(in, IN_TIER))
        rc = put_writes(ask, in, out);
    if (rc == 0 && in->has >> IN_DRIVER != 0)
        rc = put_paths(ask, in, out);
    if (rc == 0 && out->has == 0)
        rc = jl_ask_fail(ask, JOULIE_E_REQUIRED, "", "give milliCpu, a tier or a driver");
    return rc;
}

const struct jl_question jl_question_cgroup = {
    .name = "cgroup",
    .summary = "weights, files and paths of a pod's control groups",
    .in = &in_table,
    .out = &out_table,
    .answer = answer,
};
