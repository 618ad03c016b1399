/* SPDX-License-Identifier: Apache-2.0 */

/* YAML: what is accepted becomes JSON that is accepted, and its YAML form reads back as the same
 * JSON. */

#include <string.h>

#include <joulie/object.h>

#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct joulie_splitter splitter = { .struct_size = sizeof splitter,
                                        .text = (const char *)data,
                                        .len = size };
    const char *text;
    size_t len;
    uint32_t line;
    for (int rc = 1; (rc = joulie_split(&splitter, &text, &len, &line, NULL)) != 0;) {
        struct joulie_error err = JOULIE_INIT(struct joulie_error);
        char *json = NULL;
        if (rc < 0)
            continue;
        FUZZ_REQUIRE(line >= 1 && text >= (const char *)data &&
                     text + len <= (const char *)data + size);
        if (joulie_format(text, len, JOULIE_FORM_LINE, &json, &err) != 0) {
            FUZZ_REQUIRE(err.code != JOULIE_E_INTERNAL);
            continue;
        }
        char *yaml = NULL;
        char *again = NULL;
        FUZZ_REQUIRE(joulie_format(json, strlen(json), JOULIE_FORM_YAML, &yaml, &err) == 0);
        FUZZ_REQUIRE(joulie_format(yaml, strlen(yaml), JOULIE_FORM_YAML, &again, &err) == 0);
        FUZZ_REQUIRE(strcmp(yaml, again) == 0);
        joulie_free(json);
        joulie_free(yaml);
        joulie_free(again);
    }
    return 0;
}
