/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time.h"
#include "kinds/effective.h"
#include "kinds/node_twin.h"
#include "support/objects.h"

/* Class texts, matching profiles and freshness (docs/rules/classification.md#matching-profiles,
 * docs/rules/twin.md#freshness). */

#define NOW "2026-03-13T12:00:00Z"

static int64_t at(const char *text)
{
    int64_t ms = 0;
    assert_int_equal(jl_parse_time(text, strlen(text), &ms), 0);
    return ms;
}

static void class_text_ignores_case_and_blanks(void **state)
{
    (void)state;
    assert_int_equal(jl_class_text("performance"), JL_CLASS_TEXT_PERFORMANCE);
    assert_int_equal(jl_class_text("\t Performance \n"), JL_CLASS_TEXT_PERFORMANCE);
    assert_int_equal(jl_class_text("STANDARD"), JL_CLASS_TEXT_STANDARD);
    assert_int_equal(jl_class_text(NULL), JL_CLASS_TEXT_UNSET);
    assert_int_equal(jl_class_text("  "), JL_CLASS_TEXT_UNSET);
    assert_int_equal(jl_class_text("batch"), JL_CLASS_TEXT_INVALID);
}

static void other_words_distinguish_unset_from_invalid(void **state)
{
    (void)state;
    bool is_invalid = true;
    assert_int_equal(jl_sensitivity_text(" HIGH ", &is_invalid), JOULIE_LEVEL_HIGH);
    assert_false(is_invalid);
    assert_int_equal(jl_sensitivity_text("none", &is_invalid), JOULIE_LEVEL_UNKNOWN);
    assert_true(is_invalid);
    assert_int_equal(jl_sensitivity_text(NULL, &is_invalid), JOULIE_LEVEL_UNKNOWN);
    assert_false(is_invalid);
    assert_int_equal(jl_reschedulable_text("True", &is_invalid), 1);
    assert_int_equal(jl_reschedulable_text("false ", &is_invalid), 0);
    assert_int_equal(jl_reschedulable_text("", &is_invalid), -1);
    assert_false(is_invalid);
    assert_int_equal(jl_reschedulable_text("yes", &is_invalid), -1);
    assert_true(is_invalid);
}

struct candidate {
    const char *name;
    const char *name_space;
    const char *ref_kind;
    const char *ref_name;
    const char *ref_namespace;
};

static const char *match(const char *pod_text, const struct candidate *candidates, size_t count)
{
    struct jl_arena arena = { 0 };
    struct jl_pod pod = { 0 };
    struct jl_workload_profile profiles[4] = { 0 };
    const struct jl_workload_profile *pointers[4];
    read_object(&arena, &jl_pod_table, pod_text, &pod);
    for (size_t i = 0; i < count; i++) {
        profiles[i].meta.name = candidates[i].name;
        profiles[i].meta.name_space = candidates[i].name_space;
        profiles[i].spec.workload_ref.kind = candidates[i].ref_kind;
        profiles[i].spec.workload_ref.name = candidates[i].ref_name;
        profiles[i].spec.workload_ref.name_space = candidates[i].ref_namespace;
        pointers[i] = &profiles[i];
    }
    const struct jl_workload_profile *found = jl_profile_match(&pod, pointers, count);
    const char *name = found != NULL ? found->meta.name : NULL;
    jl_arena_clear(&arena);
    return name;
}

#define REPLICA_SET_POD(labels)                                                      \
    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\"," labels                      \
    "\"ownerReferences\":[{\"kind\":\"Other\",\"name\":\"x\",\"controller\":false}," \
    "{\"kind\":\"ReplicaSet\",\"name\":\"web-app-5d8f7c\",\"controller\":true}]}}"
#define JOB_POD(name)                                                        \
    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"d\",\"ownerReferences\":" \
    "[{\"kind\":\"Job\",\"name\":\"" name "\",\"controller\":true}]}}"

static void the_most_specific_profile_wins(void **state)
{
    (void)state;
    const struct candidate all[] = {
        { "by-deployment", "d", "Deployment", "web-app", NULL },
        { "by-replica-set", "d", "ReplicaSet", "web-app-5d8f7c", NULL },
        { "by-pod", "d", "Pod", "p", "d" },
        { "by-other-owner", "d", "Other", "x", NULL },
    };
    assert_string_equal(match(REPLICA_SET_POD(""), all, 4), "by-pod");
    assert_string_equal(match(REPLICA_SET_POD(""), all, 2), "by-replica-set");
    assert_string_equal(match(REPLICA_SET_POD(""), all, 1), "by-deployment");
    assert_null(match(REPLICA_SET_POD(""), &all[3], 1)); /* not the controller */
}

static void the_template_hash_label_names_the_suffix(void **state)
{
    (void)state;
    const struct candidate deployment = { "a", "d", "Deployment", "web-app", NULL };
    assert_string_equal(
        match(REPLICA_SET_POD("\"labels\":{\"pod-template-hash\":\"5d8f7c\"},"), &deployment, 1),
        "a");
    assert_null(
        match(REPLICA_SET_POD("\"labels\":{\"pod-template-hash\":\"ffffff\"},"), &deployment, 1));
    assert_null(match(REPLICA_SET_POD("\"labels\":{\"pod-template-hash\":\"web-app-5d8f7c\"},"),
                      &deployment, 1));
}

static void a_cron_job_is_its_jobs_name_without_the_number(void **state)
{
    (void)state;
    const struct candidate cron_job = { "a", "d", "CronJob", "nightly", NULL };
    assert_string_equal(match(JOB_POD("nightly-28391"), &cron_job, 1), "a");
    assert_null(match(JOB_POD("nightly-a1"), &cron_job, 1));
    assert_null(match(JOB_POD("nightly-"), &cron_job, 1));
    assert_null(match(JOB_POD("nightly"), &cron_job, 1));
}

static void a_profile_speaks_for_its_own_namespace_only(void **state)
{
    (void)state;
    const struct candidate foreign = { "a", "other", "Pod", "p", NULL };
    const struct candidate reaching_in = { "a", "other", "Pod", "p", "d" };
    const struct candidate reaching_out = { "a", "d", "Pod", "p", "other" };
    assert_null(match(REPLICA_SET_POD(""), &foreign, 1));
    assert_null(match(REPLICA_SET_POD(""), &reaching_in, 1));
    assert_null(match(REPLICA_SET_POD(""), &reaching_out, 1));
}

static void of_two_profiles_the_lower_name_wins(void **state)
{
    (void)state;
    const struct candidate both[] = { { "b", "d", "Pod", "p", NULL },
                                      { "a", "d", "Pod", "p", NULL } };
    assert_string_equal(match(REPLICA_SET_POD(""), both, 2), "a");
}

static void a_profile_must_be_sure_and_young(void **state)
{
    (void)state;
    const int64_t now_ms = at(NOW);
    struct jl_workload_profile profile = { 0 };
    assert_false(jl_profile_is_usable(&profile, now_ms));
    JL_SET(&profile.status, confidence, 0.5);
    assert_false(jl_profile_is_usable(&profile, now_ms));
    profile.status.last_updated = "2026-03-12T12:00:00Z";
    assert_true(jl_profile_is_usable(&profile, now_ms));
    assert_false(jl_profile_is_usable(&profile, now_ms + 1));
    profile.status.confidence = 0.49;
    assert_false(jl_profile_is_usable(&profile, now_ms));
    profile.status.confidence = 0.9;
    profile.status.last_updated = "yesterday";
    assert_false(jl_profile_is_usable(&profile, now_ms));
}

static void a_twin_is_fresh_by_its_age_or_by_the_heartbeat(void **state)
{
    (void)state;
    const int64_t now_ms = at(NOW);
    struct jl_freshness rule = { .staleness_ms = JL_TWIN_STALENESS_MS,
                                 .max_age_ms = JL_TWIN_MAX_AGE_MS };
    assert_true(jl_twin_is_fresh("2026-03-13T11:55:00Z", &rule, now_ms));
    assert_false(jl_twin_is_fresh("2026-03-13T11:54:59Z", &rule, now_ms));
    assert_true(jl_twin_is_fresh("2026-03-13T13:00:00Z", &rule, now_ms));
    assert_false(jl_twin_is_fresh(NULL, &rule, now_ms));
    assert_false(jl_twin_is_fresh("yesterday", &rule, now_ms));

    rule.has_heartbeat = true;
    rule.heartbeat_ms = at("2026-03-13T11:55:00Z");
    assert_true(jl_twin_is_fresh("2026-03-13T11:00:00Z", &rule, now_ms));
    assert_false(jl_twin_is_fresh("2026-03-13T10:59:59Z", &rule, now_ms));
    rule.heartbeat_ms--;
    assert_false(jl_twin_is_fresh("2026-03-13T11:20:00Z", &rule, now_ms));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(class_text_ignores_case_and_blanks),
        cmocka_unit_test(other_words_distinguish_unset_from_invalid),
        cmocka_unit_test(the_most_specific_profile_wins),
        cmocka_unit_test(the_template_hash_label_names_the_suffix),
        cmocka_unit_test(a_cron_job_is_its_jobs_name_without_the_number),
        cmocka_unit_test(a_profile_speaks_for_its_own_namespace_only),
        cmocka_unit_test(of_two_profiles_the_lower_name_wins),
        cmocka_unit_test(a_profile_must_be_sure_and_young),
        cmocka_unit_test(a_twin_is_fresh_by_its_age_or_by_the_heartbeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
