/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Objects, and the functions that answer with a text (see life.h). An object that could not be
 * changed for want of memory is what it was.
 */

#include <stdlib.h>
#include <string.h>

#include <joulie/ask.h>
#include <joulie/layout.h>
#include <joulie/sim.h>
#include <joulie/tensor_fusion_v1.h>
#include <joulie/v1alpha1.h>

#include "oom/allocator.h"
#include "oom/life.h"

static const char twin[] =
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\",\"metadata\":{\"name\":\"n\","
    "\"labels\":{\"a\":\"b\\u0063\"}},\"spec\":{\"nodeName\":\"n\",\"profile\":\"eco\",\"cpu\":{"
    "\"packagePowerCapPctOfMax\":60}},\"status\":{\"schedulableClass\":\"eco\",\"x\":[1,{}]}}";
static const char hardware[] =
    "apiVersion: joulie.io/v1alpha1\n"
    "kind: NodeHardware\n"
    "metadata: {name: n}\n"
    "spec: {nodeName: n}\n"
    "status: {cpu: {model: AMD_EPYC_9654, sockets: 2}, gpu: {present: true, count: 4}}\n";
static const char profile[] =
    "{\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"WorkloadProfile\",\"metadata\":{\"name\":"
    "\"w\",\"namespace\":\"d\"},\"spec\":{\"workloadRef\":{\"kind\":\"Deployment\",\"name\":\"w\"}"
    "},\"status\":{\"confidence\":0.9,\"lastUpdated\":\"2026-03-13T11:00:00Z\"}}";
static const char trace[] =
    "{\"type\":\"job\",\"jobId\":\"a\",\"submitTimeOffsetSec\":1}\nnot a job\n"
    "{\"type\":\"job\",\"jobId\":\"b\",\"submitTimeOffsetSec\":2,\"podTemplate\":{\"requests\":{"
    "\"cpu\":\"8\"}}}\n";
static const char documents[] = "a: 1\n---\nkind: List\nitems:\n- {b: 2}\n- c: [3]\n";

static void take(struct oom_life *life, char *text)
{
    oom_note(life, text != NULL ? text : "nothing");
    joulie_free(text);
}

/* ---- objects ---- */

static struct joulie_object *parse(struct oom_life *life, const char *text)
{
    struct joulie_object *object = NULL;
    while (oom_again(
        life, joulie_object_parse(text, strlen(text), NULL, JOULIE_OBJECT_LENIENT, &object, NULL)))
        ;
    if (object == NULL)
        abort();
    return object;
}

static void print(struct oom_life *life, const struct joulie_object *object)
{
    static const int forms[] = { JOULIE_FORM_LINE, JOULIE_FORM_PRETTY, JOULIE_FORM_YAML };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        char *text = NULL;
        while (oom_again(life, joulie_object_print(object, forms[i], &text, NULL)))
            ;
        take(life, text);
    }
}

/* 1: it is there; 0: it is not. */
static int found(int rc)
{
    return rc == 1 || rc == 0 ? JOULIE_OK : rc;
}

static void get(struct oom_life *life, const struct joulie_object *object)
{
    const char *text = NULL;
    double number = 0;
    int32_t truth = 0;
    size_t count = 0;
    while (oom_again(life,
                     found(joulie_object_get_text(object, "metadata.labels[\"a\"]", &text, NULL))))
        ;
    while (oom_again(life, found(joulie_object_get_number(
                               object, "spec.cpu.packagePowerCapPctOfMax", &number, NULL))))
        ;
    while (oom_again(
        life, found(joulie_object_get_bool(object, "spec.scheduling.draining", &truth, NULL))))
        ;
    while (oom_again(life, found(joulie_object_count(object, "metadata.labels", &count, NULL))))
        ;
    oom_note(life, text != NULL ? text : "no text");
    oom_note(life, number == 60 && count == 1 ? "60" : "another number");
    oom_note(life, joulie_object_api_version(object));
    oom_note(life, joulie_object_kind(object));
    oom_note(life, joulie_object_name(object));
    oom_note(life, joulie_object_namespace(object) != NULL ? "a namespace" : "none");
}

static void change(struct oom_life *life, struct joulie_object *object)
{
    static const char patch[] = "{\"metadata\":{\"labels\":{\"c\":\"d\"}},\"status\":null}";
    while (oom_again(life, joulie_object_set_text(object, "metadata.labels.x/y", "a \"z\"", NULL)))
        ;
    while (oom_again(
        life, joulie_object_set_number(object, "spec.cpu.packagePowerCapPctOfMax", 62.5, NULL)))
        ;
    while (oom_again(
        life, joulie_object_set_integer(object, "spec.gpu.powerCap.capWattsPerGpu", 300, NULL)))
        ;
    while (oom_again(life, joulie_object_set_bool(object, "spec.scheduling.draining", 1, NULL)))
        ;
    while (oom_again(life, joulie_object_unset(object, "spec.profile", NULL)))
        ;
    while (oom_again(
        life, joulie_object_patch(object, patch, sizeof patch - 1, JOULIE_OBJECT_LENIENT, NULL)))
        ;
}

static void live_of_documents(struct oom_life *life)
{
    static const char patch[] = "{\"a\":null,\"b\":[1.5]}";
    char *text = NULL;
    while (oom_again(life, joulie_patch("{\"a\":1}", 7, patch, sizeof patch - 1, 0, &text, NULL)))
        ;
    take(life, text);
    while (oom_again(life, joulie_crd("nodetwins", 0, 0, &text, NULL)))
        ;
    take(life, text);
}

static void check(struct oom_life *life, const struct joulie_object *object)
{
    int rc = 0;
    do
        rc = joulie_object_validate(object, NULL);
    while (rc == JOULIE_E_NOMEM && oom_again(life, rc));
    oom_note(life, joulie_code_word(rc));
}

static void live_of_object(struct oom_life *life)
{
    struct joulie_object *object = parse(life, twin);
    struct joulie_object *copy = NULL;
    char *patch = NULL;
    get(life, object);
    while (oom_again(life, joulie_object_copy(object, &copy, NULL)))
        ;
    change(life, copy);
    print(life, copy);
    check(life, copy);
    check(life, object);
    while (oom_again(life, joulie_object_diff(object, copy, &patch, NULL)))
        ;
    take(life, patch);
    joulie_object_free(copy);
    joulie_object_free(object);
}

static void live_of_new(struct oom_life *life)
{
    struct joulie_object *object = NULL;
    while (oom_again(life, joulie_object_new(NULL, "NodeTwin", &object, NULL)))
        ;
    while (oom_again(life, joulie_object_set_text(object, "metadata.name", "n", NULL)))
        ;
    print(life, object);
    joulie_object_free(object);
}

/* ---- flat views ---- */

static const char preset[] =
    "{\"apiVersion\":\"tensor-fusion.ai/v1\",\"kind\":\"WorkloadProfile\",\"metadata\":{\"name\":"
    "\"p\",\"namespace\":\"ml\"},\"spec\":{\"qos\":\"high\",\"resources\":{\"requests\":{"
    "\"tflops\":"
    "\"10\",\"vram\":\"4Gi\"},\"limits\":{\"tflops\":\"20\",\"vram\":\"4Gi\"}}}}";

static void live_of_presets(struct oom_life *life)
{
    struct joulie_object *object = parse(life, preset);
    struct joulie_tensor_fusion_v1_profile view =
        JOULIE_INIT(struct joulie_tensor_fusion_v1_profile);
    while (oom_again(life, joulie_tensor_fusion_v1_get_profile(object, &view, NULL)))
        ;
    oom_note(life, view.limit_tflops == 20 ? "20 TFLOPS" : "another amount");
    check(life, object);
    joulie_object_free(object);
}

static void live_of_views(struct oom_life *life)
{
    int64_t sockets = 0;
    struct joulie_object *objects[] = { parse(life, twin), parse(life, hardware),
                                        parse(life, profile) };
    struct joulie_v1alpha1_node_twin_spec spec = JOULIE_INIT(struct joulie_v1alpha1_node_twin_spec);
    struct joulie_v1alpha1_node_twin_status status =
        JOULIE_INIT(struct joulie_v1alpha1_node_twin_status);
    struct joulie_v1alpha1_node_hardware node = JOULIE_INIT(struct joulie_v1alpha1_node_hardware);
    struct joulie_v1alpha1_workload_profile work =
        JOULIE_INIT(struct joulie_v1alpha1_workload_profile);
    while (oom_again(life, joulie_v1alpha1_get_node_twin_spec(objects[0], &spec, NULL)))
        ;
    while (oom_again(life, joulie_v1alpha1_get_node_twin_status(objects[0], &status, NULL)))
        ;
    while (oom_again(life, joulie_v1alpha1_get_node_hardware(objects[1], &node, NULL)))
        ;
    while (oom_again(life, joulie_v1alpha1_get_workload_profile(objects[2], &work, NULL)))
        ;
    while (oom_again(
        life, found(joulie_object_get_integer(objects[1], "status.cpu.sockets", &sockets, NULL))))
        ;
    oom_note(life, sockets == 2 ? "two sockets" : "another number");
    oom_note(life, spec.has != 0 && status.has != 0 && node.has != 0 && work.has != 0
                       ? "every view has something"
                       : "a view is empty");
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++)
        joulie_object_free(objects[i]);
}

/* ---- texts ---- */

static void split(struct oom_life *life)
{
    struct joulie_splitter splitter = JOULIE_INIT(struct joulie_splitter);
    const char *text = NULL;
    size_t len = 0;
    uint32_t line = 0;
    int rc = 0;
    splitter.text = documents;
    splitter.len = sizeof documents - 1;
    do {
        rc = joulie_split(&splitter, &text, &len, &line, NULL);
        oom_note(life, rc == 1 ? "a document" : "the end");
    } while (rc == 1 || (rc < 0 && oom_again(life, rc)));
}

static void live_of_texts(struct oom_life *life)
{
    char *text = NULL;
    while (oom_again(life, joulie_ask_list(&text, NULL)))
        ;
    take(life, text);
    while (oom_again(life, joulie_ask_describe("predict", &text, NULL)))
        ;
    take(life, text);
    while (oom_again(life, joulie_workload_inspect(trace, sizeof trace - 1, 1, &text, NULL)))
        ;
    take(life, text);
    while (oom_again(life, joulie_layout(&text, NULL)))
        ;
    oom_note(life, text != NULL ? "the layout" : "nothing");
    joulie_free(text);
    split(life);
}

int main(void)
{
    int status = oom_lives("an object's", live_of_object);
    status |= oom_lives("a new object's", live_of_new);
    status |= oom_lives("documents'", live_of_documents);
    status |= oom_lives("the views'", live_of_views);
    status |= oom_lives("a preset's", live_of_presets);
    status |= oom_lives("the texts'", live_of_texts);
    return status;
}
