/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Runs vector files (docs/testing.md#vectors) through joulie_ask and prints how many cases passed,
 * were not yet answerable, and failed. test_vectors [--answers FILE] VECTORS...; --answers also
 * writes every answer, to be compared with those of the other runners. A case is not yet answerable
 * when its question does not exist, or when the answer is "unsupported" and that was not expected.
 */

#include <json-c/json.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/ask.h>

#include "base/buffer.h"
#include "support/zoneinfo.h"

struct totals {
    size_t passed;
    size_t not_yet;
    size_t failed;
};

struct outcome {
    int code;
    char *answer;
    struct joulie_error err;
};

static bool is_number(struct json_object *value)
{
    return json_object_is_type(value, json_type_int) ||
           json_object_is_type(value, json_type_double);
}

static bool matches(struct json_object *expected, struct json_object *actual, double tolerance,
                    char *path, size_t size);

static bool differ(const char *what)
{
    printf("      %s\n", what);
    return false;
}

static bool object_matches(struct json_object *expected, struct json_object *actual,
                           double tolerance, char *path, size_t size)
{
    if (!json_object_is_type(actual, json_type_object))
        return differ("an object was expected");
    json_object_object_foreach(expected, key, value)
    {
        struct json_object *found = NULL;
        const size_t length = strlen(path);
        json_object_object_get_ex(actual, key, &found);
        snprintf(path + length, size - length, ".%s", key);
        if (!matches(value, found, tolerance, path, size))
            return false;
        path[length] = '\0';
    }
    return true;
}

static bool array_matches(struct json_object *expected, struct json_object *actual,
                          double tolerance, char *path, size_t size)
{
    if (!json_object_is_type(actual, json_type_array))
        return differ("an array was expected");
    const size_t count = json_object_array_length(expected);
    if (json_object_array_length(actual) != count)
        return differ("the array has another length");
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(path);
        snprintf(path + length, size - length, "[%zu]", i);
        if (!matches(json_object_array_get_idx(expected, i), json_object_array_get_idx(actual, i),
                     tolerance, path, size))
            return false;
        path[length] = '\0';
    }
    return true;
}

static bool matches(struct json_object *expected, struct json_object *actual, double tolerance,
                    char *path, size_t size)
{
    if (!expected)
        return actual ? differ("must be absent") : true;
    if (!actual)
        return differ("is absent");
    if (is_number(expected)) {
        if (!is_number(actual))
            return differ("a number was expected");
        return fabs(json_object_get_double(expected) - json_object_get_double(actual)) <= tolerance
                   ? true
                   : differ("the number differs");
    }
    if (json_object_is_type(expected, json_type_object))
        return object_matches(expected, actual, tolerance, path, size);
    if (json_object_is_type(expected, json_type_array))
        return array_matches(expected, actual, tolerance, path, size);
    return json_object_equal(expected, actual) ? true : differ("the value differs");
}

static bool error_matches(struct json_object *expected, const struct outcome *outcome)
{
    if (outcome->code == 0)
        return differ("an error was expected");
    const char *code = json_object_get_string(json_object_object_get(expected, "code"));
    const char *where = json_object_get_string(json_object_object_get(expected, "where"));
    if (code && strcmp(code, joulie_code_word(outcome->code)) != 0)
        return differ("the code differs");
    return where && strcmp(where, outcome->err.where) != 0 ? differ("the place differs") : true;
}

static bool case_passes(struct json_object *test, const struct outcome *outcome, double tolerance)
{
    struct json_object *expected = NULL;
    if (json_object_object_get_ex(test, "error", &expected))
        return error_matches(expected, outcome);
    if (outcome->code != 0)
        return differ("an answer was expected");
    if (!json_object_object_get_ex(test, "out", &expected))
        return true;

    struct json_object *answer = json_tokener_parse(outcome->answer);
    char path[1024] = "";
    const bool is_ok = matches(expected, answer, tolerance, path, sizeof path);
    if (!is_ok)
        printf("      at %s\n", path);
    json_object_put(answer);
    return is_ok;
}

static FILE *answers; /* of --answers, or NULL */

/* FILE <tab> id <tab> the line that the program joulie prints. */
static void write_answer(const char *file, const char *id, const struct outcome *outcome)
{
    struct jl_buffer line = { 0 };
    const char *slash = strrchr(file, '/');
    if (outcome->answer) {
        jl_put_string(&line, outcome->answer);
    } else {
        const char *const parts[] = { joulie_code_word(outcome->code), outcome->err.where,
                                      outcome->err.message };
        static const char *const keys[] = { "{\"error\":{\"code\":", ",\"where\":",
                                            ",\"message\":" };
        for (size_t i = 0; i < 3; i++) {
            jl_put_string(&line, keys[i]);
            jl_put_json_string(&line, parts[i], strlen(parts[i]));
        }
        jl_put_string(&line, "}}");
    }
    fprintf(answers, "%s\t%s\t%s\n", slash ? slash + 1 : file, id, line.data ? line.data : "");
    jl_buffer_clear(&line);
}

static void run_case(struct json_object *test, double tolerance, const char *file,
                     struct totals *totals)
{
    const char *id = json_object_get_string(json_object_object_get(test, "id"));
    const char *question = json_object_get_string(json_object_object_get(test, "question"));
    struct json_object *input = json_object_object_get(test, "in");
    const char *text = json_object_to_json_string_ext(input, JSON_C_TO_STRING_PLAIN |
                                                                 JSON_C_TO_STRING_NOSLASHESCAPE);
    struct outcome outcome = { .err = { .struct_size = sizeof outcome.err } };

    const struct joulie_ask_options options = { .struct_size = sizeof options,
                                                .find_zone = recorded_zone };
    outcome.code =
        joulie_ask(question, text, strlen(text), &options, &outcome.answer, &outcome.err);
    if (answers)
        write_answer(file, id, &outcome);
    struct json_object *error = NULL;
    const bool expects_error = json_object_object_get_ex(test, "error", &error);
    const char *expected_code = json_object_get_string(json_object_object_get(error, "code"));
    const bool is_missing = strcmp(outcome.err.where, "question") == 0;
    if (outcome.code == JOULIE_E_UNSUPPORTED &&
        (is_missing || !expected_code || strcmp(expected_code, "unsupported") != 0)) {
        totals->not_yet++;
    } else if (case_passes(test, &outcome, tolerance)) {
        totals->passed++;
    } else {
        totals->failed++;
        printf("FAIL %s: %s (%s)\n      in  %.600s\n", file, id, question, text);
        if (outcome.answer)
            printf("      got %.1200s\n", outcome.answer);
        else
            printf("      got error %s at '%s': %s\n", joulie_code_word(outcome.code),
                   outcome.err.where, outcome.err.message);
        printf("      expected %.1200s\n",
               json_object_to_json_string_ext(
                   json_object_object_get(test, expects_error ? "error" : "out"),
                   JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    }
    joulie_free(outcome.answer);
}

static int run_file(const char *file, struct totals *totals)
{
    struct json_object *root = json_object_from_file(file);
    struct json_object *cases = root ? json_object_object_get(root, "cases") : NULL;
    if (!cases) {
        printf("FAIL %s: not a vector file\n", file);
        totals->failed++;
        json_object_put(root);
        return 0;
    }
    struct json_object *tolerance = json_object_object_get(root, "tolerance");
    const struct totals before = *totals;
    for (size_t i = 0; i < json_object_array_length(cases); i++)
        run_case(json_object_array_get_idx(cases, i),
                 tolerance ? json_object_get_double(tolerance) : 1e-6, file, totals);
    printf("%-60s %4zu passed, %4zu not yet answerable, %4zu failed\n", file,
           totals->passed - before.passed, totals->not_yet - before.not_yet,
           totals->failed - before.failed);
    json_object_put(root);
    return 0;
}

int main(int argc, char **argv)
{
    struct totals totals = { 0 };
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--answers") == 0) {
        first = 3;
        answers = fopen(argv[2], "w");
        if (!answers) {
            perror(argv[2]);
            return 1;
        }
    }
    for (int i = first; i < argc; i++)
        run_file(argv[i], &totals);
    if (answers && fclose(answers) != 0) {
        perror(argv[2]);
        return 1;
    }
    printf("vectors: %zu passed, %zu not yet answerable, %zu failed\n", totals.passed,
           totals.not_yet, totals.failed);
    return totals.failed > 0 || totals.passed == 0;
}
