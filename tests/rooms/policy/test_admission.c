/* SPDX-License-Identifier: Apache-2.0 */

/* Why kube-scheduler would not put a pod on a node (docs/rules/placement.md#unfit-nodes). */

#include <string.h>

#include "kinds/kinds.h"
#include "policy/admission.h"
#include "schema/decode.h"
#include "support/test.h"

static void read(struct jl_arena *arena, const struct jl_table *table, const char *json, void *out)
{
    char *text = jl_arena_string(arena, json);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '\'')
            *c = '"';
    }
    struct jl_decode decode = { .arena = arena, .text = text, .len = strlen(text), .err = &err };
    if (jl_decode_document(&decode, table, out) != 0)
        fail_msg("%s: %s: %s", text, err.where, err.message);
}

/* ' stands for " in all of them. */
static void assert_unfit(const char *pod_spec, const char *node_parts, const char *held_specs[],
                         const char *expected)
{
    struct jl_arena arena = { 0 };
    struct jl_buffer out = { 0 };
    struct jl_pod pod;
    struct jl_node node;
    struct jl_pod held[4];
    struct jl_list list = { held, 0 };
    read(&arena, &jl_pod_table,
         JL_JOIN(&arena, "{'metadata':{'name':'p','namespace':'d'},'spec':{", pod_spec, "}}"),
         &pod);
    read(&arena, &jl_node_table, JL_JOIN(&arena, "{'metadata':", node_parts, "}"), &node);
    for (; held_specs != NULL && held_specs[list.count] != NULL; list.count++)
        read(&arena, &jl_pod_table, JL_JOIN(&arena, "{'metadata':", held_specs[list.count], "}"),
             &held[list.count]);
    jl_put_unfit(&pod, &node, held_specs != NULL ? &list : NULL, &out);
    assert_int_equal(jl_buffer_code(&out), 0);
    assert_string_equal(out.len > 0 ? out.data : "", expected);
    jl_buffer_clear(&out);
    jl_arena_clear(&arena);
}

#define CONTAINER(resources) "'containers':[{'name':'c','resources':{" resources "}}]"
#define NODE "{'name':'n','labels':{'zone':'a'}}"
#define OFFER(amounts) NODE ",'status':{'allocatable':{" amounts "}}"
#define GPU_POD CONTAINER("'requests':{'cpu':'4'},'limits':{'nvidia.com/gpu':'2'}")

static void a_node_without_gpus_takes_no_pod_that_asks_for_some(void **state)
{
    (void)state;
    assert_unfit(GPU_POD, OFFER("'cpu':'8','pods':'110'"), NULL,
                 "has no nvidia.com/gpu, the pod asks for 2");
    assert_unfit(GPU_POD, OFFER("'cpu':'8','amd.com/gpu':'8'"), NULL,
                 "has no nvidia.com/gpu, the pod asks for 2");
    assert_unfit(GPU_POD, OFFER("'cpu':'8','nvidia.com/gpu':'1'"), NULL,
                 "has 1 nvidia.com/gpu, the pod asks for 2");
    assert_unfit(GPU_POD, OFFER("'cpu':'8','nvidia.com/gpu':'2'"), NULL, "");
    assert_unfit(CONTAINER("'requests':{'nvidia.com/mig-1g.5gb':'1'}"),
                 OFFER("'cpu':'8','nvidia.com/gpu':'2'"), NULL,
                 "has no nvidia.com/mig-1g.5gb, the pod asks for 1");
}

static void what_other_pods_hold_is_not_free(void **state)
{
    static const char *held[] = {
        "{'name':'q','namespace':'d'},'spec':{" GPU_POD "},'status':{'phase':'Pending'}",
        "{'name':'over','namespace':'d'},'spec':{" GPU_POD "},'status':{'phase':'Succeeded'}",
        "{'name':'p','namespace':'d'},'spec':{" GPU_POD "},'status':{'phase':'Running'}",
        NULL,
    };
    (void)state;
    assert_unfit(GPU_POD, OFFER("'cpu':'6500m','nvidia.com/gpu':'4'"), held,
                 "has 2500m of 6500m cpu free, the pod asks for 4");
    assert_unfit(GPU_POD, OFFER("'cpu':'8','nvidia.com/gpu':'3'"), held,
                 "has 1 of 3 nvidia.com/gpu free, the pod asks for 2");
    assert_unfit(GPU_POD, OFFER("'cpu':'8','nvidia.com/gpu':'4','pods':'1'"), held,
                 "takes no more than 1 pods and has them");
    assert_unfit(GPU_POD, OFFER("'cpu':'8','nvidia.com/gpu':'4','pods':'2'"), held, "");
}

/* The larger of what runs and of what starts before it, and the overhead. */
static void init_containers_and_overhead_count_as_for_kube_scheduler(void **state)
{
    (void)state;
    assert_unfit("'initContainers':[{'name':'s','restartPolicy':'Always','resources':{'requests':"
                 "{'memory':'1Gi'}}},{'name':'i','resources':{'requests':{'memory':'4Gi'}}}],"
                 "'overhead':{'memory':'1Gi'}," CONTAINER("'requests':{'memory':'3Gi'}"),
                 OFFER("'memory':'5Gi'"), NULL, "has 5Gi memory, the pod asks for 6Gi");
}

static void what_a_node_does_not_say_is_not_judged(void **state)
{
    (void)state;
    assert_unfit(GPU_POD, NODE, NULL, "");
    assert_unfit(CONTAINER("'requests':{'cpu':'4','memory':'1Gi'}"), OFFER("'pods':'110'"), NULL,
                 "");
}

static void taints_and_labels_are_named(void **state)
{
#define TAINTED                                                                                   \
    NODE ",'spec':{'unschedulable':true,'taints':[{'key':'node.kubernetes.io/unschedulable',"     \
         "'effect':'NoSchedule'},{'key':'gpu','value':'yes','effect':'NoSchedule'},{'key':'soft'" \
         ",'effect':'PreferNoSchedule'}]}"
    (void)state;
    assert_unfit("'nodeSelector':{'zone':'b'}", TAINTED, NULL,
                 "is cordoned; has the taint gpu=yes:NoSchedule; lacks the label zone=b");
    assert_unfit("'nodeSelector':{'zone':'a'},'tolerations':[{'operator':'Exists'}]", TAINTED, NULL,
                 "");
}

/* As the node is: the queue policy asks for it as it would be. */
static void the_power_profile_is_a_label_as_any_other(void **state)
{
    struct jl_arena arena = { 0 };
    struct jl_pod pod;
    struct jl_node node;
    (void)state;
    assert_unfit("'nodeSelector':{'joulie.io/power-profile':'performance'}",
                 "{'name':'n','labels':{'joulie.io/power-profile':'eco'}}", NULL,
                 "lacks the label joulie.io/power-profile=performance");
    read(&arena, &jl_pod_table,
         "{'spec':{'nodeSelector':{'joulie.io/power-profile':'performance'}}}", &pod);
    read(&arena, &jl_node_table,
         "{'metadata':{'name':'n','labels':{'joulie.io/power-profile':'eco'}}}", &node);
    assert_true(jl_pod_admitted(&pod, &node));
    jl_arena_clear(&arena);
}

/* Pods of a DaemonSet name their node that way. */
static void an_affinity_to_the_name_of_a_node_is_one(void **state)
{
#define NAMED(name)                                                                  \
    "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{" \
    "'nodeSelectorTerms':[{'matchFields':[{'key':'metadata.name','operator':'In',"   \
    "'values':['" name "']}]}]}}}"
    (void)state;
    assert_unfit(NAMED("n"), NODE, NULL, "");
    assert_unfit(NAMED("m"), NODE, NULL, "does not match the required node affinity");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_without_gpus_takes_no_pod_that_asks_for_some),
        cmocka_unit_test(what_other_pods_hold_is_not_free),
        cmocka_unit_test(init_containers_and_overhead_count_as_for_kube_scheduler),
        cmocka_unit_test(what_a_node_does_not_say_is_not_judged),
        cmocka_unit_test(taints_and_labels_are_named),
        cmocka_unit_test(the_power_profile_is_a_label_as_any_other),
        cmocka_unit_test(an_affinity_to_the_name_of_a_node_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
