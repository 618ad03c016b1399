/* SPDX-License-Identifier: Apache-2.0 */
#include <json-c/json.h>
#include <string.h>

#include <joulie/ask.h>

#include "base/random.h"
#include "same/answers.h"
#include "support/zoneinfo.h"

/* Near the number, far from it, or at an end: rules have steps, and rounding shows beside them. */
static double changed(double value, struct jl_random *random)
{
    switch (jl_random_int(random, 0, 5)) {
    case 0:
        return value * jl_random_range(random, 0.5, 2);
    case 1:
        return value * (1 + jl_random_range(random, -1e-15, 1e-15));
    case 2:
        return value + jl_random_range(random, -1, 1);
    case 3:
        return jl_random_range(random, 0, 100);
    case 4:
        return jl_random_range(random, 0, 1);
    default:
        return value * jl_random_range(random, 1e-3, 1e3);
    }
}

static struct json_object *changed_number(struct json_object *value, struct jl_random *random)
{
    const double number = changed(json_object_get_double(value), random);
    if (json_object_is_type(value, json_type_int) && jl_random_int(random, 0, 3) > 0)
        return number > -9e15 && number < 9e15 ? json_object_new_int64((int64_t)number)
                                               : json_object_get(value);
    return json_object_new_double(number);
}

/* The value again with every third number another one. */
static struct json_object *variant_of(struct json_object *value, struct jl_random *random)
{
    struct json_object *copy;
    switch (json_object_get_type(value)) {
    case json_type_object:
        copy = json_object_new_object();
        json_object_object_foreach(value, key, member)
        {
            json_object_object_add(copy, key, variant_of(member, random));
        }
        return copy;
    case json_type_array:
        copy = json_object_new_array();
        for (size_t i = 0; i < json_object_array_length(value); i++)
            json_object_array_add(copy, variant_of(json_object_array_get_idx(value, i), random));
        return copy;
    case json_type_int:
    case json_type_double:
        if (jl_random_int(random, 0, 2) == 0)
            return changed_number(value, random);
        return json_object_get(value);
    case json_type_null:
    case json_type_boolean:
    case json_type_string:
    default:
        return json_object_get(value);
    }
}

static void ask(FILE *out, const char *name, const char *question, struct json_object *input)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *text = json_object_to_json_string_ext(input, JSON_C_TO_STRING_PLAIN);
    char *answer = NULL;
    const struct joulie_ask_options options = { .struct_size = sizeof options,
                                                .find_zone = recorded_zone };
    const int rc = joulie_ask(question, text, strlen(text), &options, &answer, &err);
    if (rc == JOULIE_OK)
        write_text(out, name, answer);
    else
        write_error(out, name, rc, &err);
    joulie_free(answer);
}

void write_vector_answers(FILE *out, const char *file, uint64_t seed, int variants)
{
    struct json_object *root = json_object_from_file(file);
    struct json_object *cases = json_object_object_get(root, "cases");
    const char *slash = strrchr(file, '/');
    struct jl_random random = { seed };
    for (size_t i = 0; cases && i < json_object_array_length(cases); i++) {
        struct json_object *test = json_object_array_get_idx(cases, i);
        const char *id = json_object_get_string(json_object_object_get(test, "id"));
        const char *question = json_object_get_string(json_object_object_get(test, "question"));
        for (int k = 0; k < variants; k++) {
            char name[256];
            struct json_object *input = variant_of(json_object_object_get(test, "in"), &random);
            snprintf(name, sizeof name, "%s\t%s\t%d", slash ? slash + 1 : file, id, k);
            ask(out, name, question, input);
            json_object_put(input);
        }
    }
    json_object_put(root);
}
