/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Weights, paths and files of control groups of version 2 (docs/rules/energy.md#control-groups,
 * #files). Called by the questions `cgroup` and `reading`.
 */

#include "power/cgroup.h"

#include <string.h>

#include <joulie/error.h>

#include "base/number.h"

/* The linear conversion of kubelet, by way of the shares of version 1. */
#define SHARES_LEAST 2
#define SHARES_MOST 262144
#define SHARES_PER_CPU 1024
#define MILLICPU_PER_CPU 1000
#define MILLICPU_MOST (SHARES_MOST / SHARES_PER_CPU * MILLICPU_PER_CPU) /* more weighs no more */

#define NAME_BYTES 200 /* of an id: a file name has 255 and something stands around the id */

/* ---- weights ---- */

int64_t jl_cpu_weight(int64_t millicpu)
{
    if (millicpu > MILLICPU_MOST)
        return JL_CPU_WEIGHT_MAX;
    int64_t shares = millicpu * SHARES_PER_CPU / MILLICPU_PER_CPU;
    if (shares < SHARES_LEAST)
        shares = SHARES_LEAST;
    return 1 + (shares - SHARES_LEAST) * (JL_CPU_WEIGHT_MAX - 1) / (SHARES_MOST - SHARES_LEAST);
}

struct jl_cgroup_write jl_tier_write(enum jl_tier tier, int64_t current_weight, bool has_idle)
{
    switch (tier) {
    case JL_TIER_LOW:
        return (struct jl_cgroup_write){ "cpu.weight",
                                         current_weight > 1 ? current_weight / 2 : 1 };
    case JL_TIER_BACKGROUND:
        return (struct jl_cgroup_write){ has_idle ? "cpu.idle" : "cpu.weight", 1 };
    case JL_TIER_CRITICAL:
    case JL_TIER_HIGH:
    case JL_TIER_NORMAL: /* the weight that kubelet gave reflects the requests */
    case JL_TIER_UNKNOWN:
        break;
    }
    return (struct jl_cgroup_write){ NULL, 0 };
}

/* ---- paths ---- */

const struct jl_words jl_cgroup_driver_words = JL_WORDS({
    { JL_CGROUP_SYSTEMD, "systemd" },
    { JL_CGROUP_CGROUPFS, "cgroupfs" },
});

const struct jl_words jl_qos_class_words = JL_WORDS({
    { JL_QOS_GUARANTEED, "Guaranteed" },
    { JL_QOS_BURSTABLE, "Burstable" },
    { JL_QOS_BEST_EFFORT, "BestEffort" },
});

struct runtime {
    const char *name;
    const char *scope; /* of its containers' systemd scopes */
};

static const struct runtime runtimes[] = {
    { "containerd", "cri-containerd-" },
    { "crio", "crio-" },
    { "cri-o", "crio-" }, /* the spelling of pod statuses */
    { "docker", "docker-" },
};

static bool is_id_byte(char c)
{
    const char lower = jl_lower(c);
    return (lower >= 'a' && lower <= 'z') || jl_is_digit(c) || c == '-' || c == '_';
}

/* An id becomes part of a path: no slash and no point may stand in it. */
static int check_id(struct jl_text id)
{
    if (id.len == 0)
        return JOULIE_E_PARSE;
    for (size_t i = 0; i < id.len; i++) {
        if (!is_id_byte(id.ptr[i]))
            return JOULIE_E_PARSE;
    }
    return id.len > NAME_BYTES ? JOULIE_E_LIMIT : 0;
}

static int take(struct jl_arena *arena, const char *text, const char **out)
{
    if (text == NULL)
        return jl_arena_code(arena);
    *out = text;
    return 0;
}

static const char *qos_folder(enum jl_qos_class qos)
{
    switch (qos) {
    case JL_QOS_BURSTABLE:
        return "burstable";
    case JL_QOS_BEST_EFFORT:
        return "besteffort";
    case JL_QOS_GUARANTEED: /* directly below the root of all pods */
    case JL_QOS_UNKNOWN:
        break;
    }
    return NULL;
}

/* A slice's name holds the names of those above it, parted by '-', so the uid must not have any. */
static int slice_path(struct jl_arena *arena, const char *folder, const char *uid, const char **out)
{
    char *flat = jl_arena_string(arena, uid);
    if (flat == NULL)
        return jl_arena_code(arena);
    for (char *c = flat; *c != '\0'; c++) {
        if (*c == '-')
            *c = '_';
    }
    if (folder == NULL) {
        return take(arena, JL_JOIN(arena, "kubepods.slice/kubepods-pod", flat, ".slice"), out);
    }
    return take(arena,
                JL_JOIN(arena, "kubepods.slice/kubepods-", folder, ".slice/kubepods-", folder,
                        "-pod", flat, ".slice"),
                out);
}

int jl_cgroup_pod_path(struct jl_arena *arena, enum jl_cgroup_driver driver, enum jl_qos_class qos,
                       const char *uid, const char **out)
{
    const int rc = check_id(jl_text(uid));
    const char *folder = qos_folder(qos);
    if (rc < 0)
        return rc;
    if (driver == JL_CGROUP_SYSTEMD)
        return slice_path(arena, folder, uid, out);
    return take(arena,
                JL_JOIN(arena, "kubepods/", folder != NULL ? folder : "",
                        folder != NULL ? "/pod" : "pod", uid),
                out);
}

/* Cuts "RUNTIME://ID". */
static bool split_container(const char *container, struct jl_text *runtime, struct jl_text *id)
{
    *id = jl_text(container);
    *runtime = jl_text_cut(id, ':');
    if (id->len < 2 || memcmp(id->ptr, "//", 2) != 0)
        return false;
    *id = (struct jl_text){ id->ptr + 2, id->len - 2 };
    return true;
}

static const char *scope_of(struct jl_text runtime)
{
    for (size_t i = 0; i < JL_COUNT(runtimes); i++) {
        if (jl_text_is(runtime, runtimes[i].name))
            return runtimes[i].scope;
    }
    return NULL;
}

int jl_cgroup_container_path(struct jl_arena *arena, enum jl_cgroup_driver driver,
                             const char *pod_path, const char *container, const char **out)
{
    struct jl_text runtime;
    struct jl_text id;
    int rc = split_container(container, &runtime, &id) ? check_id(id) : JOULIE_E_PARSE;
    if (rc < 0)
        return rc;
    if (driver == JL_CGROUP_CGROUPFS) {
        return take(arena, JL_JOIN(arena, pod_path, "/", id.ptr), out);
    }
    const char *scope = scope_of(runtime);
    if (scope == NULL)
        return JOULIE_E_ENUM;
    return take(arena, JL_JOIN(arena, pod_path, "/", scope, id.ptr, ".scope"), out);
}

/* ---- the files cpu.stat and cpu.max ---- */

static const char *const stat_keys[JL_CPU_STAT_COUNT] = {
    [JL_CPU_STAT_USAGE_US] = "usage_usec",    [JL_CPU_STAT_USER_US] = "user_usec",
    [JL_CPU_STAT_SYSTEM_US] = "system_usec",  [JL_CPU_STAT_PERIODS] = "nr_periods",
    [JL_CPU_STAT_THROTTLED] = "nr_throttled", [JL_CPU_STAT_THROTTLED_US] = "throttled_usec",
};

static int read_stat(struct jl_text key, struct jl_text value, struct jl_cpu_stat *out)
{
    for (size_t i = 0; i < JL_CPU_STAT_COUNT; i++) {
        if (!jl_text_is(key, stat_keys[i]))
            continue;
        if ((out->has >> i & 1) != 0)
            return JOULIE_E_PARSE;
        out->has |= UINT64_C(1) << i;
        return jl_parse_u64(value.ptr, value.len, &out->value[i]);
    }
    return 0;
}

int jl_cpu_stat_parse(struct jl_text text, struct jl_cpu_stat *out)
{
    struct jl_cpu_stat stat = { 0 };
    if (text.len == 0)
        return JOULIE_E_PARSE;
    while (text.len > 0) {
        struct jl_text value = jl_text_cut(&text, '\n');
        const struct jl_text key = jl_text_cut(&value, ' ');
        const int rc = key.len > 0 && value.len > 0 ? read_stat(key, value, &stat) : JOULIE_E_PARSE;
        if (rc < 0)
            return rc;
    }
    *out = stat;
    return 0;
}

int jl_cpu_max_parse(struct jl_text text, struct jl_cpu_max *out)
{
    struct jl_cpu_max max = { 0 };
    struct jl_text period = jl_text_cut(&text, '\n');
    const struct jl_text quota = jl_text_cut(&period, ' ');
    int rc = text.len > 0 ? JOULIE_E_PARSE : 0;
    max.is_unlimited = jl_text_is(quota, "max");
    if (rc == 0 && !max.is_unlimited)
        rc = jl_parse_u64(quota.ptr, quota.len, &max.quota_us);
    if (rc == 0)
        rc = jl_parse_u64(period.ptr, period.len, &max.period_us);
    if (rc == 0 && max.period_us == 0)
        rc = JOULIE_E_RANGE;
    if (rc == 0)
        *out = max;
    return rc;
}
