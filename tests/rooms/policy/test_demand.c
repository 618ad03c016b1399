/* SPDX-License-Identifier: Apache-2.0 */

/* Which profiles a pod accepts, and whether it keeps a node from draining: docs/rules/policy.md. */

#include <stdio.h>

#include "kinds/pod.h"
#include "kinds/workload_profile.h"
#include "policy/policy.h"
#include "support/objects.h"

#define NOW_MS INT64_C(1773403200000) /* 2026-03-13T12:00:00Z */

static void read_pod(struct jl_arena *arena, const char *meta, const char *spec, struct jl_pod *out)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",%s},"
             "\"spec\":{%s}}",
             meta, spec);
    read_object(arena, &jl_pod_table, text, out);
}

#define TERM(op, values)                                                                     \
    "{\"matchExpressions\":[{\"key\":\"joulie.io/power-profile\",\"operator\":\"" op "\",\"" \
    "values\":[" values "]}]}"
#define REQUIRED(terms)                                                                    \
    "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{" \
    "\"nodeSelectorTerms\":[" terms "]}}}"

/* Terms are alternatives: one that accepts nothing takes nothing from the others, one that nobody
 * can read makes the pod unknown. */
static void a_pod_accepts_what_one_of_its_terms_accepts(void **state)
{
    static const struct {
        const char *spec;
        enum jl_demand_class class_;
    } rows[] = {
        { "\"nodeName\":\"\"", JL_DEMAND_GENERAL },
        { REQUIRED(TERM("In", "\"x\"") "," TERM("In", "\"performance\"")), JL_DEMAND_PERFORMANCE },
        { REQUIRED(TERM("In", "\"performance\"") "," TERM("In", "\"x\"")), JL_DEMAND_PERFORMANCE },
        { REQUIRED(TERM("In", "\"x\"") "," TERM("In", "\"eco\"")), JL_DEMAND_ECO },
        { REQUIRED(TERM("In", "\"eco\"") "," TERM("In", "\"performance\"")), JL_DEMAND_GENERAL },
        { REQUIRED(TERM("In", "\"x\"")), JL_DEMAND_UNKNOWN },
        { REQUIRED(TERM("Gt", "\"1\"") "," TERM("In", "\"eco\"")), JL_DEMAND_UNKNOWN },
        { REQUIRED(TERM("NotIn", "\"eco\"")), JL_DEMAND_PERFORMANCE },
        { REQUIRED(TERM("Exists", "")), JL_DEMAND_GENERAL },
        { REQUIRED(TERM("DoesNotExist", "")), JL_DEMAND_UNKNOWN },
        { "\"affinity\":{\"nodeAffinity\":{}}", JL_DEMAND_GENERAL },
        { "\"affinity\":{}", JL_DEMAND_GENERAL },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
        struct jl_pod pod;
        struct jl_demand demand;
        read_pod(&arena, "\"namespace\":\"d\"", rows[i].spec, &pod);
        jl_demand_of_pod(&pod, NULL, NOW_MS, JL_POLICY_CURRENT, &demand);
        if (demand.class_ != rows[i].class_)
            fail_msg("row %zu: %d", i, (int)demand.class_);
    }
}

/* The annotation wins over the profile; what neither says does not block. The false of an older
 * classifier is not said. */
static void a_pod_that_may_not_be_moved_blocks(void **state)
{
    static const struct {
        const char *annotation; /* NULL = none */
        int profile;            /* -1 = none, -2 = says nothing */
        bool is_of_pod;         /* the label of the classifier of v0.1.0 */
        enum jl_blocker_why why;
    } rows[] = {
        { NULL, -1, false, JL_BLOCKER_NONE },
        { NULL, -2, false, JL_BLOCKER_NONE },
        { NULL, 0, false, JL_BLOCKER_NOT_RESCHEDULABLE },
        { NULL, 0, true, JL_BLOCKER_NONE },
        { NULL, 1, false, JL_BLOCKER_NONE },
        { NULL, 1, true, JL_BLOCKER_NONE },
        { "false", -1, false, JL_BLOCKER_NOT_RESCHEDULABLE },
        { "false", 1, false, JL_BLOCKER_NOT_RESCHEDULABLE },
        { "true", 0, false, JL_BLOCKER_NONE },
    };

    (void)state;
    for (size_t i = 0; i < JL_COUNT(rows); i++) {
        static const struct jl_pair label = { "joulie.io/pod-name", "p" };
        JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
        struct jl_workload_profile profile = { .has = 0 };
        struct jl_pod pod;
        char meta[200] = "\"namespace\":\"d\"";
        if (rows[i].annotation)
            snprintf(meta, sizeof meta, "\"annotations\":{\"joulie.io/reschedulable\":\"%s\"}",
                     rows[i].annotation);
        read_pod(&arena, meta, "\"nodeName\":\"n\"", &pod);
        if (rows[i].profile >= 0)
            JL_SET(&profile.status.migratability, reschedulable, rows[i].profile == 1);
        if (rows[i].is_of_pod)
            JL_SET(&profile.meta, labels, ((struct jl_map){ &label, 1 }));
        const struct jl_demand demand = { .class_ = JL_DEMAND_GENERAL,
                                          .profile = rows[i].profile == -1 ? NULL : &profile };
        if (jl_pod_blocks(&pod, &demand, JL_POLICY_CURRENT) != rows[i].why)
            fail_msg("row %zu", i);
        assert_int_equal(jl_pod_blocks(&pod, &demand, JL_POLICY_V0_1_1), JL_BLOCKER_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pod_accepts_what_one_of_its_terms_accepts),
        cmocka_unit_test(a_pod_that_may_not_be_moved_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
