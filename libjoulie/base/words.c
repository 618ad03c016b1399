/* SPDX-License-Identifier: Apache-2.0 */
#include "base/words.h"

int jl_word_value(const struct jl_words *words, struct jl_text text)
{
    for (size_t i = 0; i < words->count; i++) {
        if (jl_text_is(text, words->items[i].word))
            return words->items[i].value;
    }
    return 0;
}

const char *jl_word_of(const struct jl_words *words, int value)
{
    for (size_t i = 0; i < words->count; i++) {
        if (words->items[i].value == value)
            return words->items[i].word;
    }
    return NULL;
}
