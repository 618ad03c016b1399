/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The records of autoscale.layer: their tables, their words, and the reading of a member whose type
 * depends on the layer (docs/rules/autoscaling.md#limits-layer).
 */
#define JL_AUTOSCALE_LAYER_TABLES
#include <string.h>

#include "ask/autoscale_layer.h"

static const struct jl_word layer_words[] = {
    { JL_LAYER_LIMITS, "limits" },
    { JL_LAYER_REQUESTS, "requests" },
    { JL_LAYER_PERCENTILE, "percentile" },
};
const struct jl_words jl_layer_words = JL_WORDS(layer_words);

static const struct jl_word resource_words[] = {
    { JL_USAGE_WORD_TFLOPS, "tflops" },
    { JL_USAGE_WORD_VRAM, "vram" },
};
const struct jl_words jl_usage_words = JL_WORDS(resource_words);

int jl_ask_layer_part(struct jl_ask *ask, const struct jl_layer_in *in, unsigned bit,
                      const struct jl_raw *raw, const struct jl_table *table, void *out)
{
    const struct jl_path at = { .key = jl_text(jl_layer_in_table.rows[bit].key) };
    memset(out, 0, table->size);
    return JL_HAS(in, bit) ? jl_decode_raw(ask->decode, raw, &at, table, out) : 0;
}
