/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Every allocation of a question fails once, those of json-c and libyaml included: this program is
 * the allocator. After each failure the call must have answered "out of memory" (or the same bytes
 * as without it), and everything must be released.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <joulie/ask.h>
#include <joulie/object.h>

#include "oom/allocator.h"
#include "support/zoneinfo.h"

struct totals {
    size_t documents;
    size_t failures; /* injected */
    size_t wrong;
};

static int ask(const char *question, const char *text, char **answer)
{
    struct joulie_error err = { .struct_size = sizeof err };
    const struct joulie_ask_options options = { .struct_size = sizeof options,
                                                .find_zone = recorded_zone };
    return joulie_ask(question, text, strlen(text), &options, answer, &err);
}

static void complain(struct totals *totals, const char *question, long n, const char *what,
                     const char *text)
{
    totals->wrong++;
    printf("FAIL %s, allocation %ld: %s\n      %.300s\n", question, n, what, text);
}

static void try_document(const char *question, const char *text, struct totals *totals)
{
    char *expected = NULL;
    const int expected_code = ask(question, text, &expected);
    if (expected_code == JOULIE_E_UNSUPPORTED)
        return;
    totals->documents++;

    for (long n = 0;; n++) {
        char *answer = NULL;
        const long before = oom_live_blocks;
        oom_has_failed = false;
        oom_fail_in = n;
        const int code = ask(question, text, &answer);
        oom_fail_in = -1;
        const bool is_same = code == expected_code && (code != 0 || strcmp(answer, expected) == 0);
        joulie_free(answer);
        if (!oom_has_failed)
            break;
        totals->failures++;
        if (code != JOULIE_E_NOMEM && !is_same)
            complain(totals, question, n, joulie_code_word(code), text);
        if (oom_live_blocks != before)
            complain(totals, question, n, "memory was not released", text);
    }
    joulie_free(expected);
}

/* The first cases of each question in the file, and the same document as YAML. */
static void try_file(const char *file, size_t per_question, struct totals *totals)
{
    struct json_object *root = json_object_from_file(file);
    struct json_object *cases = root ? json_object_object_get(root, "cases") : NULL;
    const size_t count = cases ? json_object_array_length(cases) : 0;
    const char *last = "";
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        struct json_object *test = json_object_array_get_idx(cases, i);
        const char *question = json_object_get_string(json_object_object_get(test, "question"));
        const char *text = json_object_to_json_string_ext(json_object_object_get(test, "in"),
                                                          JSON_C_TO_STRING_PLAIN);
        taken = strcmp(question, last) == 0 ? taken + 1 : 0;
        last = question;
        if (taken >= per_question)
            continue;
        try_document(question, text, totals);
        char *yaml = NULL;
        if (taken == 0 && joulie_format(text, strlen(text), JOULIE_FORM_YAML, &yaml, NULL) == 0)
            try_document(question, yaml, totals);
        joulie_free(yaml);
    }
    json_object_put(root);
}

/* Many labels, which are read through an index, escapes, anchors, options. */
static void try_ways_of_reading(struct totals *totals)
{
    char text[4096];
    size_t len =
        (size_t)snprintf(text, sizeof text,
                         "{\"selector\":\"k7\",\"opt\\u0069ons\":{\"lenient\":true},\"labels\":{");
    for (int i = 0; i < 40; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s\"k\\u003%d%d\":\"v\"",
                                i > 0 ? "," : "", i % 10, i);
    snprintf(text + len, sizeof text - len, ",\"k\\u00300\":null}}");
    try_document("selector.match", text, totals);
    try_document("diff", "old: &a {b: &b [x, y], c: *b}\nnew: {d: *a, e: *b}\n", totals);
    try_document("predict", "{\"spec\":{\"sp\\u0065c\":{\"nodeName\":\"n\",\"profile\":\"eco\"}}}",
                 totals);
}

int main(int argc, char **argv)
{
    const size_t per_question = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    struct totals totals = { 0 };
    for (int i = 2; i < argc; i++)
        try_file(argv[i], per_question, &totals);
    try_ways_of_reading(&totals);
    printf("oom: %zu documents, %zu failed allocations, %zu wrong\n", totals.documents,
           totals.failures, totals.wrong);
    return totals.wrong > 0 || totals.failures == 0;
}
