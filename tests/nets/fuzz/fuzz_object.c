/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Objects: the first line is a path, the second a value, the rest a document. What is printed reads
 * back as the same text, getters and setters leave a whole object behind, and a setter that fails
 * has changed nothing.
 */

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <joulie/v1alpha1.h>

#include "fuzz/fuzz.h"

#define LONGEST 2048 /* of a path and of a value */

static bool is_documented(int rc)
{
    return rc <= 1 && rc != JOULIE_E_INTERNAL && rc != JOULIE_E_NOMEM &&
           rc >= JOULIE_E_CONFLICT - 1;
}

static char *print(const struct joulie_object *object, enum joulie_form form)
{
    char *text = NULL;
    FUZZ_REQUIRE(joulie_object_print(object, form, &text, NULL) == JOULIE_OK);
    return text;
}

/* To be freed with joulie_free(). */
static char *require_round_trip(const struct joulie_object *object)
{
    char *line = print(object, JOULIE_FORM_LINE);
    for (int form = JOULIE_FORM_LINE; form <= JOULIE_FORM_YAML; form++) {
        struct joulie_object *again = NULL;
        char *text = print(object, (enum joulie_form)form);
        FUZZ_REQUIRE(joulie_object_parse(text, strlen(text), NULL, JOULIE_OBJECT_LENIENT, &again,
                                         NULL) == JOULIE_OK);
        char *same = print(again, JOULIE_FORM_LINE);
        FUZZ_REQUIRE(strcmp(same, line) == 0);
        joulie_free(same);
        joulie_free(text);
        joulie_object_free(again);
    }
    return line;
}

static void read_all(const struct joulie_object *object, const char *path)
{
    struct joulie_v1alpha1_node_twin_spec spec = JOULIE_INIT(struct joulie_v1alpha1_node_twin_spec);
    struct joulie_v1alpha1_node_twin_status status =
        JOULIE_INIT(struct joulie_v1alpha1_node_twin_status);
    struct joulie_v1alpha1_node_hardware hardware =
        JOULIE_INIT(struct joulie_v1alpha1_node_hardware);
    struct joulie_v1alpha1_workload_profile profile =
        JOULIE_INIT(struct joulie_v1alpha1_workload_profile);
    double number = 0;
    int64_t integer;
    int32_t flag = 0;
    const char *text = "";
    size_t count;
    FUZZ_REQUIRE(is_documented(joulie_object_get_number(object, path, &number, NULL)));
    FUZZ_REQUIRE(isfinite(number));
    FUZZ_REQUIRE(is_documented(joulie_object_get_integer(object, path, &integer, NULL)));
    FUZZ_REQUIRE(is_documented(joulie_object_get_bool(object, path, &flag, NULL)));
    FUZZ_REQUIRE(flag == 0 || flag == 1);
    FUZZ_REQUIRE(is_documented(joulie_object_get_text(object, path, &text, NULL)));
    FUZZ_REQUIRE(text != NULL);
    FUZZ_REQUIRE(is_documented(joulie_object_count(object, path, &count, NULL)));
    FUZZ_REQUIRE(is_documented(joulie_v1alpha1_get_node_twin_spec(object, &spec, NULL)));
    FUZZ_REQUIRE(is_documented(joulie_v1alpha1_get_node_twin_status(object, &status, NULL)));
    FUZZ_REQUIRE(is_documented(joulie_v1alpha1_get_node_hardware(object, &hardware, NULL)));
    FUZZ_REQUIRE(is_documented(joulie_v1alpha1_get_workload_profile(object, &profile, NULL)));
}

/* The whole object is as before after a failure; a text that was set is there. */
static void set_all(struct joulie_object *object, const char *path, const char *value)
{
    char *before = require_round_trip(object);
    int rc[4] = { joulie_object_set_number(object, path, strtod(value, NULL), NULL),
                  joulie_object_set_integer(object, path, strtoll(value, NULL, 10), NULL),
                  joulie_object_set_bool(object, path, value[0] & 1, NULL),
                  joulie_object_set_text(object, path, value, NULL) };
    bool is_changed = false;
    for (size_t i = 0; i < 4; i++) {
        FUZZ_REQUIRE(is_documented(rc[i]));
        is_changed = is_changed || rc[i] == JOULIE_OK;
    }
    char *after = require_round_trip(object);
    FUZZ_REQUIRE(is_changed || strcmp(before, after) == 0);
    const char *text = NULL;
    if (rc[3] == JOULIE_OK)
        FUZZ_REQUIRE(joulie_object_get_text(object, path, &text, NULL) == 1 &&
                     strcmp(text, value) == 0);
    joulie_free(before);
    joulie_free(after);
}

/* The difference to what it was makes it that again. */
static void patch(struct joulie_object *object, const struct joulie_object *original,
                  const char *value)
{
    char *way_back = NULL;
    FUZZ_REQUIRE(is_documented(
        joulie_object_patch(object, value, strlen(value), JOULIE_OBJECT_LENIENT, NULL)));
    FUZZ_REQUIRE(joulie_object_diff(object, original, &way_back, NULL) == JOULIE_OK);
    FUZZ_REQUIRE(joulie_object_patch(object, way_back, strlen(way_back), JOULIE_OBJECT_LENIENT,
                                     NULL) == JOULIE_OK);
    joulie_free(way_back);
    FUZZ_REQUIRE(joulie_object_diff(object, original, &way_back, NULL) == JOULIE_OK);
    FUZZ_REQUIRE(strcmp(way_back, "{}") == 0);
    joulie_free(way_back);
}

/* A line of the input as text that ends in NUL; what is behind it. */
static size_t take_line(const uint8_t *data, size_t size, char out[LONGEST])
{
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    const size_t len = end ? (size_t)(end - data) : size;
    const size_t kept = len < LONGEST ? len : LONGEST - 1;
    if (kept > 0)
        memcpy(out, data, kept);
    out[kept] = '\0';
    return end ? len + 1 : len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[LONGEST];
    static char value[LONGEST];
    struct joulie_object *object = NULL;
    struct joulie_object *original = NULL;
    size_t at = take_line(data, size, path);
    at += take_line(data + at, size - at, value);
    const char *text = (const char *)data + at;
    if (joulie_object_parse(text, size - at, NULL, 0, &object, NULL) == JOULIE_OK)
        FUZZ_REQUIRE(joulie_object_validate(object, NULL) == JOULIE_OK);
    joulie_object_free(object);
    object = NULL;
    if (joulie_object_parse(text, size - at, NULL, JOULIE_OBJECT_LENIENT, &object, NULL) < 0)
        return 0;
    FUZZ_REQUIRE(is_documented(joulie_object_validate(object, NULL)));
    FUZZ_REQUIRE(joulie_object_copy(object, &original, NULL) == JOULIE_OK);
    read_all(object, path);
    set_all(object, path, value);
    read_all(object, path);
    patch(object, original, value);
    FUZZ_REQUIRE(is_documented(joulie_object_unset(object, path, NULL)));
    joulie_free(require_round_trip(object));
    joulie_object_free(original);
    joulie_object_free(object);
    return 0;
}
