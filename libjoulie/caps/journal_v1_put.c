/* SPDX-License-Identifier: Apache-2.0 */

/* Lines of the journal of versions 0.1 and 0.2, for the question journal: this release writes none
 * (docs/rules/enforcement.md#version-1). */

#include <string.h>

#include "base/time.h"
#include "caps/journal_v1.h"

static void put_key(struct jl_buffer *out, const char *name)
{
    jl_put_string(out, ",\"");
    jl_put_string(out, name);
    jl_put_string(out, "\":");
}

static void put_text(struct jl_buffer *out, const char *name, const char *text)
{
    put_key(out, name);
    jl_put_json_string(out, text, strlen(text));
}

static void put_u64(struct jl_buffer *out, const char *name, uint64_t value)
{
    put_key(out, name);
    jl_put_u64(out, value);
}

static void put_baseline(struct jl_buffer *out, const struct jl_journal_record *record)
{
    const char *unit = jl_word_of(&jl_journal_unit_words, (int)record->unit);
    put_u64(out, "value", record->value);
    if (unit != NULL)
        put_text(out, "unit", unit);
    if (record->has_enabled) {
        put_key(out, "enabled");
        jl_put_string(out, record->enabled ? "true" : "false");
    }
    if (record->owner != NULL)
        put_text(out, "owner", record->owner);
}

static void put_json(struct jl_buffer *out, const struct jl_journal_record *record)
{
    const char *op = jl_word_of(&jl_journal_op_words, (int)record->op);
    char at[JL_TIME_TEXT];
    jl_format_time(record->at_ms, at);
    jl_put_string(out, "{\"op\":\"");
    jl_put_string(out, op != NULL ? op : "");
    jl_put_char(out, '"');
    put_text(out, "key", record->key);
    if (record->op == JL_JOURNAL_BASELINE) {
        put_baseline(out, record);
    } else if (record->op == JL_JOURNAL_WRITE) {
        put_u64(out, "value", record->value);
        put_u64(out, "baseline", record->baseline);
    }
    put_text(out, "at", at);
    jl_put_char(out, '}');
}

void jl_journal_v1_put(struct jl_buffer *out, const struct jl_journal_record *record)
{
    const size_t start = out->len;
    jl_put_string(out, "00000000 ");
    put_json(out, record);
    jl_journal_seal(out, start);
}
