/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "ask/ask.h"
#include "base/text.h"
#include "kinds/kinds.h"
#include "kinds/node_hardware.h"
#include "kinds/node_twin.h"
#include "kinds/pod.h"
#include "kinds/telemetry_profile.h"
#include "kinds/tensor_fusion.h"
#include "kinds/workload_profile.h"
#include "schema/copy.h"
#include "schema/explain.h"
#include "support/test.h"

typedef void visit_fn(const struct jl_table *table);

static void walk(const struct jl_table *table, visit_fn *visit)
{
    visit(table);
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].child)
            walk(table->rows[i].child, visit);
    }
}

static void walk_kinds(visit_fn *visit)
{
    for (size_t i = 0; i < jl_kind_count; i++)
        walk(jl_kinds[i], visit);
}

static void walk_questions(visit_fn *visit)
{
    for (size_t i = 0; jl_questions[i]; i++) {
        if (jl_questions[i]->in)
            walk(jl_questions[i]->in, visit);
        walk(jl_questions[i]->out, visit);
    }
}

static void check_members(const struct jl_table *table)
{
    assert_in_range(table->count, 0, 64);
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        assert_non_null(row->key); /* a hole would be a bit without a row */
        char quoted[128];
        snprintf(quoted, sizeof quoted, "\"%s\":", row->key);
        assert_string_equal(row->quoted, quoted);
        assert_int_equal(row->quoted_len, strlen(quoted));
        assert_in_range(row->offset, sizeof(uint64_t), table->size - jl_member_size(row));
        for (size_t j = 0; j < i; j++) {
            const struct jl_row *other = &table->rows[j];
            assert_string_not_equal(row->key, other->key);
            assert_true(row->offset >= other->offset + jl_member_size(other) ||
                        other->offset >= row->offset + jl_member_size(row));
        }
    }
}

static void every_bit_has_one_row_with_room_of_its_own_in_the_struct(void **state)
{
    (void)state;
    walk_kinds(check_members);
    walk_questions(check_members);
}

static void check_shapes(const struct jl_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        const bool has_child = row->type == JL_TYPE_OBJECT || row->type == JL_TYPE_WHOLE ||
                               row->type == JL_TYPE_LIST || row->type == JL_TYPE_DICT;
        const bool is_number = row->type == JL_TYPE_NUMBER || row->type == JL_TYPE_INTEGER ||
                               row->type == JL_TYPE_QUANTITY || row->type == JL_TYPE_NUMBERS ||
                               row->type == JL_TYPE_RANGE;
        const bool may_have_words = row->type == JL_TYPE_INTEGER || row->type == JL_TYPE_STRINGS;
        assert_int_equal(row->child != NULL, has_child);
        if (row->words == NULL || !may_have_words)
            assert_int_equal(row->words != NULL, row->type == JL_TYPE_ENUM);
        if (row->is.has_min || row->is.has_max || row->is.exclusive_min)
            assert_true(is_number);
        if (row->is.exclusive_min)
            assert_true(row->is.has_min);
        if (row->is.has_min && row->is.has_max)
            assert_true(row->min <= row->max);
        if (row->is.list_key) /* the API server takes only keys that are required */
            assert_true(row->is.required);
        if (row->type == JL_TYPE_WHOLE) {
            assert_non_null(row->part);
            assert_non_null(row->child->kind);
        }
    }
}

/* What a CRD can say: structural schemas have no values of any type, and bounds of a list are those
 * of its length. */
static void check_kind_shapes(const struct jl_table *table)
{
    check_shapes(table);
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        assert_int_not_equal(row->type, JL_TYPE_WHOLE);
        assert_int_not_equal(row->type, JL_TYPE_DICT);
        if (row->type == JL_TYPE_NUMBERS)
            assert_false(row->is.has_min || row->is.has_max);
        if (row->type == JL_TYPE_RAW)
            assert_true(row->is.any_members);
    }
}

static void children_words_and_bounds_stand_where_the_type_has_them(void **state)
{
    (void)state;
    walk_kinds(check_kind_shapes);
    walk_questions(check_shapes);
}

static void check_docs(const struct jl_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *doc = table->rows[i].doc;
        assert_non_null(doc);
        assert_int_equal(doc[strlen(doc) - 1], '.');
    }
}

static void every_row_has_a_sentence(void **state)
{
    (void)state;
    walk_kinds(check_docs);
    walk_questions(check_docs);
}

static void check_words(const struct jl_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct jl_words *words = table->rows[i].words;
        for (size_t a = 0; words && a < words->count; a++) {
            const struct jl_word *word = &words->items[a];
            assert_int_not_equal(word->value, 0); /* 0 is unknown and has no word */
            assert_string_equal(jl_word_of(words, word->value), word->word);
            assert_int_equal(jl_word_value(words, jl_text(word->word)), word->value);
        }
    }
}

static void words_and_values_name_each_other(void **state)
{
    (void)state;
    walk_kinds(check_words);
    walk_questions(check_words);
}

static void a_node_class_of_the_word_unknown_is_not_an_unknown_word(void **state)
{
    (void)state;
    assert_int_equal(jl_word_value(&jl_node_class_words, jl_text("unknown")),
                     JOULIE_NODE_CLASS_WORD_UNKNOWN);
    assert_int_equal(jl_word_value(&jl_node_class_words, jl_text("idle")),
                     JOULIE_NODE_CLASS_UNKNOWN);
}

static void root_objects_share_their_first_rows(void **state)
{
    static const char *const keys[] = { "apiVersion", "kind", "metadata", "spec", "status" };
    (void)state;
    for (size_t i = 0; i < jl_kind_count; i++) {
        assert_in_range(jl_kinds[i]->count, 4, 5);
        for (size_t j = 0; j < jl_kinds[i]->count; j++)
            assert_string_equal(jl_kinds[i]->rows[j].key, keys[j]);
    }
}

/* The object-level required lists. */
static void only_hardware_and_telemetry_require_root_members(void **state)
{
    (void)state;
    for (size_t i = 0; i < jl_kind_count; i++) {
        const bool is_strict =
            jl_kinds[i] == &jl_node_hardware_table || jl_kinds[i] == &jl_telemetry_profile_table;
        for (size_t j = JL_ROOT_API_VERSION; j <= JL_ROOT_SPEC; j++)
            assert_int_equal(jl_kinds[i]->rows[j].is.required, is_strict);
        if (jl_kinds[i]->count > JL_ROOT_STATUS)
            assert_false(jl_kinds[i]->rows[JL_ROOT_STATUS].is.required);
    }
}

static void printer_columns_name_fields_that_exist(void **state)
{
    (void)state;
    for (size_t i = 0; i < jl_kind_count; i++) {
        const struct jl_kind *kind = jl_kinds[i]->kind;
        for (size_t j = 0; j < kind->column_count; j++) {
            const struct jl_column *column = &kind->columns[j];
            struct jl_field field;
            assert_int_equal(column->path[0], '.');
            if (strcmp(column->type, "date") == 0) { /* of every object, and read by no table */
                assert_string_equal(column->path, ".metadata.creationTimestamp");
                continue;
            }
            assert_true(jl_field_find(jl_kinds[i], column->path + 1, &field));
            const bool is_text = kind->is_foreign || strcmp(column->name, "CPU-Cap") == 0;
            const bool is_score = jl_ends_with(column->path, "Score");
            if (is_text) /* string in the source's manifest */
                assert_string_equal(column->type, "string");
            else
                assert_string_equal(column->type, is_score ? "integer" : field.type);
        }
    }
}

static void kinds_of_ours_are_listed_with_their_age(void **state)
{
    static const struct jl_table *const tables[] = { &jl_node_hardware_table, &jl_node_twin_table,
                                                     &jl_workload_profile_table };
    (void)state;
    for (size_t i = 0; i < JL_COUNT(tables); i++) {
        const struct jl_kind *kind = tables[i]->kind;
        assert_string_equal(kind->columns[kind->column_count - 1].name, "Age");
    }
}

static void kinds_are_found_by_their_names(void **state)
{
    (void)state;
    assert_ptr_equal(jl_kind_find("joulie.io/v1alpha1", "NodeTwin"), &jl_node_twin_table);
    assert_ptr_equal(jl_kind_find("v1", "Pod"), &jl_pod_table);
    assert_null(jl_kind_find("v1", "NodeTwin"));
    assert_null(jl_kind_find("joulie.io/v1alpha1", "nodetwin"));
    assert_null(jl_kind_find(NULL, "NodeTwin"));
    assert_ptr_equal(jl_kind_by_word("nodetwin"), &jl_node_twin_table);
    assert_ptr_equal(jl_kind_by_word("nodetwins"), &jl_node_twin_table);
    assert_ptr_equal(jl_kind_by_word("nt"), &jl_node_twin_table);
    assert_ptr_equal(jl_kind_by_word("WorkloadProfile"), &jl_workload_profile_table);
    assert_null(jl_kind_by_word(""));
    assert_ptr_equal(jl_kind_by_word("nodetwins.joulie.io"), &jl_node_twin_table);
    assert_null(jl_kind_by_word("nt.joulie.io")); /* as with kubectl */
    assert_null(jl_kind_by_word("pod.joulie.io"));
    assert_null(jl_kind_by_word("powerpolicy"));
}

/* The two projects share a kind and its plural. */
static void a_kind_of_another_project_needs_its_group(void **state)
{
    (void)state;
    assert_ptr_equal(jl_kind_find("tensor-fusion.ai/v1", "WorkloadProfile"),
                     &jl_fusion_profile_table);
    assert_ptr_equal(jl_kind_find("joulie.io/v1alpha1", "WorkloadProfile"),
                     &jl_workload_profile_table);
    assert_ptr_equal(jl_kind_by_word("workloadprofiles"), &jl_workload_profile_table);
    assert_ptr_equal(jl_kind_by_word("wp"), &jl_workload_profile_table);
    assert_ptr_equal(jl_kind_by_word("workloadprofile.joulie.io"), &jl_workload_profile_table);
    assert_ptr_equal(jl_kind_by_word("workloadprofiles.tensor-fusion.ai"),
                     &jl_fusion_profile_table);
    assert_ptr_equal(jl_kind_by_word("WorkloadProfile.tensor-fusion.ai"), &jl_fusion_profile_table);
    assert_ptr_equal(jl_kind_by_word("tensorfusionworkloads.tensor-fusion.ai"),
                     &jl_fusion_workload_table);
    assert_null(jl_kind_by_word("tensorfusionworkloads"));
    assert_null(jl_kind_by_word("nodetwin.tensor-fusion.ai"));
    assert_null(jl_kind_by_word("workloadprofiles.tensor-fusion"));
    assert_null(jl_kind_by_word("workloadprofiles."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bit_has_one_row_with_room_of_its_own_in_the_struct),
        cmocka_unit_test(children_words_and_bounds_stand_where_the_type_has_them),
        cmocka_unit_test(every_row_has_a_sentence),
        cmocka_unit_test(words_and_values_name_each_other),
        cmocka_unit_test(a_node_class_of_the_word_unknown_is_not_an_unknown_word),
        cmocka_unit_test(root_objects_share_their_first_rows),
        cmocka_unit_test(only_hardware_and_telemetry_require_root_members),
        cmocka_unit_test(printer_columns_name_fields_that_exist),
        cmocka_unit_test(kinds_of_ours_are_listed_with_their_age),
        cmocka_unit_test(kinds_are_found_by_their_names),
        cmocka_unit_test(a_kind_of_another_project_needs_its_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
