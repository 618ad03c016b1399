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

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *memory);

static long fail_in = -1; /* allocations until the one that fails; negative = none fails */
static bool has_failed;
static long live;

static bool must_fail(void)
{
    if (fail_in < 0 || fail_in-- > 0)
        return false;
    has_failed = true;
    return true;
}

void *malloc(size_t size)
{
    void *memory = must_fail() ? NULL : __libc_malloc(size);
    live += memory != NULL;
    return memory;
}

void *calloc(size_t count, size_t size)
{
    void *memory = must_fail() ? NULL : __libc_calloc(count, size);
    live += memory != NULL;
    return memory;
}

void *realloc(void *old, size_t size)
{
    if (must_fail())
        return NULL;
    void *memory = __libc_realloc(old, size);
    live += memory != NULL && old == NULL;
    return memory;
}

void free(void *memory)
{
    live -= memory != NULL;
    __libc_free(memory);
}

struct totals {
    size_t documents;
    size_t failures; /* injected */
    size_t wrong;
};

static int ask(const char *question, const char *text, char **answer)
{
    struct joulie_error err = { .struct_size = sizeof err };
    return joulie_ask(question, text, strlen(text), NULL, answer, &err);
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
        const long before = live;
        has_failed = false;
        fail_in = n;
        const int code = ask(question, text, &answer);
        fail_in = -1;
        const bool is_same = code == expected_code && (code != 0 || strcmp(answer, expected) == 0);
        joulie_free(answer);
        if (!has_failed)
            break;
        totals->failures++;
        if (code != JOULIE_E_NOMEM && !is_same)
            complain(totals, question, n, joulie_code_word(code), text);
        if (live != before)
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

int main(int argc, char **argv)
{
    const size_t per_question = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    struct totals totals = { 0 };
    for (int i = 2; i < argc; i++)
        try_file(argv[i], per_question, &totals);
    printf("oom: %zu documents, %zu failed allocations, %zu wrong\n", totals.documents,
           totals.failures, totals.wrong);
    return totals.wrong > 0 || totals.failures == 0;
}
