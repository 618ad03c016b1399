/* SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "base/time.h"
#include "kinds/effective.h"
#include "place/columns.h"
#include "place/place_tests.h"
#include "support/objects.h"

/* The vectors of the question "score" through joulie_place_nodes(), with every kind of vectors. */

static struct table table;
static struct answers got;

static struct json_object *member(struct json_object *object, const char *key)
{
    struct json_object *found = NULL;
    if (object)
        json_object_object_get_ex(object, key, &found);
    return found;
}

static void read_part(struct jl_arena *arena, struct json_object *object,
                      const struct jl_table *kind, void *out)
{
    const char *text = json_object_to_json_string(object);
    read_object(arena, kind, jl_arena_copy(arena, text, strlen(text)), out);
}

static void read_node(struct jl_arena *arena, struct json_object *given,
                      enum joulie_place_rules rules, struct jl_place_node *out)
{
    struct jl_node_twin twin = { 0 };
    struct jl_node_hardware record = { 0 };
    struct jl_hardware hardware;
    const struct jl_node node = { 0 };
    struct json_object *label = member(member(given, "labels"), JL_LABEL_POWER_PROFILE);
    struct json_object *status = member(given, "hardware");
    const bool is_current = rules == JOULIE_PLACE_RULES_CURRENT;
    *out = (struct jl_place_node){ 0 };
    if (member(given, "twin"))
        read_part(arena, member(given, "twin"), &jl_node_twin_table, &twin);
    if (status)
        read_part(arena, status, &jl_node_hardware_table, &record);
    jl_place_set_twin(out, member(given, "twin") ? &twin.status : NULL);
    jl_place_set_label(out, label ? json_object_get_string(label) : NULL);
    jl_hardware_resolve(status ? &record.status : NULL, is_current ? &node : NULL,
                        is_current ? JL_HARDWARE_CURRENT : JL_HARDWARE_V0_1_0, &hardware);
    jl_place_set_hardware(out, &hardware, rules);
}

static int64_t time_of(struct json_object *in, const char *key, int64_t otherwise)
{
    int64_t ms = otherwise;
    const char *text = json_object_get_string(member(in, key));
    if (text)
        assert_int_equal(jl_parse_time(text, strlen(text), &ms), 0);
    return ms;
}

static void read_config(struct json_object *in, struct joulie_place_config *ours,
                        struct joulie_place_config *out)
{
    const char *name = json_object_get_string(member(in, "profileName"));
    const int rules = jl_word_value(&jl_place_rules_words, jl_text(name ? name : "current"));
    jl_place_config_init(ours, (enum joulie_place_rules)rules);
    *out = public_config(ours);
    if (member(in, "stalenessS"))
        out->staleness_ms = (int64_t)(json_object_get_double(member(in, "stalenessS")) * 1000);
    if (member(in, "heartbeat")) {
        out->has = JOULIE_PLACE_CONFIG_HAS_HEARTBEAT;
        out->heartbeat_ms = time_of(in, "heartbeat", 0);
    }
    if (member(member(in, "options"), "scoreRange"))
        out->score_range = json_object_get_int(member(member(in, "options"), "scoreRange"));
    if (member(member(in, "scoring"), "psuWeight"))
        out->psu_weight = json_object_get_double(member(member(in, "scoring"), "psuWeight"));
}

static void assert_number(struct json_object *of, const char *key, double actual)
{
    if (member(of, key))
        assert_near(actual, json_object_get_double(member(of, key)), 1e-9);
}

static void assert_row(struct json_object *expected, size_t i)
{
    static const char *const terms[9] = { "headroom",     "cooling",         "trend",
                                          "profileBonus", "pressure",        "sensitivity",
                                          "psu",          "marginalPenalty", "idleGpu" };
    struct json_object *basis = member(expected, "basis");
    assert_int_equal(got.code[i], JOULIE_OK);
    assert_number(expected, "score", got.score[i]);
    assert_number(expected, "wire", got.wire[i]);
    assert_number(expected, "raw", got.numbers[0][i]);
    assert_number(member(expected, "terms"), "marginalW", got.numbers[2][i]);
    for (size_t m = 0; m < 9; m++)
        assert_number(member(expected, "terms"), terms[m], got.numbers[m + 3][i]);
    if (basis)
        assert_int_equal(got.basis[i], jl_word_value(&jl_place_basis_words,
                                                     jl_text(json_object_get_string(basis))));
}

static bool is_listed(struct json_object *names, const char *name)
{
    for (size_t i = 0; i < json_object_array_length(names); i++) {
        if (strcmp(json_object_get_string(json_object_array_get_idx(names, i)), name) == 0)
            return true;
    }
    return false;
}

static void assert_answers(struct json_object *nodes, struct json_object *expected)
{
    struct json_object *scores = member(expected, "scores");
    struct json_object *failed = member(expected, "failed");
    for (size_t i = 0; i < table.count; i++) {
        const char *name =
            json_object_get_string(member(json_object_array_get_idx(nodes, i), "name"));
        const char *why = json_object_get_string(member(failed, name));
        if (scores)
            assert_row(json_object_array_get_idx(scores, i), i);
        if (member(expected, "passed"))
            assert_int_equal(got.reject[i] == JOULIE_REJECT_NONE,
                             is_listed(member(expected, "passed"), name));
        if (why)
            assert_string_equal(joulie_place_reject_text(got.reject[i]), why);
    }
}

static size_t run_case(struct json_object *test)
{
    struct json_object *in = member(test, "in");
    struct json_object *nodes = member(in, "nodes");
    struct jl_arena arena = { 0 };
    struct joulie_place_config ours;
    struct joulie_place_config config;
    struct jl_pod pod = { 0 };
    struct joulie_work view;
    struct jl_workload_profile profile = { 0 };
    const int64_t now_ms = time_of(in, "now", NOW_MS);
    if (strcmp(json_object_get_string(member(test, "question")), "score") != 0 ||
        !member(test, "out") || !json_object_is_type(member(in, "pod"), json_type_object))
        return 0;
    read_config(in, &ours, &config);
    read_part(&arena, member(in, "pod"), &jl_pod_table, &pod);
    if (member(in, "profile"))
        read_part(&arena, member(in, "profile"), &jl_workload_profile_table, &profile);
    jl_work_of_pod(&pod, member(in, "profile") ? &profile : NULL, ours.rules, now_ms, &view, NULL);
    table.count = json_object_array_length(nodes);
    for (size_t i = 0; i < table.count; i++)
        read_node(&arena, json_object_array_get_idx(nodes, i), ours.rules, &table.nodes[i]);
    table_fill(&table);
    const struct joulie_place_columns columns = table_columns(&table);
    const struct joulie_work work = work_of(&view);
    for (enum jl_simd simd = JL_SIMD_NONE; simd <= jl_simd_best(); simd++) {
        const struct joulie_place_columns_out out = answer_columns(&got);
        memset(&got, 0x5A, sizeof got);
        assert_int_equal(
            jl_place_nodes(simd, &config, &work, &columns, table.count, now_ms, &out, NULL, NULL),
            0);
        assert_answers(nodes, member(test, "out"));
    }
    jl_arena_clear(&arena);
    return 1;
}

static void every_vector_of_the_score_passes_through_columns(void **state)
{
    (void)state;

    static const char *const files[] = {
        "tests/vectors/joulie-scheduler-6-score.json",
        "tests/vectors/joulie-scheduler-7-sensitivity.json",
        "tests/vectors/joulie-scheduler-5.3-marginal-power.json",
        "tests/vectors/joulie-scheduler-13-filter-class-wire.json",
        "tests/vectors/libjoulie-score-psu-current.json",
    };
    for (size_t i = 0; i < JL_COUNT(files); i++) {
        struct json_object *document = json_object_from_file(files[i]);
        struct json_object *cases = member(document, "cases");
        size_t ran = 0;
        assert_non_null(cases);
        for (size_t c = 0; c < json_object_array_length(cases); c++)
            ran += run_case(json_object_array_get_idx(cases, c));
        print_message("%s: %zu\n", files[i], ran);
        assert_true(ran > 0);
        json_object_put(document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_of_the_score_passes_through_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
