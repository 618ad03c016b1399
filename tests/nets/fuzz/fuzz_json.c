/* SPDX-License-Identifier: Apache-2.0 */

/* JSON: a text that is accepted prints in three forms, and each of them reads back as the same
 * document. */

#include <string.h>

#include <joulie/object.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    size_t start = 0;
    while (start < size && strchr(" \t\r\n", text[start]) && text[start])
        start++;
    if (start == size || (text[start] != '{' && text[start] != '['))
        return 0;

    char *line = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_format(text, size, JOULIE_FORM_LINE, &line, &err) != 0) {
        FUZZ_REQUIRE(err.code != JOULIE_E_INTERNAL && err.message[0]);
        return 0;
    }
    char *pretty = NULL;
    char *back = NULL;
    FUZZ_REQUIRE(joulie_format(line, strlen(line), JOULIE_FORM_PRETTY, &pretty, &err) == 0);
    FUZZ_REQUIRE(joulie_format(pretty, strlen(pretty), JOULIE_FORM_LINE, &back, &err) == 0);
    FUZZ_REQUIRE(strcmp(line, back) == 0);
    joulie_free(line);
    joulie_free(pretty);
    joulie_free(back);
    return 0;
}
