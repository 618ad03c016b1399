/* SPDX-License-Identifier: Apache-2.0 */

/* Every question: first line its name, the rest the document. Equal input gives equal bytes, an
 * answer is JSON, an error says where. */

#include <string.h>

#include <joulie/ask.h>
#include <joulie/object.h>

#include "fuzz/fuzz.h"

static void check_answer(const char *answer)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *line = NULL;
    FUZZ_REQUIRE(joulie_format(answer, strlen(answer), JOULIE_FORM_LINE, &line, &err) == 0);
    FUZZ_REQUIRE(strcmp(line, answer) == 0);
    joulie_free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char question[64];
    const uint8_t *end = memchr(data, '\n', size);
    const size_t len = end ? (size_t)(end - data) : size;
    if (!end || len >= sizeof question)
        return 0;
    memcpy(question, data, len);
    question[len] = '\0';

    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;
    char *again = NULL;
    const char *text = (const char *)end + 1;
    const size_t text_len = size - len - 1;
    const int rc = joulie_ask(question, text, text_len, NULL, &answer, &err);
    const int rc_again = joulie_ask(question, text, text_len, NULL, &again, NULL);
    FUZZ_REQUIRE(rc == rc_again);
    if (rc == 0) {
        FUZZ_REQUIRE(strcmp(answer, again) == 0);
        check_answer(answer);
    } else {
        FUZZ_REQUIRE(rc != JOULIE_E_INTERNAL && rc == err.code && err.message[0]);
    }
    joulie_free(answer);
    joulie_free(again);
    return 0;
}
