/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A stream of a watch: any bytes are cut into the same lines however they come; what is read of a
 * frame and of the metadata of an object is UTF-8 and stays the same when the object gets its kind;
 * what is JSON is never refused; an error is one line of text.
 */

#include <string.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "kube/frames.h"
#include "kube/meta.h"
#include "kube/seen.h"
#include "kube/status.h"
#include "kubernetes/watch.h"
#include "schema/decode.h"

struct lines {
    uint64_t hash;
    size_t count;
    void (*look)(struct jl_text line);
};

static bool take(void *user, struct jl_text line)
{
    struct lines *lines = user;
    FUZZ_REQUIRE(line.len > 0 && !memchr(line.ptr, '\n', line.len));
    lines->hash = lines->hash * 31 + jl_hash(line.ptr, line.len);
    lines->count++;
    if (lines->look)
        lines->look(line);
    return true;
}

static struct lines cut(const char *text, size_t len, size_t step,
                        void (*look)(struct jl_text line))
{
    struct jd_frames frames = { 0 };
    struct lines lines = { .look = look };
    for (size_t at = 0; at < len; at += step) {
        const size_t piece = len - at < step ? len - at : step;
        FUZZ_REQUIRE(jd_frames_feed(&frames, text + at, piece, take, &lines) == JD_FRAMES_MORE);
    }
    jd_frames_clear(&frames);
    return lines;
}

static void require_text(struct jl_text text)
{
    FUZZ_REQUIRE(text.len == 0 || jl_utf8_valid(text.ptr, text.len));
}

static bool is_json_object(struct jl_text text)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jl_decode decode = { .arena = &arena, .text = text.ptr, .len = text.len, .err = &err };
    return text.ptr[0] == '{' && jl_check_json(&decode) == 0;
}

static bool has_nul(struct jl_text text)
{
    for (size_t i = 0; i + 6 <= text.len; i++) {
        if (memcmp(text.ptr + i, "\\u0000", 6) == 0)
            return true;
    }
    return false;
}

static bool is_same(struct jl_text a, struct jl_text b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static void check_typed(struct jl_text object, const struct jd_meta *meta)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    struct jd_meta again;
    jd_put_typed(&out, object, meta, "joulie.io/v1alpha1", "NodeTwin");
    FUZZ_REQUIRE(jd_meta_read((struct jl_text){ out.data, out.len }, &arena, &again) == 0);
    FUZZ_REQUIRE(is_same(again.name, meta->name) && is_same(again.uid, meta->uid));
    FUZZ_REQUIRE(is_same(again.version, meta->version));
    FUZZ_REQUIRE(is_same(again.name_space, meta->name_space));
    FUZZ_REQUIRE(again.api_version.len > 0 && again.kind.len > 0);
}

static void check_seen(const struct jd_meta *meta)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer key = { 0 };
    struct jd_seen seen = { 0 };
    jd_put_key(&key, meta->name_space, meta->name);
    if (key.len > 0) {
        const struct jl_text none = { "", 0 };
        FUZZ_REQUIRE(jd_seen_put(&seen, key.data, meta->uid, none, 1) == 0);
        FUZZ_REQUIRE(jd_seen_put(&seen, "other/x", meta->uid, none, 1) == 0);
        FUZZ_REQUIRE(jd_seen_put(&seen, key.data, meta->uid, meta->version, 2) == 0);
        struct jd_seen_item *item = jd_seen_find(&seen, key.data);
        FUZZ_REQUIRE(item && jl_text_is(meta->uid, item->uid));
        FUZZ_REQUIRE(jl_text_is(meta->version, item->version) && item->round == 2);
        jd_seen_remove(&seen, item);
        FUZZ_REQUIRE(!jd_seen_find(&seen, key.data) || strcmp(key.data, "other/x") == 0);
    }
    jd_seen_clear(&seen);
}

static void check_object(struct jl_text object)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jd_meta meta;
    const int rc = jd_meta_read(object, &arena, &meta);
    FUZZ_REQUIRE(rc == 0 || (rc == JOULIE_E_PARSE && (!is_json_object(object) || has_nul(object))));
    if (rc < 0)
        return;
    const struct jl_text texts[] = { meta.api_version, meta.kind, meta.name,   meta.name_space,
                                     meta.uid,         meta.more, meta.version };
    for (size_t i = 0; i < JL_COUNT(texts); i++)
        require_text(texts[i]);
    if (meta.items.ptr) {
        struct jd_scan scan = jd_scan_open(meta.items, '[');
        struct jl_text item;
        while (jd_scan_item(&scan, &item))
            FUZZ_REQUIRE(item.ptr >= object.ptr && item.ptr + item.len <= object.ptr + object.len);
    }
    if (meta.name.len == 0)
        return;
    check_typed(object, &meta);
    check_seen(&meta);
}

static void check_status(struct jl_text text)
{
    struct jd_status status;
    jd_status_read(text.ptr, text.len, &status);
    FUZZ_REQUIRE(memchr(status.message, 0, sizeof status.message));
    FUZZ_REQUIRE(memchr(status.reason, 0, sizeof status.reason));
    require_text(jl_text(status.message));
    require_text(jl_text(status.reason));
    FUZZ_REQUIRE(!strchr(status.message, '\n'));
}

static void check_line(struct jl_text line)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    struct jd_frame frame;
    check_object(line);
    check_status(line);
    if (jd_frame_read(line, &arena, &frame) < 0)
        return;
    require_text(frame.type);
    FUZZ_REQUIRE(frame.object.ptr[0] == '{');
    check_object(frame.object);
    check_status(frame.object);
}

/* Two versions: never both older than the other, and none older than itself. */
static void check_order(const char *text, size_t len)
{
    JL_CLEANUP(jl_arena_clear) struct jl_arena arena = { 0 };
    const size_t half = len / 2;
    const char *a = jl_arena_copy(&arena, text, half);
    const char *b = jl_arena_copy(&arena, text + half, len - half);
    FUZZ_REQUIRE(a && b);
    FUZZ_REQUIRE(!jl_version_is_older(a, a));
    FUZZ_REQUIRE(!jl_version_is_older(a, b) || !jl_version_is_older(b, a));
    if (jl_version_is_orderable(a) && jl_version_is_orderable(b) && strcmp(a, b) != 0)
        FUZZ_REQUIRE(jl_version_is_older(a, b) || jl_version_is_older(b, a));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    if (size == 0)
        return 0;
    const struct lines whole = cut(text, size, size, check_line);
    const size_t steps[] = { 1, 7, 1 + data[0] };
    for (size_t i = 0; i < JL_COUNT(steps); i++) {
        const struct lines pieces = cut(text, size, steps[i], NULL);
        FUZZ_REQUIRE(pieces.count == whole.count && pieces.hash == whole.hash);
    }
    check_order(text, size);
    return 0;
}
