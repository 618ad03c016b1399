/* SPDX-License-Identifier: Apache-2.0 */

/* Near misses of names: of questions, commands and options. */

#include "base/hint.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

#define LONGEST 40

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b; both shorter than
 * LONGEST. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0];
    size_t *above = rows[1];
    size_t *here = rows[2];
    const size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++)
        above[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        here[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const size_t replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            here[j] = least(replaced, least(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = least(here[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = above;
        above = here;
        here = spare;
    }
    return above[width];
}

bool jl_is_slip(const char *typed, const char *word)
{
    const size_t typed_len = strlen(typed);
    const size_t word_len = strlen(word);
    if (typed_len >= LONGEST || word_len >= LONGEST || typed_len == 0)
        return false;
    if (typed_len >= 3 && jl_starts_with(word, typed))
        return true;
    return distance(typed, word) <= (word_len > 5 ? 2 : 1);
}
