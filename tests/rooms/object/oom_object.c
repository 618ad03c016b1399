/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every allocation of an object's life fails once: this program is the allocator. The call that
 * failed says "out of memory", has changed nothing, is made again, and what is printed is that of a
 * life without a failure; then everything is released.
 */

#include <string.h>

#include <joulie/object.h>
#include <joulie/v1alpha1.h>

#include "oom/life.h"

static const char text[] = "apiVersion: joulie.io/v1alpha1\n"
                           "kind: NodeTwin\n"
                           "metadata: {name: n, labels: {a.b/c: d}}\n"
                           "spec: {nodeName: n, profile: eco, cpu: {packagePowerCapWatts: 1.50}}\n"
                           "status: {rescheduleRecommendations: [{reason: r}], more: [1, null]}\n"
                           "more: true\n";
static const char merge[] =
    "{\"more\":null,\"status\":{\"more\":null,\"schedulableClass\":\"eco\"}}";
static const char json[] =
    "[{\"op\":\"add\",\"path\":\"/spec/policy\",\"value\":{\"name\":\"p\"}}]";

static void note_print(struct oom_life *life, const struct joulie_object *object, int form)
{
    char *printed = NULL;
    while (oom_again(life, joulie_object_print(object, form, &printed, NULL)))
        ;
    oom_note(life, printed != NULL ? printed : "nothing");
    joulie_free(printed);
}

/* Getters return 1. */
static int found(int rc)
{
    return rc > 0 ? JOULIE_OK : rc;
}

static void read_some(struct oom_life *life, const struct joulie_object *object)
{
    struct joulie_v1alpha1_node_twin_spec spec = JOULIE_INIT(struct joulie_v1alpha1_node_twin_spec);
    const char *reason = "nothing";
    while (
        oom_again(life, found(joulie_object_get_text(
                            object, "status.rescheduleRecommendations[0].reason", &reason, NULL))))
        ;
    oom_note(life, reason);
    while (oom_again(life, joulie_v1alpha1_get_node_twin_spec(object, &spec, NULL)))
        ;
    oom_note(life, spec.node_name != NULL ? spec.node_name : "nothing");
}

static void change(struct oom_life *life, struct joulie_object *object)
{
    while (oom_again(life, joulie_object_set_text(object, "metadata.labels.x", "y", NULL)))
        ;
    while (oom_again(life,
                     joulie_object_set_number(object, "spec.gpu.powerCap.capPctOfMax", 60.5, NULL)))
        ;
    while (oom_again(
        life, joulie_object_set_text(object, "status.rescheduleRecommendations[1].workloadRef.name",
                                     "w", NULL)))
        ;
    while (oom_again(life, joulie_object_patch(object, merge, strlen(merge), 0, NULL)))
        ;
    while (oom_again(life, joulie_object_patch(object, json, strlen(json), 0, NULL)))
        ;
    while (oom_again(life, joulie_object_unset(object, "metadata.labels[\"a.b/c\"]", NULL)))
        ;
    while (oom_again(life, joulie_object_validate(object, NULL)))
        ;
}

static void compare(struct oom_life *life, const struct joulie_object *before,
                    const struct joulie_object *after)
{
    char *patch = NULL;
    while (oom_again(life, joulie_object_diff(before, after, &patch, NULL)))
        ;
    oom_note(life, patch != NULL ? patch : "nothing");
    joulie_free(patch);
}

static void live_once(struct oom_life *life)
{
    struct joulie_object *object = NULL;
    struct joulie_object *copy = NULL;
    struct joulie_object *fresh = NULL;
    while (oom_again(
        life, joulie_object_parse(text, strlen(text), NULL, JOULIE_OBJECT_LENIENT, &object, NULL)))
        ;
    while (oom_again(life, joulie_object_new(NULL, "NodeTwin", &fresh, NULL)))
        ;
    if (object != NULL && fresh != NULL) {
        while (oom_again(life, joulie_object_copy(object, &copy, NULL)))
            ;
        read_some(life, object);
        change(life, object);
        if (copy != NULL)
            compare(life, copy, object);
        compare(life, fresh, object);
        note_print(life, object, JOULIE_FORM_LINE);
        note_print(life, object, JOULIE_FORM_YAML);
    }
    joulie_object_free(object);
    joulie_object_free(copy);
    joulie_object_free(fresh);
}

int main(void)
{
    return oom_lives("an object's", live_once);
}
