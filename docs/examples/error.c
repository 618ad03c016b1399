/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/error.h>: a function that fails says why, where, and on which line. */

#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>
#include <joulie/error.h>

int main(void)
{
    static const char text[] = "text: 100m\n"
                               "unit: cores\n"; /* the question has no such member */
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    char *answer = NULL;

    int code = joulie_ask("quantity", text, strlen(text), NULL, &answer, &err);
    if (code == JOULIE_OK) {
        joulie_free(answer);
        return 1;
    }
    printf("code %d, \"%s\"\n", code, joulie_code_word(code));
    printf("where: %s, line %u\n", err.where, (unsigned)err.line);
    printf("%s\n", err.message);
    return 0;
}
