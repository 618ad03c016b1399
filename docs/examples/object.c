/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/object.h>: documents. Cut an input, read one, change it, print what changed. */

#include <stdio.h>
#include <string.h>

#include <joulie/object.h>

static const char input[] = "apiVersion: joulie.io/v1alpha1\n"
                            "kind: NodeTwin\n"
                            "metadata: {name: n1}\n"
                            "spec: {nodeName: n1, profile: eco, cpu: {packagePowerCapWatts: 240}}\n"
                            "---\n"
                            "apiVersion: joulie.io/v1alpha1\n"
                            "kind: NodeTwin\n"
                            "metadata: {name: n2}\n"
                            "spec: {nodeName: n2, profile: performance}\n";

/* Halves the cap of a twin that has one; returns a code. */
static int halve(const char *text, size_t len, struct joulie_error *err)
{
    struct joulie_object *before = NULL, *after = NULL;
    char *patch = NULL;
    double cap_w = 0;
    int rc = joulie_object_parse(text, len, NULL, 0, &before, err);
    if (rc == JOULIE_OK)
        rc = joulie_object_copy(before, &after, err);
    if (rc == JOULIE_OK)
        rc = joulie_object_get_number(after, "spec.cpu.packagePowerCapWatts", &cap_w, err);
    if (rc == 1) /* there is one */
        rc = joulie_object_set_number(after, "spec.cpu.packagePowerCapWatts", cap_w / 2, err);
    if (rc == JOULIE_OK)
        rc = joulie_object_diff(before, after, &patch, err);
    if (rc == JOULIE_OK)
        printf("%s: %s\n", joulie_object_name(after), patch);
    joulie_free(patch);
    joulie_object_free(after);
    joulie_object_free(before);
    return rc;
}

int main(void)
{
    struct joulie_splitter splitter = JOULIE_INIT(struct joulie_splitter);
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *text = NULL;
    size_t len = 0;
    uint32_t line = 0;
    int rc = 0;
    splitter.text = input;
    splitter.len = strlen(input);
    while ((rc = joulie_split(&splitter, &text, &len, &line, &err)) == 1 &&
           (rc = halve(text, len, &err)) == JOULIE_OK)
        ;
    if (rc != JOULIE_OK)
        fprintf(stderr, "%s: %s\n", err.where, err.message);
    return rc != JOULIE_OK;
}
