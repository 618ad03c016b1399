/* SPDX-License-Identifier: Apache-2.0 */
/* A spec from several sources (docs/rules/tensor-fusion.md#precedence), beside
 * libjoulie-profile-resolve.json. */
#include <string.h>

#include "base/text.h"
#include "support/test.h"
#include "tensor_fusion/overlay.h"

static struct jl_fusion_spec spec_with_model(const char *model)
{
    struct jl_fusion_spec spec = { 0 };
    JL_SET(&spec, gpu_model, model);
    return spec;
}

static const char *source_of(const struct jl_overlay *overlay, struct jl_arena *arena,
                             const char *path)
{
    struct jl_map sources = { 0 };
    assert_int_equal(jl_overlay_sources(overlay, arena, &sources), 0);
    return jl_map_get(&sources, path);
}

static void every_field_of_the_spec_has_room_for_its_source(void **state)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_overlay overlay = { 0 };
    struct jl_map sources = { 0 };
    (void)state;
    memset(overlay.sources, JL_PROFILE_SOURCE_PROFILE, sizeof overlay.sources);
    assert_int_equal(jl_overlay_sources(&overlay, &arena, &sources), 0);
    assert_true(sources.count > 0 && sources.count <= JL_SPEC_FIELDS);
}

static void the_first_source_keeps_the_field(void **state)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const struct jl_fusion_spec first = spec_with_model("A100");
    const struct jl_fusion_spec second = spec_with_model("H100");
    struct jl_overlay overlay = { 0 };
    (void)state;
    jl_overlay_take(&overlay, &first, JL_PROFILE_SOURCE_PROFILE);
    jl_overlay_take(&overlay, &second, JL_PROFILE_SOURCE_POOL);
    assert_string_equal(overlay.spec.gpu_model, "A100");
    assert_string_equal(source_of(&overlay, &arena, "gpuModel"), "profile");
}

static void an_empty_text_is_unset_unless_an_annotation_says_it(void **state)
{
    const struct jl_fusion_spec empty = spec_with_model("");
    struct jl_overlay overlay = { 0 };
    (void)state;
    jl_overlay_take(&overlay, &empty, JL_PROFILE_SOURCE_PROFILE);
    assert_true(overlay.spec.has == 0);
    jl_overlay_take(&overlay, &empty, JL_PROFILE_SOURCE_ANNOTATION);
    assert_true(overlay.spec.given.gpu_model);
}

static void taking_nothing_changes_nothing(void **state)
{
    const struct jl_fusion_spec nothing = { 0 };
    struct jl_overlay overlay = { 0 };
    const struct jl_overlay before = overlay;
    (void)state;
    jl_overlay_take(&overlay, &nothing, JL_PROFILE_SOURCE_POOL);
    assert_memory_equal(&overlay, &before, sizeof overlay);
}

/* The bits of every object on the way to the field are set, or it would not be printed. */
static void a_field_deep_inside_marks_the_way_to_it(void **state)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jl_fusion_spec spec = { 0 };
    struct jl_overlay overlay = { 0 };
    (void)state;
    JL_SET(&spec.autoscaling.limits.prediction, model, "holt");
    jl_overlay_take(&overlay, &spec, JL_PROFILE_SOURCE_POOL_RULE);
    assert_true(overlay.spec.given.autoscaling);
    assert_true(overlay.spec.autoscaling.given.limits);
    assert_true(overlay.spec.autoscaling.limits.given.prediction);
    assert_string_equal(
        source_of(&overlay, &arena, "autoScalingConfig.autoSetLimits.prediction.model"),
        "poolRule");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_the_spec_has_room_for_its_source),
        cmocka_unit_test(the_first_source_keeps_the_field),
        cmocka_unit_test(an_empty_text_is_unset_unless_an_annotation_says_it),
        cmocka_unit_test(taking_nothing_changes_nothing),
        cmocka_unit_test(a_field_deep_inside_marks_the_way_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
