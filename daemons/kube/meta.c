/* SPDX-License-Identifier: Apache-2.0 */

/* What the machinery reads of an object or a list without keeping it: type, name, uid, version,
 * and the items of a page. */

#include "kube/meta.h"

#include <string.h>

#include <joulie/error.h>

#include "runtime/json.h"

struct wanted {
    const char *key;
    struct jl_text *out;
};

/* Texts of the members that are wanted; others are passed over. A second one of a name wins. */
static int read_texts(struct jl_text object, struct jl_arena *arena, const struct wanted *wanted,
                      size_t count)
{
    struct jd_scan scan = jd_scan_open(object, '{');
    struct jl_text key;
    struct jl_text value;
    while (jd_scan_member(&scan, &key, &value)) {
        for (size_t i = 0; i < count; i++) {
            const int rc =
                jl_text_is(key, wanted[i].key) ? jd_scan_text(value, arena, wanted[i].out) : 0;
            if (rc < 0)
                return rc;
        }
    }
    return jd_scan_is_whole(&scan) ? 0 : JOULIE_E_PARSE;
}

static int read_metadata(struct jl_text object, struct jl_arena *arena, struct jd_meta *out)
{
    const struct wanted wanted[] = {
        { "name", &out->name },     { "namespace", &out->name_space },
        { "uid", &out->uid },       { "resourceVersion", &out->version },
        { "continue", &out->more },
    };
    return read_texts(object, arena, wanted, JL_COUNT(wanted));
}

int jd_meta_read(struct jl_text text, struct jl_arena *arena, struct jd_meta *out)
{
    struct jd_scan scan = jd_scan_open(text, '{');
    struct jl_text key;
    struct jl_text value;
    *out = (struct jd_meta){ 0 };
    while (jd_scan_member(&scan, &key, &value)) {
        int rc = 0;
        if (jl_text_is(key, "apiVersion"))
            rc = jd_scan_text(value, arena, &out->api_version);
        else if (jl_text_is(key, "kind"))
            rc = jd_scan_text(value, arena, &out->kind);
        else if (jl_text_is(key, "metadata") && *value.ptr == '{')
            rc = read_metadata(value, arena, out);
        else if (jl_text_is(key, "items") && *value.ptr == '[')
            out->items = value;
        if (rc < 0)
            return rc;
    }
    return jd_scan_is_whole(&scan) ? 0 : JOULIE_E_PARSE;
}

int jd_frame_read(struct jl_text text, struct jl_arena *arena, struct jd_frame *out)
{
    struct jd_scan scan = jd_scan_open(text, '{');
    struct jl_text key;
    struct jl_text value;
    *out = (struct jd_frame){ 0 };
    while (jd_scan_member(&scan, &key, &value)) {
        const int rc = jl_text_is(key, "type") ? jd_scan_text(value, arena, &out->type) : 0;
        if (rc < 0)
            return rc;
        if (jl_text_is(key, "object") && *value.ptr == '{')
            out->object = value;
    }
    return jd_scan_is_whole(&scan) && out->type.len > 0 && out->object.ptr ? 0 : JOULIE_E_PARSE;
}

/* It is there and says nothing. */
static bool is_silent(struct jl_text text)
{
    return text.ptr && text.len == 0;
}

/* The members from behind the brace to the end, without those that are there but say nothing: the
 * later of two members of a name would win. */
static void put_others(struct jl_buffer *out, struct jl_text object, const struct jd_meta *meta)
{
    struct jd_scan scan = jd_scan_open(object, '{');
    struct jl_text key;
    struct jl_text value;
    bool is_later = false;
    while (jd_scan_member(&scan, &key, &value)) {
        if ((meta->api_version.len == 0 && jl_text_is(key, "apiVersion")) ||
            (meta->kind.len == 0 && jl_text_is(key, "kind")))
            continue;
        if (is_later)
            jl_put_char(out, ',');
        is_later = true;
        jl_put(out, key.ptr - 1, (size_t)(value.ptr + value.len - (key.ptr - 1)));
    }
    jl_put_char(out, '}');
}

void jd_put_typed(struct jl_buffer *out, struct jl_text object, const struct jd_meta *meta,
                  const char *api_version, const char *kind)
{
    if (meta->api_version.len > 0 && meta->kind.len > 0) {
        jl_put(out, object.ptr, object.len);
        return;
    }
    /* it has other members: an object without a name is not handed over */
    jl_put_char(out, '{');
    if (meta->api_version.len == 0)
        jd_json_put_text(out, "apiVersion", api_version);
    if (meta->kind.len == 0)
        jd_json_put_text(out, "kind", kind);
    jl_put_char(out, ',');
    if (is_silent(meta->api_version) || is_silent(meta->kind))
        put_others(out, object, meta);
    else
        jl_put(out, object.ptr + 1, object.len - 1);
}
