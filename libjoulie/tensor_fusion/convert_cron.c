/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Schedules in the grammar that operators of C read: no Sunday 7, no words such as @daily
 * (docs/rules/conversion.md#cron-schedules).
 */

#include <joulie/error.h>

#include "base/error.h"
#include "cron/cron.h"
#include "tensor_fusion/convert_parts.h"
#include "tensor_fusion/dialect_texts.h"

#define FIELDS 5

/* The next word between white space; empty at the end. */
static struct jl_text next_word(struct jl_text *rest)
{
    size_t len = 0;
    *rest = jl_text_trim(*rest);
    while (len < rest->len && !jl_is_space(rest->ptr[len]))
        len++;
    const struct jl_text word = { rest->ptr, len };
    *rest = (struct jl_text){ rest->ptr + len, rest->len - len };
    return word;
}

static void put_word(struct jl_buffer *out, struct jl_text word)
{
    if (out->len > 0)
        jl_put_char(out, ' ');
    jl_put(out, word.ptr, word.len);
}

/* A field by its values: a star, all of them without a star, or a list. */
static void put_values(struct jl_buffer *out, uint64_t bits, unsigned least, unsigned most,
                       bool is_any)
{
    const uint64_t all = ((UINT64_C(1) << most) - (UINT64_C(1) << least)) | UINT64_C(1) << most;
    const char *separator = out->len > 0 ? " " : "";
    if (is_any || bits == all) {
        jl_put_string(out, separator);
        if (!is_any)
            jl_put_u64(out, least);
        jl_put_string(out, is_any ? "*" : "-");
        if (!is_any)
            jl_put_u64(out, most);
        return;
    }
    for (unsigned value = least; value <= most; value++) {
        if (!(bits >> value & 1))
            continue;
        jl_put_string(out, separator);
        jl_put_u64(out, value);
        separator = ",";
    }
}

static void put_weekdays(struct jl_buffer *out, const struct jl_cron *cron)
{
    put_values(out, cron->weekdays, 0, 6, cron->is_any_weekday);
}

/* The five fields of a word; no word has a stepped star. */
static void put_fields(struct jl_buffer *out, const struct jl_cron *cron)
{
    put_values(out, cron->minutes, 0, 59, false);
    put_values(out, cron->hours, 0, 23, cron->hours == 0xffffff);
    put_values(out, cron->days, 1, 31, cron->is_any_day);
    put_values(out, cron->months, 1, 12, cron->months == 0x1ffe);
    put_weekdays(out, cron);
}

static void put_schedule(struct jl_buffer *out, struct jl_text text, const struct jl_cron *cron)
{
    struct jl_text word = next_word(&text);
    if (jl_text_find(word, '=') < word.len) {
        put_word(out, word); /* the time zone */
        word = next_word(&text);
    }
    if (word.len > 0 && word.ptr[0] == '@') {
        put_fields(out, cron);
        return;
    }
    for (int i = 0; i < FIELDS - 1; i++) {
        put_word(out, word);
        word = next_word(&text);
    }
    put_weekdays(out, cron);
}

const char *jl_convert_cron_text(struct jl_conversion *c, const char *text)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer out = { 0 };
    struct jl_cron cron;
    const struct jl_text given = jl_text(text);
    if (!jl_dialect_is_late_cron(given) || jl_cron_parse(given.ptr, given.len, &cron, NULL) < 0)
        return text;
    put_schedule(&out, given, &cron);
    const char *copy = out.is_failed ? NULL : jl_arena_copy(c->arena, out.data, out.len);
    if (!copy)
        jl_convert_fail_memory(c);
    return copy;
}
