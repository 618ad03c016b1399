/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/words.h>: the words of documents and answers, and their values. */

#include <stdio.h>

#include <joulie/words.h>

int main(void)
{
    const char *word = NULL;
    for (int value = 1; (word = joulie_word(JOULIE_VOCABULARY_NODE_CLASS, value)) != NULL; value++)
        printf("%d %s\n", value, word);
    switch (joulie_word_value(JOULIE_VOCABULARY_LEVEL, "medium")) {
    case JOULIE_LEVEL_MEDIUM:
        puts("medium is a level");
        break;
    default: /* a word of a later release reads as 0 */
        puts("unknown");
        break;
    }
    return joulie_word_value(JOULIE_VOCABULARY_LEVEL, "Medium"); /* 0: no such word */
}
