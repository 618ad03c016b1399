/* SPDX-License-Identifier: Apache-2.0 */

/*
 * same_answers FILE SEED VARIANTS VECTORS...: writes to FILE what the library answers to questions
 * that SEED draws. Two builds of it are right when their files are equal, byte for byte, and so is
 * one in two locales.
 */

#include "same/answers.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

void write_text(FILE *out, const char *name, const char *text)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        fprintf(out, "%s\t%.*s\n", name, (int)length, text);
        text += length + (text[length] == '\n');
    }
}

void write_error(FILE *out, const char *name, int code, const struct joulie_error *err)
{
    fprintf(out, "%s\t%s at %s, line %u column %u: %s\n", name, joulie_code_word(code), err->where,
            (unsigned)err->line, (unsigned)err->column, err->message);
}

int main(int argc, char **argv)
{
    FILE *out = argc > 4 ? fopen(argv[1], "w") : NULL;
    if (!out) {
        fprintf(stderr, "same_answers FILE SEED VARIANTS VECTORS...\n");
        return 2;
    }
    setlocale(LC_ALL, "");
    const uint64_t seed = strtoull(argv[2], NULL, 10);
    for (int i = 4; i < argc; i++)
        write_vector_answers(out, argv[i], seed, atoi(argv[3]));
    write_column_answers(out, seed);
    write_simulation_answers(out, seed);

    const int is_bad = ferror(out);
    return fclose(out) != 0 || is_bad;
}
