/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Targets of requests: what is accepted has a path, and segments and pairs that are UTF-8. Escaping
 * a segment and taking it apart again gives the segment.
 */

#include <string.h>

#include <joulie/error.h>

#include "base/buffer.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "runtime/http_target.h"

static void put_escaped(struct jl_buffer *out, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        jl_put_char(out, '%');
        jl_put_char(out, digits[byte >> 4]);
        jl_put_char(out, digits[byte & 15]);
    }
}

static void require_same_again(const struct jd_target *target)
{
    struct jl_buffer text = { 0 };
    struct jd_target again = { 0 };
    for (size_t i = 0; i < target->segment_count; i++) {
        jl_put_char(&text, '/');
        put_escaped(&text, target->segments[i]);
    }
    jl_put_string(&text, "/?");
    for (size_t i = 0; i < target->query_count; i++) {
        put_escaped(&text, target->query[i].key);
        jl_put_char(&text, '=');
        put_escaped(&text, target->query[i].value);
        jl_put_char(&text, '&');
    }
    FUZZ_REQUIRE(jd_target_parse(&again, text.data) == 0);
    FUZZ_REQUIRE(again.segment_count == target->segment_count);
    for (size_t i = 0; i < target->segment_count; i++)
        FUZZ_REQUIRE(jl_same(again.segments[i], target->segments[i]));
    jd_target_clear(&again);
    jl_buffer_clear(&text);
}

static void require_text(const char *text)
{
    FUZZ_REQUIRE(jl_utf8_valid(text, strlen(text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jl_buffer text = { 0 };
    struct jd_target target = { 0 };
    jl_put(&text, (const char *)data, size);
    jl_put_char(&text, '\0');
    const int rc = jd_target_parse(&target, text.data);
    FUZZ_REQUIRE(rc == 0 || rc == JOULIE_E_PARSE);
    if (rc == 0) {
        FUZZ_REQUIRE(target.path[0] == '/' && !strchr(target.path, '?'));
        for (size_t i = 0; i < target.segment_count; i++)
            require_text(target.segments[i]);
        for (size_t i = 0; i < target.query_count; i++) {
            require_text(target.query[i].key);
            require_text(target.query[i].value);
        }
        require_same_again(&target);
    }
    jd_target_clear(&target);
    jl_buffer_clear(&text);
    return 0;
}
