/* SPDX-License-Identifier: Apache-2.0 */

/* Which nodes take a pod that waits, and in which order pods wait: docs/rules/policy.md#room. The
 * answers of selectors, affinity and tolerations are those that Kubernetes documents. */

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/number.h"
#include "kinds/node.h"
#include "policy/admission.h"
#include "policy/room.h"
#include "support/objects.h"

static void read_node(struct jl_arena *arena, const char *taints, const char *allocatable,
                      struct jl_node *out)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n\",\"labels\":{"
             "\"zone\":\"a\",\"disk\":\"ssd\",\"joulie.io/power-profile\":\"eco\"}},"
             "\"spec\":{\"taints\":[%s]},\"status\":{\"allocatable\":{%s}}}",
             taints, allocatable);
    read_object(arena, &jl_node_table, text, out);
}

static void read_pod(struct jl_arena *arena, const char *meta, const char *spec, struct jl_pod *out)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{%s},\"spec\":{%s}}", meta,
             spec);
    read_object(arena, &jl_pod_table, text, out);
}

/* ---- whether a node admits a pod ---- */

#define REQUIRED(terms)                                                                    \
    "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{" \
    "\"nodeSelectorTerms\":[" terms "]}}}"
#define TERM(expressions) "{\"matchExpressions\":[" expressions "]}"
#define IN(key, value) "{\"key\":\"" key "\",\"operator\":\"In\",\"values\":[\"" value "\"]}"
#define TOLERATIONS(list) "\"tolerations\":[" list "]"
#define TAINT(effect) "{\"key\":\"k\",\"value\":\"v\",\"effect\":\"" effect "\"}"

static const struct admission {
    const char *spec; /* members of the pod's */
    const char *taints;
    bool is_admitted;
} ADMISSIONS[] = {
    { "", "", true },
    /* every label of the selector; the profile is performance, whatever the label says now */
    { "\"nodeSelector\":{\"zone\":\"a\",\"disk\":\"ssd\"}", "", true },
    { "\"nodeSelector\":{\"zone\":\"a\",\"disk\":\"hdd\"}", "", false },
    { "\"nodeSelector\":{\"zone\":\"b\",\"disk\":\"ssd\"}", "", false },
    { "\"nodeSelector\":{\"rack\":\"1\"}", "", false },
    { "\"nodeSelector\":{\"joulie.io/power-profile\":\"performance\"}", "", true },
    { "\"nodeSelector\":{\"joulie.io/power-profile\":\"eco\"}", "", false },
    /* affinity that is not required keeps nobody off */
    { "\"affinity\":{}", "", true },
    { "\"affinity\":{\"nodeAffinity\":{}}", "", true },
    /* one of the terms, each with all of its conditions; nothing matches no term or an empty one */
    { REQUIRED(""), "", false },
    { REQUIRED("{}"), "", false },
    { REQUIRED(TERM(IN("zone", "a"))), "", true },
    { REQUIRED(TERM(IN("zone", "b"))), "", false },
    { REQUIRED(TERM(IN("zone", "a") "," IN("disk", "ssd"))), "", true },
    { REQUIRED(TERM(IN("zone", "a") "," IN("disk", "hdd"))), "", false },
    { REQUIRED(TERM(IN("zone", "b") "," IN("disk", "ssd"))), "", false },
    { REQUIRED(TERM(IN("zone", "b")) "," TERM(IN("disk", "ssd"))), "", true },
    { REQUIRED(TERM(IN("zone", "b")) "," TERM(IN("disk", "hdd"))), "", false },
    { REQUIRED(TERM(IN("joulie.io/power-profile", "performance"))), "", true },
    { REQUIRED(TERM(IN("joulie.io/power-profile", "eco"))), "", false },
    /* both, selector and affinity */
    { "\"nodeSelector\":{\"zone\":\"a\"}," REQUIRED(TERM(IN("zone", "b"))), "", false },
    { "\"nodeSelector\":{\"zone\":\"b\"}," REQUIRED(TERM(IN("zone", "a"))), "", false },
    { "\"nodeSelector\":{\"zone\":\"b\"}," TOLERATIONS("{\"operator\":\"Exists\"}"), "", false },
    /* two effects keep off what does not tolerate them, a preference does not */
    { "", TAINT("NoSchedule"), false },
    { "", TAINT("NoExecute"), false },
    { "", TAINT("PreferNoSchedule"), true },
    /* a toleration of one effect, of each, of another */
    { TOLERATIONS("{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoSchedule\"}"), TAINT("NoSchedule"),
      true },
    { TOLERATIONS("{\"key\":\"k\",\"value\":\"v\"}"), TAINT("NoSchedule"), true },
    { TOLERATIONS("{\"key\":\"k\",\"value\":\"v\",\"effect\":\"\"}"), TAINT("NoExecute"), true },
    { TOLERATIONS("{\"key\":\"k\",\"value\":\"v\",\"effect\":\"NoExecute\"}"), TAINT("NoSchedule"),
      false },
    /* Equal compares key and value; Exists only the key; without a key it is for every taint */
    { TOLERATIONS("{\"key\":\"k\",\"operator\":\"Equal\",\"value\":\"v\"}"), TAINT("NoSchedule"),
      true },
    { TOLERATIONS("{\"key\":\"k\",\"value\":\"w\"}"), TAINT("NoSchedule"), false },
    { TOLERATIONS("{\"key\":\"j\",\"value\":\"v\"}"), TAINT("NoSchedule"), false },
    { TOLERATIONS("{\"key\":\"k\"}"), TAINT("NoSchedule"), false },
    { TOLERATIONS("{\"key\":\"k\"}"), "{\"key\":\"k\",\"effect\":\"NoSchedule\"}", true },
    { TOLERATIONS("{\"key\":\"k\",\"operator\":\"Exists\"}"), TAINT("NoSchedule"), true },
    { TOLERATIONS("{\"key\":\"j\",\"operator\":\"Exists\"}"), TAINT("NoSchedule"), false },
    { TOLERATIONS("{\"operator\":\"Exists\"}"), TAINT("NoSchedule"), true },
    { TOLERATIONS("{\"operator\":\"Exists\",\"effect\":\"NoExecute\"}"), TAINT("NoSchedule"),
      false },
    { TOLERATIONS("{\"value\":\"v\"}"), TAINT("NoSchedule"), false },
    /* every taint wants one of the tolerations */
    { TOLERATIONS("{\"key\":\"j\"},{\"key\":\"k\",\"operator\":\"Exists\"}"), TAINT("NoSchedule"),
      true },
    { TOLERATIONS("{\"key\":\"k\",\"operator\":\"Exists\"}"),
      TAINT("NoSchedule") ",{\"key\":\"j\",\"effect\":\"NoExecute\"}", false },
    { TOLERATIONS("{\"key\":\"k\",\"operator\":\"Exists\"}"),
      "{\"key\":\"j\",\"effect\":\"NoExecute\"}," TAINT("NoSchedule"), false },
    { TOLERATIONS(
          "{\"key\":\"k\",\"operator\":\"Exists\"},{\"key\":\"j\",\"operator\":\"Exists\"}"),
      TAINT("NoSchedule") ",{\"key\":\"j\",\"effect\":\"NoExecute\"}", true },
};

static void selector_affinity_and_taints_admit_a_pod(void **state)
{
    (void)state;
    for (size_t i = 0; i < JL_COUNT(ADMISSIONS); i++) {
        const struct admission *row = &ADMISSIONS[i];
        JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
        struct jl_node node;
        struct jl_pod pod;
        read_node(&arena, row->taints, "", &node);
        read_pod(&arena, "\"name\":\"p\"", row->spec, &pod);
        if (jl_pod_admitted(&pod, &node) != row->is_admitted)
            fail_msg("a pod with {%s} on taints [%s]", row->spec, row->taints);
    }
}

/* ---- whether it fits ---- */

static const struct fitting {
    const char *requests;
    const char *allocatable;
    struct jl_place_load held; /* also held.work, which is no room */
    bool fits;
} FITTINGS[] = {
    /* to the last thousandth of a core and the last byte */
    { "\"cpu\":\"1500m\"", "\"cpu\":\"2\"", { .millicores = 500 }, true },
    { "\"cpu\":\"1500m\"", "\"cpu\":\"2\"", { .millicores = 501 }, false },
    { "\"cpu\":\"1500m\"", "\"memory\":\"1\"", { .millicores = 501 }, true },
    { "\"memory\":\"1000\"", "\"memory\":\"3000\"", { .bytes = 2000 }, true },
    { "\"memory\":\"1000\"", "\"memory\":\"3000\"", { .bytes = 2001 }, false },
    { "\"memory\":\"1000\"", "\"cpu\":\"1\"", { .bytes = 2001 }, true },
    { "\"cpu\":\"1\",\"memory\":\"1\"", "\"cpu\":\"1\",\"memory\":\"0\"", { 0 }, false },
    { "\"cpu\":\"1\",\"memory\":\"1\"", "\"cpu\":\"0\",\"memory\":\"1\"", { 0 }, false },
    { "\"cpu\":\"1\",\"memory\":\"1\"", "\"cpu\":\"1\",\"memory\":\"1\"", { 0 }, true },
    /* GPUs that a node does not name are not there; those of another vendor are others */
    { "\"nvidia.com/gpu\":\"2\"", "\"nvidia.com/gpu\":\"4\"", { .micro_gpus = 2000000 }, true },
    { "\"nvidia.com/gpu\":\"2\"", "\"nvidia.com/gpu\":\"4\"", { .micro_gpus = 2000001 }, false },
    { "\"nvidia.com/gpu\":\"1\"", "\"amd.com/gpu\":\"4\"", { 0 }, false },
    { "\"nvidia.com/gpu\":\"1\"", "\"cpu\":\"4\"", { 0 }, false },
    { "\"cpu\":\"1\"", "\"cpu\":\"4\",\"nvidia.com/gpu\":\"1\"", { .micro_gpus = 2000000 }, true },
    /* a seventh of a GPU, 142857 millionths */
    { "\"nvidia.com/mig-1g.10gb\":\"1\"",
      "\"nvidia.com/gpu\":\"1\"",
      { .micro_gpus = 857143 },
      true },
    { "\"nvidia.com/mig-1g.10gb\":\"1\"",
      "\"nvidia.com/gpu\":\"1\"",
      { .micro_gpus = 857144 },
      false },
};

static void a_pod_fits_beside_what_is_held(void **state)
{
    (void)state;
    for (size_t i = 0; i < JL_COUNT(FITTINGS); i++) {
        const struct fitting *row = &FITTINGS[i];
        JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
        const struct jl_place_node unknown = { 0 };
        struct jl_node node;
        struct jl_pod pod;
        struct jl_waiting_pod waiting;
        struct jl_room room;
        char spec[256];
        snprintf(spec, sizeof spec,
                 "\"containers\":[{\"resources\":{\"limits\":{%s},\"requests\":{%s}}}]",
                 row->requests, row->requests);
        read_node(&arena, "", row->allocatable, &node);
        read_pod(&arena, "\"name\":\"p\"", spec, &pod);
        jl_waiting_pod_init(&pod, NULL, 0, &waiting);
        jl_room_init(&node, &unknown, &row->held, &room);
        if (jl_pod_fits(&waiting, &room, &room.held) != row->fits)
            fail_msg("a pod with {%s} on {%s}, row %zu", row->requests, row->allocatable, i);
    }
}

/* ---- the order ---- */

/* From the first of the queue to its last; each differs from the next in one thing, and the things
 * behind it say the opposite. */
static const struct waiting {
    const char *priority;
    const char *created;
    const char *name_space;
    const char *name;
} QUEUE[] = {
    { "10", "2026-01-03T00:00:00Z", "z", "z" }, { "9", "2026-01-01T00:00:00Z", "y", "y" },
    { "9", "2026-01-02T00:00:00Z", "a", "z" },  { "9", "2026-01-02T00:00:00Z", "b", "x" },
    { "9", "2026-01-02T00:00:00Z", "b", "y" },  { "0", "2026-01-02T00:00:00Z", "a", "a" },
    { "-1", "2026-01-01T00:00:00Z", "a", "a" },
};

static void pods_wait_by_priority_age_and_name(void **state)
{
    (void)state;

    enum { COUNT = JL_COUNT(QUEUE) };
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_pod pods[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        char meta[256];
        char spec[64];
        snprintf(meta, sizeof meta,
                 "\"name\":\"%s\",\"namespace\":\"%s\",\"creationTimestamp\":\"%s\"", QUEUE[i].name,
                 QUEUE[i].name_space, QUEUE[i].created);
        snprintf(spec, sizeof spec, "\"priority\":%s", QUEUE[i].priority);
        read_pod(&arena, meta, spec, &pods[i]);
    }
    for (size_t first = 0; first < COUNT; first++) { /* each rotation, forwards and backwards */
        for (int way = 0; way < 2; way++) {
            struct jl_waiting_pod waiting[COUNT] = { 0 };
            for (size_t i = 0; i < COUNT; i++)
                waiting[way == 0 ? i : COUNT - 1 - i].pod = &pods[(first + i) % COUNT];
            assert_int_equal(jl_waiting_sort(waiting, COUNT), 0);
            for (size_t i = 0; i < COUNT; i++)
                assert_ptr_equal(waiting[i].pod, &pods[i]);
        }
    }
}

/* Pods that have waited for more than five seconds, or are as far ahead of the clock. */
static void a_pod_is_backlog_after_five_seconds(void **state)
{
    static const struct {
        const char *created;
        bool is_backlog;
    } rows[] = {
        { "2026-03-13T11:59:55Z", false },     { "2026-03-13T11:59:54.999Z", true },
        { "2026-03-13T12:00:05Z", false },     { "2026-03-13T12:00:05.001Z", true },
        { "2026-03-13T11:59:55.001Z", false }, { "soon", true },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        struct jl_pod pod = { .has = 0 };
        struct jl_waiting_pod waiting;
        JL_SET(&pod.meta, creation_timestamp, rows[i].created);
        jl_waiting_pod_init(&pod, NULL, INT64_C(1773403200000), &waiting);
        assert_int_equal(waiting.is_backlog, rows[i].is_backlog);
    }
}

/* A vendor that the work or the machine does not name is any. */
static void gpus_are_of_the_vendor_that_is_named(void **state)
{
    static const struct {
        enum joulie_gpu_vendor work, node;
        bool fits;
    } rows[] = {
        { JOULIE_GPU_VENDOR_NVIDIA, JOULIE_GPU_VENDOR_NVIDIA, true },
        { JOULIE_GPU_VENDOR_NVIDIA, JOULIE_GPU_VENDOR_AMD, false },
        { JOULIE_GPU_VENDOR_UNKNOWN, JOULIE_GPU_VENDOR_AMD, true },
        { JOULIE_GPU_VENDOR_NVIDIA, JOULIE_GPU_VENDOR_UNKNOWN, true },
        { JOULIE_GPU_VENDOR_UNKNOWN, JOULIE_GPU_VENDOR_UNKNOWN, true },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        const struct jl_place_load nothing = { 0 };
        const struct jl_room room = { .offer = { .micro_gpus = 1000000 }, .vendor = rows[i].node };
        const struct jl_waiting_pod pod = { .needs = { .gpu_vendor = rows[i].work },
                                            .load = { .micro_gpus = 1000000 } };
        assert_int_equal(jl_pod_fits(&pod, &room, &nothing), rows[i].fits);
    }
}

/* ---- pods that are alike ---- */

#define CONTAINER(requests) \
    "\"containers\":[{\"name\":\"c\",\"resources\":{\"requests\":{" requests "}}}]"
#define EIGHT CONTAINER("\"cpu\":\"8\"")

static void pods_that_ask_for_the_same_are_alike(void **state)
{
    static const struct {
        const char *meta;
        const char *spec;
        bool is_alike; /* to the first */
    } rows[] = {
        { "\"name\":\"a\"", EIGHT, true },
        { "\"name\":\"b\"", EIGHT ",\"priority\":7", true },
        { "", CONTAINER("\"cpu\":\"9\""), false },
        { "", CONTAINER("\"cpu\":\"8\",\"memory\":\"1Gi\""), false },
        { "", CONTAINER("\"cpu\":\"8\",\"nvidia.com/gpu\":\"1\""), false },
        { "\"annotations\":{\"joulie.io/workload-class\":\"performance\"}", EIGHT, false },
        { "", EIGHT ",\"nodeSelector\":{\"zone\":\"a\"}", false },
        { "", EIGHT "," TOLERATIONS("{\"operator\":\"Exists\"}"), false },
        { "", EIGHT "," REQUIRED(TERM(IN("zone", "a"))), false }, /* is not compared */
    };

    static const struct {
        const char *one;
        const char *other;
    } pairs[] = {
        { "\"nodeSelector\":{\"zone\":\"a\"}", "\"nodeSelector\":{\"zone\":\"b\"}" },
        { "\"nodeSelector\":{\"zone\":\"a\"}", "\"nodeSelector\":{\"disk\":\"a\"}" },
        { TOLERATIONS("{\"key\":\"k\"}"), TOLERATIONS("{\"key\":\"l\"}") },
        { TOLERATIONS("{\"key\":\"k\"}"), TOLERATIONS("{\"key\":\"k\",\"value\":\"v\"}") },
        { TOLERATIONS("{\"key\":\"k\"}"), TOLERATIONS("{\"key\":\"k\",\"operator\":\"Exists\"}") },
        { TOLERATIONS("{\"key\":\"k\"}"), TOLERATIONS("{\"key\":\"k\",\"effect\":\"NoExecute\"}") },
    };

    struct jl_arena arena = { 0 };
    struct jl_pod pods[2];
    struct jl_waiting_pod views[2];
    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        read_pod(&arena, rows[0].meta, rows[0].spec, &pods[0]);
        read_pod(&arena, rows[i].meta, rows[i].spec, &pods[1]);
        for (size_t k = 0; k < 2; k++)
            jl_waiting_pod_init(&pods[k], NULL, 0, &views[k]);
        assert_int_equal(jl_waiting_alike(&views[0], &views[1]), rows[i].is_alike);
        assert_int_equal(jl_waiting_alike(&views[1], &views[0]), rows[i].is_alike);
    }
    for (size_t i = 0; i < JL_COUNT(pairs); i++) {
        read_pod(&arena, "", pairs[i].one, &pods[0]);
        read_pod(&arena, "", pairs[i].other, &pods[1]);
        for (size_t k = 0; k < 2; k++)
            jl_waiting_pod_init(&pods[k], NULL, 0, &views[k]);
        assert_false(jl_waiting_alike(&views[0], &views[1]));
        assert_true(jl_waiting_alike(&views[1], &views[1]));
    }
    const struct jl_waiting_pod amd = { .pod = &pods[0],
                                        .needs.gpu_vendor = JOULIE_GPU_VENDOR_AMD };
    const struct jl_waiting_pod any = { .pod = &pods[0] };
    assert_false(jl_waiting_alike(&amd, &any));
    jl_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selector_affinity_and_taints_admit_a_pod),
        cmocka_unit_test(a_pod_fits_beside_what_is_held),
        cmocka_unit_test(pods_wait_by_priority_age_and_name),
        cmocka_unit_test(a_pod_is_backlog_after_five_seconds),
        cmocka_unit_test(gpus_are_of_the_vendor_that_is_named),
        cmocka_unit_test(pods_that_ask_for_the_same_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
