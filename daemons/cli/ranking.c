/* SPDX-License-Identifier: Apache-2.0 */

/* How a scoring profile changes the order of nodes (docs/rules/commands.md#scoring): `joulie
 * scoring`, and what `joulie why --scoring` shows of it. */

#include "ranking.h"

#include <string.h>

#include <joulie/object.h>

#include "base/error.h"
#include "base/sort.h"
#include "table.h"

int jd_scoring_read(const char *file, char **json, struct joulie_error *err)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    const int rc = jd_read_object(file, &text, err);
    if (rc < 0)
        return rc;
    const int asked = joulie_ask("score.profile", text.len > 0 ? text.data : "{}",
                                 text.len > 0 ? text.len : 2, NULL, json, err);
    return asked == 0 ? 0 : jd_place_in_file(file, asked, err);
}

/* ---- one answer ---- */

struct place {
    struct json_object *score;
    bool may;
    int rank; /* 0 = the pod may not use it */
};

static double number_of(struct json_object *score, const char *key)
{
    return json_object_get_double(json_object_object_get(score, key));
}

/* The better first; of equal scores what was cut off decides, where it is known. */
static int by_score(const void *a, const void *b, void *user)
{
    const struct place *left = a;
    const struct place *right = b;
    static const char *const keys[] = { "score", "raw" };
    (void)user;
    if (left->may != right->may)
        return left->may ? -1 : 1;
    for (size_t i = 0; i < JL_COUNT(keys); i++) {
        const double x = number_of(left->score, keys[i]);
        const double y = number_of(right->score, keys[i]);
        if (x != y)
            return x > y ? -1 : 1;
    }
    return 0;
}

/* Nodes that are alike share a rank. To be freed. */
static struct place *places_of(struct json_object *answer, size_t *out_count)
{
    struct json_object *scores = jd_json_at(answer, "scores");
    struct json_object *failed = jd_json_at(answer, "failed");
    const size_t count = jd_json_count(scores);
    struct place *const places = jl_calloc(count + 1, sizeof *places);
    *out_count = 0;
    if (!places)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        struct json_object *score = jd_item(scores, i);
        places[i].score = score;
        places[i].may = !json_object_object_get_ex(failed, jd_json_text(score, "node"), NULL);
    }
    if (jl_sort(places, count, sizeof *places, by_score, NULL) < 0) {
        jl_free(places);
        return NULL;
    }
    for (size_t i = 0; i < count && places[i].may; i++)
        places[i].rank = i > 0 && by_score(&places[i - 1], &places[i], NULL) == 0
                             ? places[i - 1].rank
                             : (int)i + 1;
    *out_count = count;
    return places;
}

/* ---- two answers ---- */

static void add_numbers(struct json_object *row, const struct place *place, bool is_before)
{
    static const char *const keys[][2] = { { "rank", "rankBefore" },
                                           { "score", "scoreBefore" },
                                           { "wire", "wireBefore" } };
    if (place->rank > 0)
        json_object_object_add(row, keys[0][is_before], json_object_new_int(place->rank));
    for (size_t i = 1; i < JL_COUNT(keys); i++)
        json_object_object_add(row, keys[i][is_before],
                               json_object_new_int(json_object_get_int(
                                   json_object_object_get(place->score, keys[i][0]))));
}

static void add_before(struct json_object *rows_by_name, struct json_object *before)
{
    size_t count = 0;
    struct place *const places = places_of(before, &count);
    for (size_t i = 0; i < count; i++) {
        struct json_object *row = NULL;
        if (json_object_object_get_ex(rows_by_name, jd_json_text(places[i].score, "node"), &row))
            add_numbers(row, &places[i], true);
    }
    jl_free(places);
}

struct json_object *jd_ranking(struct json_object *before, struct json_object *after)
{
    struct json_object *const out = json_object_new_array();
    JL_CLEANUP(jd_json_freep) struct json_object *by_name = json_object_new_object();
    size_t count = 0;
    struct place *const places = places_of(after, &count);
    for (size_t i = 0; i < count; i++) {
        const char *name = jd_json_text(places[i].score, "node");
        struct json_object *row = json_object_new_object();
        jd_set_text(row, "node", name);
        add_numbers(row, &places[i], false);
        json_object_array_add(out, row);
        json_object_object_add(by_name, name, json_object_get(row));
    }
    jl_free(places);
    add_before(by_name, before);
    return out;
}

void jd_put_ranking(struct json_object *ranking, bool has_heads, struct jl_buffer *out)
{
    static const char *const heads[] = { "NODE", "RANK", "WAS", "SCORE", "WAS", "WIRE", "WAS" };
    static const char *const keys[] = { "node",        "rank", "rankBefore", "score",
                                        "scoreBefore", "wire", "wireBefore" };
    struct jd_table table;
    jd_table_init(&table, heads, JL_COUNT(heads));
    for (size_t i = 0; i < jd_json_count(ranking); i++) {
        for (size_t k = 0; k < JL_COUNT(keys); k++)
            jd_table_add(&table, json_object_get_string(
                                     json_object_object_get(jd_item(ranking, i), keys[k])));
    }
    jd_table_end(&table, has_heads, out);
}

/* ---- joulie scoring ---- */

/* The answer of score to a recorded question with a profile; NULL = none: err says why. */
static struct json_object *ask_with(struct json_object *question, const char *profile,
                                    const struct joulie_ask_options *options,
                                    struct joulie_error *err)
{
    JL_CLEANUP(jl_freep) char *answer = NULL;
    json_object_object_del(question, "profileName");
    json_object_object_add(question, "scoring", jd_json_parse(profile, strlen(profile)));
    const char *const text = jd_tree_text(question);
    return joulie_ask("score", text, strlen(text), options, &answer, err) == 0
               ? jd_json_parse(answer, strlen(answer))
               : NULL;
}

static void show(struct jd_call *call, struct json_object *ranking)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    if (call->values.output && !jl_same(call->values.output, "table")) {
        jd_put_answer(call, jd_tree_text(ranking));
        return;
    }
    jd_put_ranking(ranking, true, &text);
    if (!text.is_failed)
        jd_put_text(call, text.data, text.len);
}

static int compare(struct jd_call *call, const char *text, size_t len, void *user)
{
    const char *const profile = user;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_ask_options options;
    JL_CLEANUP(jl_freep) char *line = NULL;
    if (joulie_format(text, len, JOULIE_FORM_LINE, &line, &err) < 0)
        return jd_put_error(call, &err);
    JL_CLEANUP(jd_json_freep) struct json_object *question = jd_json_parse(line, strlen(line));
    if (!json_object_is_type(question, json_type_object)) {
        jl_fail(&err, JOULIE_E_TYPE, "", "an object was expected");
        return jd_put_error(call, &err);
    }
    jd_ask_options(call, &options);
    JL_CLEANUP(jd_json_freep)
    struct json_object *before = ask_with(question, "{}", &options, &err);
    JL_CLEANUP(jd_json_freep)
    struct json_object *after = before ? ask_with(question, profile, &options, &err) : NULL;
    if (!after)
        return jd_put_error(call, &err);
    JL_CLEANUP(jd_json_freep) struct json_object *ranking = jd_ranking(before, after);
    show(call, ranking);
    return JD_EXIT_OK;
}

static int run(struct jd_call *call)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    JL_CLEANUP(jl_freep) char *profile = NULL;
    if (jd_scoring_read(call->arguments[0], &profile, &err) < 0)
        return jd_put_error(call, &err);
    if (call->argument_count > 1)
        return jd_each_document(call, call->arguments[1], compare, profile);
    jd_put_answer(call, profile);
    return JD_EXIT_OK;
}

static const struct jd_setting options[] = {
    JD_SCORE_RANGE_ROW,
    JD_LENIENT_ROW,
    JD_OUTPUT_ROW_OF(jd_table_output_words,
                     "form of the answers: json, pretty or yaml; of a comparison table by default"),
};

const struct jd_command jd_command_scoring = {
    .name = "scoring",
    .arguments = "PROFILE [QUESTION]",
    .least = 1,
    .most = 2,
    .files = JD_FILES,
    .summary = "Checks a scoring profile and shows what it changes",
    .text =
        "PROFILE is a file for the extender's SCORING_PROFILE; it is printed with all that it "
        "leaves out. QUESTION has documents\nof the question score (a pod and nodes): then each "
        "node's rank, score and wire score with the profile, and without it.\njoulie why "
        "--scoring does the same with the nodes of a cluster.",
    .question = "score.profile",
    JD_ROWS(options),
    .run = run,
};
