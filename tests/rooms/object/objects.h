/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Objects from JSON text, and what they print, for the tests of this folder. */

#include <string.h>

#include <joulie/object.h>
#include <joulie/v1alpha1.h>

#include "support/test.h"

#define HEAD "\"apiVersion\":\"joulie.io/v1alpha1\",\"kind\":\"NodeTwin\""

static inline struct joulie_object *object_of(const char *text, uint32_t flags)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_object *object = NULL;
    if (joulie_object_parse(text, strlen(text), NULL, flags, &object, &err) != JOULIE_OK)
        fail_msg("%s: %s", err.where, err.message);
    return object;
}

/* To be freed with joulie_free(). */
static inline char *line_of(const struct joulie_object *object)
{
    char *text = NULL;
    assert_int_equal(joulie_object_print(object, JOULIE_FORM_LINE, &text, NULL), JOULIE_OK);
    return text;
}

static inline void assert_line(const struct joulie_object *object, const char *expected)
{
    char *text = line_of(object);
    assert_string_equal(text, expected);
    joulie_free(text);
}
