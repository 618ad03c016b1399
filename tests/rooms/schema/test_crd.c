/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <joulie/error.h>

#include "kinds/kinds.h"
#include "kinds/node_hardware.h"
#include "kinds/node_twin.h"
#include "kinds/telemetry_profile.h"
#include "kinds/tensor_fusion.h"
#include "kinds/workload_profile.h"
#include "schema/crd.h"
#include "support/test.h"

static char *manifest(const struct jl_table *table)
{
    struct jl_buffer text = { 0 };
    jl_crd_write(&text, table);
    return jl_buffer_take(&text);
}

static void read_file(const char *path, struct jl_buffer *out)
{
    char chunk[4096];
    size_t count;
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is missing", path);
    while ((count = fread(chunk, 1, sizeof chunk, file)) > 0)
        jl_put(out, chunk, count);
    fclose(file);
}

static void the_files_in_crds_are_what_the_tables_print(void **state)
{
    (void)state;
    for (size_t i = 0; i < jl_kind_count; i++) {
        if (jl_kinds[i]->kind->is_core || jl_kinds[i]->kind->is_partial)
            continue;
        struct jl_buffer path = { 0 };
        struct jl_buffer file = { 0 };
        char *printed = manifest(jl_kinds[i]);
        jl_put_string(&path, jl_kinds[i]->kind->is_legacy ? "crds/legacy/" : "crds/");
        jl_crd_file_name(&path, jl_kinds[i]);
        read_file(path.data, &file);
        if (strcmp(file.data, printed) != 0)
            fail_msg("%s differs from what joulie crd prints", path.data);
        joulie_free(printed);
        jl_buffer_clear(&file);
        jl_buffer_clear(&path);
    }
}

static void has(const struct jl_table *table, const char *piece)
{
    char *text = manifest(table);
    if (!strstr(text, piece))
        fail_msg("%s has no\n%s", table->kind->kind, piece);
    joulie_free(text);
}

static void lacks(const struct jl_table *table, const char *piece)
{
    char *text = manifest(table);
    assert_null(strstr(text, piece));
    joulie_free(text);
}

static void a_manifest_names_its_resource(void **state)
{
    (void)state;
    has(&jl_node_twin_table, "metadata:\n  name: nodetwins.joulie.io\nspec:\n  group: joulie.io\n");
    has(&jl_node_twin_table, "    listKind: NodeTwinList\n");
    has(&jl_node_twin_table, "    shortNames:\n    - \"nt\"\n");
    has(&jl_node_twin_table, "  scope: Cluster\n");
    has(&jl_workload_profile_table, "  scope: Namespaced\n");
    has(&jl_node_twin_table, "  - name: v1alpha1\n    served: true\n    storage: true\n");
}

/* Every kind but NodePowerProfile has a status subresource. */
static void a_status_is_a_subresource(void **state)
{
    (void)state;
    for (size_t i = 0; i < jl_kind_count; i++) {
        if (jl_kinds[i]->kind->is_core || jl_kinds[i]->kind->is_partial)
            continue;
        if (strcmp(jl_kinds[i]->kind->kind, "NodePowerProfile") == 0)
            lacks(jl_kinds[i], "subresources");
        else
            has(jl_kinds[i], "    subresources:\n      status: {}\n");
    }
}

/* The API server refuses a schema that says more about metadata than its type. */
static void metadata_is_only_an_object(void **state)
{
    (void)state;
    has(&jl_node_twin_table, "          metadata:\n            type: object\n          spec:\n");
}

static void bounds_are_those_of_the_structural_schema(void **state)
{
    (void)state;
    has(&jl_node_twin_table, "                    type: number\n"
                             "                    minimum: 0\n"
                             "                    exclusiveMinimum: true\n"
                             "                    maximum: 100\n");
    has(&jl_telemetry_profile_table, "minimum: 1\n                            maximum: 300\n");
}

static void lists_with_keys_are_maps(void **state)
{
    (void)state;
    has(&jl_node_hardware_table, "                      required:\n"
                                 "                      - \"index\"\n"
                                 "                    x-kubernetes-list-type: map\n"
                                 "                    x-kubernetes-list-map-keys:\n"
                                 "                    - \"index\"\n");
    has(&jl_node_hardware_table, "                    x-kubernetes-list-map-keys:\n"
                                 "                    - \"id\"\n");
}

static void the_rest_of_the_schema_words_are_written(void **state)
{
    (void)state;
    has(&jl_node_hardware_table, "type: integer\n                    format: int64\n");
    has(&jl_node_twin_table,
        "type: object\n                        x-kubernetes-preserve-unknown-fields: true\n");
    has(&jl_node_hardware_table, "        required:\n"
                                 "        - \"apiVersion\"\n"
                                 "        - \"kind\"\n"
                                 "        - \"metadata\"\n"
                                 "        - \"spec\"\n");
    has(&jl_node_twin_table, "    - name: \"CPU-Cap\"\n"
                             "      type: string\n"
                             "      jsonPath: \".spec.cpu.packagePowerCapPctOfMax\"\n");
    lacks(&jl_node_twin_table, "default:");
}

/* docs/rules/tensor-fusion.md#object */
static void a_schema_of_another_project_is_that_of_its_first_release(void **state)
{
    (void)state;
    has(&jl_fusion_profile_table, "metadata:\n  name: workloadprofiles.tensor-fusion.ai\n"
                                  "spec:\n  group: tensor-fusion.ai\n");
    has(&jl_fusion_profile_table, "    singular: workloadprofile\n  scope: Namespaced\n");
    lacks(&jl_fusion_profile_table, "shortNames");
    has(&jl_fusion_profile_table, "  - name: v1\n    served: true\n    storage: true\n"
                                  "    subresources:\n      status: {}\n");
    has(&jl_fusion_profile_table, "    - name: \"Is Local GPU\"\n"
                                  "      type: string\n"
                                  "      jsonPath: \".spec.isLocalGPU\"\n");
    has(&jl_fusion_profile_table, "                        anyOf:\n"
                                  "                        - type: integer\n"
                                  "                        - type: string\n"
                                  "                        pattern: \"^(\\\\+|-)?(([0-9]+");
    has(&jl_fusion_profile_table, "x-kubernetes-int-or-string: true\n");
    has(&jl_fusion_profile_table, "type: integer\n                format: int32\n");
    has(&jl_fusion_profile_table,
        "          status:\n"
        "            description: \"Empty: a profile is only a preset.\"\n"
        "            type: object\n");
    lacks(&jl_fusion_profile_table, "autoSetResources"); /* of later schemas */
    lacks(&jl_fusion_profile_table, "compute:");
    lacks(&jl_fusion_profile_table, "minimum");
    has(&jl_fusion_profile_table, "x-kubernetes-list-type: atomic\n");
    has(&jl_fusion_profile_table, "x-kubernetes-map-type: atomic\n");
    has(&jl_fusion_profile_table, "                      - \"preference\"\n"
                                  "                      - \"weight\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_files_in_crds_are_what_the_tables_print),
        cmocka_unit_test(a_manifest_names_its_resource),
        cmocka_unit_test(a_status_is_a_subresource),
        cmocka_unit_test(metadata_is_only_an_object),
        cmocka_unit_test(bounds_are_those_of_the_structural_schema),
        cmocka_unit_test(lists_with_keys_are_maps),
        cmocka_unit_test(the_rest_of_the_schema_words_are_written),
        cmocka_unit_test(a_schema_of_another_project_is_that_of_its_first_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
