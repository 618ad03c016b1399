/* SPDX-License-Identifier: Apache-2.0 */

/* Prints joulie_layout(), for tests that compare it. */

#include <stdio.h>

#include <joulie/layout.h>

int main(void)
{
    char *json = NULL;
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    if (joulie_layout(&json, &err) != JOULIE_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    puts(json);
    joulie_free(json);
    return 0;
}
