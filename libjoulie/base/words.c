/* SPDX-License-Identifier: Apache-2.0 */

/* Words of enums, both ways: a short table per enum, searched from its start. */

#include "base/words.h"

static bool is_word(const char *word, struct jl_text text)
{
    size_t i = 0;
    while (i < text.len && word[i] == text.ptr[i] && word[i] != '\0')
        i++;
    return i == text.len && word[i] == '\0';
}

int jl_word_value(const struct jl_words *words, struct jl_text text)
{
    for (size_t i = 0; i < words->count; i++) {
        if (is_word(words->items[i].word, text))
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
