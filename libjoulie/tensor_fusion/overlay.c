/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A spec put together from several, field by field, by a walk over the spec's table
 * (docs/rules/tensor-fusion.md#precedence).
 */

#include "tensor_fusion/overlay.h"

#include <string.h>

#include "kubernetes/quantity.h"
#include "schema/copy.h"
#include "schema/path.h"

const struct jl_words jl_profile_source_words = JL_WORDS({
    { JL_PROFILE_SOURCE_ANNOTATION, "annotation" },
    { JL_PROFILE_SOURCE_PROFILE, "profile" },
    { JL_PROFILE_SOURCE_POOL_RULE, "poolRule" },
    { JL_PROFILE_SOURCE_POOL, "pool" },
    { JL_PROFILE_SOURCE_QUOTA, "quota" },
    { JL_PROFILE_SOURCE_BUILTIN, "builtin" },
});

/*
 * Objects that only make sense as a whole. Kubernetes replaces an affinity at once; a URL of
 * one source with the secret of another would hand the secret out.
 */
static const char *const whole_objects[] = { "nodeAffinity", "externalScaler" };

struct take {
    uint8_t *sources; /* of the leaf that comes next */
    enum jl_profile_source source;
};

struct print {
    struct jl_arena *arena;
    const uint8_t *sources;
    struct jl_pair *items;
    size_t count;
};

static bool is_branch(const struct jl_row *row)
{
    for (size_t i = 0; i < JL_COUNT(whole_objects); i++) {
        if (jl_same(row->key, whole_objects[i]))
            return false;
    }
    return row->type == JL_TYPE_OBJECT;
}

/* Every struct of a table starts with its bits. */
static uint64_t bits_of(const void *object)
{
    uint64_t bits = 0;
    memcpy(&bits, object, sizeof bits);
    return bits;
}

static void mark(void *object, uint32_t row)
{
    const uint64_t bits = bits_of(object) | UINT64_C(1) << row;
    memcpy(object, &bits, sizeof bits);
}

static bool has(const void *object, uint32_t row)
{
    return bits_of(object) >> row & 1;
}

static const char *text_at(const void *member)
{
    const char *text = NULL;
    memcpy(&text, member, sizeof text);
    return text;
}

static bool is_zero(const char *text)
{
    struct jl_quantity quantity;
    return jl_is_empty(text) ||
           (jl_parse_quantity(text, strlen(text), &quantity) == 0 && quantity.nano == 0);
}

/* What a writer of Go means by leaving it out. */
static bool is_unset(const struct jl_row *row, const void *member)
{
    int64_t integer = 0;
    struct jl_list list = { 0 };
    if (row->type == JL_TYPE_QUANTITY)
        return is_zero(text_at(member));
    if (row->type == JL_TYPE_STRING)
        return jl_is_empty(text_at(member));
    if (row->type == JL_TYPE_OBJECT)
        return bits_of(member) == 0;
    if (row->type == JL_TYPE_LIST || row->type == JL_TYPE_NUMBERS) {
        memcpy(&list, member, sizeof list);
        return list.count == 0;
    }
    if (row->type != JL_TYPE_INTEGER || !jl_same(row->key, "gpuCount"))
        return false;
    memcpy(&integer, member, sizeof integer);
    return integer == 0;
}

/* tflops and compute are one amount in two units; the one that is there first stays. */
static bool is_excluded(const struct jl_table *table, const void *to, uint32_t row)
{
    return table == &jl_fusion_amounts_table && ((row == JL_INDEX(jl_fusion_amounts, compute) &&
                                                  has(to, JL_INDEX(jl_fusion_amounts, tflops))) ||
                                                 (row == JL_INDEX(jl_fusion_amounts, tflops) &&
                                                  has(to, JL_INDEX(jl_fusion_amounts, compute))));
}

static void take_object(struct take *take, const struct jl_table *table, char *to,
                        const char *from);

static void take_leaf(struct take *take, const struct jl_table *table, uint32_t i, char *to,
                      const char *from)
{
    const struct jl_row *row = &table->rows[i];
    uint8_t *source = take->sources++;
    if (!has(from, i) || has(to, i) || is_excluded(table, to, i))
        return;
    /* An empty gpu-model annotation overrides. */
    if (take->source != JL_PROFILE_SOURCE_ANNOTATION && is_unset(row, from + row->offset))
        return;
    memcpy(to + row->offset, from + row->offset, jl_member_size(row));
    mark(to, i);
    *source = (uint8_t)take->source;
}

static void take_object(struct take *take, const struct jl_table *table, char *to, const char *from)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct jl_row *row = &table->rows[i];
        if (!is_branch(row)) {
            take_leaf(take, table, i, to, from);
            continue;
        }
        take_object(take, row->child, to + row->offset, from + row->offset);
        if (bits_of(to + row->offset) != 0)
            mark(to, i);
    }
}

void jl_overlay_take(struct jl_overlay *overlay, const struct jl_fusion_spec *from,
                     enum jl_profile_source source)
{
    struct take take = { overlay->sources, source };
    take_object(&take, &jl_fusion_spec_table, (char *)&overlay->spec, (const char *)from);
}

static int print_object(struct print *print, const struct jl_table *table, const struct jl_path *up)
{
    int rc = 0;
    for (uint32_t i = 0; i < table->count && rc == 0; i++) {
        const struct jl_path at = { up, jl_text(table->rows[i].key), 0 };
        char text[JL_PATH_TEXT];
        if (is_branch(&table->rows[i])) {
            rc = print_object(print, table->rows[i].child, &at);
            continue;
        }
        const int source = *print->sources++;
        if (source == JL_PROFILE_SOURCE_NONE)
            continue;
        jl_path_print(&at, text);
        const struct jl_pair pair = { jl_arena_string(print->arena, text),
                                      jl_word_of(&jl_profile_source_words, source) };
        if (pair.key == NULL)
            return jl_arena_code(print->arena);
        print->items[print->count++] = pair;
    }
    return rc;
}

int jl_overlay_sources(const struct jl_overlay *overlay, struct jl_arena *arena, struct jl_map *out)
{
    struct print print = { .arena = arena, .sources = overlay->sources };
    print.items = JL_NEW_ARRAY(arena, JL_SPEC_FIELDS, struct jl_pair);
    if (print.items == NULL)
        return jl_arena_code(arena);
    const int rc = print_object(&print, &jl_fusion_spec_table, NULL);
    if (rc == 0)
        *out = (struct jl_map){ print.items, print.count };
    return rc;
}
