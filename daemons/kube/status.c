/* SPDX-License-Identifier: Apache-2.0 */

/* An error of the API server out of a Status object or plain text (docs/rules/clients.md#retries).
 */

#include "kube/status.h"

#include <json-c/json.h>
#include <string.h>

#include "base/text.h"
#include "kubernetes/retry.h"
#include "kubernetes/watch.h"
#include "runtime/json.h"

#define OLD_TOO_LARGE "Too large resource version" /* of servers without the cause */
#define STATUS_LIMIT ((size_t)1 << 20)             /* more than any error needs */

/* One line of UTF-8 that fits. */
static void set_line(char *out, size_t size, const char *text, size_t len)
{
    len = len < size ? len : size - 1;
    if (len > 0)
        memcpy(out, text, len);
    len = jl_utf8_keep(out, len);
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)out[i] < ' ' || out[i] == 0x7f)
            out[i] = ' ';
    }
    const struct jl_text line = jl_text_trim((struct jl_text){ out, len });
    if (line.len > 0)
        memmove(out, line.ptr, line.len);
    out[line.len] = '\0';
}

static struct json_object *member(struct json_object *object, const char *key, enum json_type type)
{
    struct json_object *value = jd_json_at(object, key);
    return json_object_is_type(value, type) ? value : NULL;
}

static void set_member(char *out, size_t size, struct json_object *object, const char *key)
{
    struct json_object *value = member(object, key, json_type_string);
    if (value)
        set_line(out, size, json_object_get_string(value),
                 (size_t)json_object_get_string_len(value));
}

static bool has_cause(struct json_object *details, const char *word)
{
    struct json_object *causes = member(details, "causes", json_type_array);
    const size_t count = causes ? json_object_array_length(causes) : 0;
    for (size_t i = 0; i < count; i++) {
        struct json_object *reason =
            member(json_object_array_get_idx(causes, i), "reason", json_type_string);
        if (reason && jl_same(json_object_get_string(reason), word))
            return true;
    }
    return false;
}

static void read_details(struct json_object *details, struct jd_status *out)
{
    struct json_object *name = member(details, "name", json_type_string);
    struct json_object *wait = member(details, "retryAfterSeconds", json_type_int);
    out->has_object_name = name && json_object_get_string_len(name) > 0;
    if (wait && json_object_get_int64(wait) > 0)
        out->retry_after_s = (double)json_object_get_int64(wait);
    out->is_version_too_large = has_cause(details, JL_VERSION_TOO_LARGE);
}

void jd_status_read(const char *body, size_t len, struct jd_status *out)
{
    *out = (struct jd_status){ .retry_after_s = JL_NO_RETRY_AFTER };
    JL_CLEANUP(jd_json_freep)
    struct json_object *object = len > 0 && len <= STATUS_LIMIT ? jd_json_parse(body, len) : NULL;
    struct json_object *kind = member(object, "kind", json_type_string);
    if (!kind || !jl_same(json_object_get_string(kind), "Status")) {
        set_line(out->message, sizeof out->message, body, len);
        return;
    }
    struct json_object *code = member(object, "code", json_type_int);
    out->code = code ? json_object_get_int64(code) : 0;
    set_member(out->reason, sizeof out->reason, object, "reason");
    set_member(out->message, sizeof out->message, object, "message");
    read_details(member(object, "details", json_type_object), out);
    out->is_version_too_large |= strstr(out->message, OLD_TOO_LARGE) != NULL;
}
