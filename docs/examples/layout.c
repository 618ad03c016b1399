/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/layout.h>: the public interface as data, for bindings; here the members of one struct. */

#include <stdio.h>
#include <string.h>

#include <joulie/ask.h>
#include <joulie/layout.h>

int main(void)
{
    char *json = NULL;
    if (joulie_layout(&json, NULL) != JOULIE_OK)
        return 1;
    /* A binding has a JSON parser; for this page a search will do. */
    const char *at = strstr(json, "{\"name\":\"joulie_ask_options\",");
    const char *end = at != NULL ? strstr(at, "]}") : NULL;
    while (at != NULL && (at = strstr(at + 1, "{\"name\":\"")) != NULL && at < end) {
        char name[32], type[80];
        if (sscanf(at, "{\"name\":\"%31[^\"]\",\"type\":\"%79[^\"]\"", name, type) == 2)
            printf("%-12s %s\n", name, type);
    }
    joulie_free(json);
    return 0;
}
