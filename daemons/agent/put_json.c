/* SPDX-License-Identifier: Apache-2.0 */

/* Small writings of JSON that the files of the agent share: members of requests, numbers
 * as the library prints them. */

#include "agent/put_json.h"

#include <string.h>

#include "base/number.h"
#include "base/time.h"

struct json_object *jd_json_copy(struct json_object *tree)
{
    struct json_object *copy = NULL;
    return json_object_deep_copy(tree, &copy, NULL) == 0 ? copy : NULL;
}

struct json_object *jd_json_double(double number)
{
    char text[JL_DOUBLE_TEXT];
    const size_t len = jl_format_double(number, text);
    (void)len;
    return json_object_new_double_s(number, text);
}

void jd_json_put_key(struct jl_buffer *out, const char *key)
{
    if (out->len > 0 && out->data[out->len - 1] != '{')
        jl_put_char(out, ',');
    jl_put_json_string(out, key, strlen(key));
    jl_put_char(out, ':');
}

void jd_json_put_text(struct jl_buffer *out, const char *key, const char *text)
{
    jd_json_put_key(out, key);
    jl_put_json_string(out, text, strlen(text));
}

void jd_json_put_number(struct jl_buffer *out, const char *key, double number)
{
    jd_json_put_key(out, key);
    jl_put_double(out, number);
}

void jd_json_put_time(struct jl_buffer *out, const char *key, int64_t at_ms)
{
    char text[JL_TIME_TEXT];
    jl_format_time(at_ms, text);
    jd_json_put_text(out, key, text);
}
