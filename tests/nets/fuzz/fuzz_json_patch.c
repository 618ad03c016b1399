/* SPDX-License-Identifier: Apache-2.0 */

/*
 * JSON patches: the first line is the target, the rest the patch. What comes out is a document as
 * before, equal to itself, and a patch without operations leaves it alone.
 */

#include <string.h>

#include <joulie/error.h>

#include "base/limits.h"
#include "fuzz/fuzz.h"
#include "schema/json_patch.h"

static struct json_object *read(const char *text, size_t len)
{
    struct json_tokener *tokener = json_tokener_new_ex(JL_LIMIT_NESTING);
    FUZZ_REQUIRE(tokener != NULL);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    struct json_object *tree = json_tokener_parse_ex(tokener, text, (int)len);
    json_tokener_free(tokener);
    return tree;
}

static void require_document(struct json_object *tree)
{
    struct jl_buffer text = { 0 };
    jl_tree_put(&text, tree);
    FUZZ_REQUIRE(!text.is_failed);
    struct json_object *again = read(text.data, text.len);
    FUZZ_REQUIRE(again || !(json_object_is_type(tree, json_type_object) ||
                            json_object_is_type(tree, json_type_array)));
    json_object_put(again);
    jl_buffer_clear(&text);
}

static void require_same(struct json_object **tree)
{
    struct jl_json_patch_problem problem;
    struct json_object *patch = json_object_new_array();
    struct json_object *before = *tree;
    FUZZ_REQUIRE(jl_json_patch(tree, patch, &problem) == 0 && *tree == before);
    struct json_object *operation = json_object_new_object();
    json_object_object_add(operation, "op", json_object_new_string("test"));
    json_object_object_add(operation, "path", json_object_new_string(""));
    json_object_object_add(operation, "value", json_object_get(*tree));
    json_object_array_add(patch, operation);
    FUZZ_REQUIRE(jl_json_patch(tree, patch, &problem) == 0);
    json_object_put(patch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *end = size > 0 ? memchr(text, '\n', size) : NULL;
    if (!end)
        return 0;
    const size_t len = (size_t)(end - text);
    struct jl_json_patch_problem problem;
    struct json_object *target = read(text, len);
    struct json_object *patch = read(end + 1, size - len - 1);
    const int rc = jl_json_patch(&target, patch, &problem);
    FUZZ_REQUIRE(rc <= 0 && rc != JOULIE_E_NOMEM && rc != JOULIE_E_INTERNAL);
    FUZZ_REQUIRE(rc == 0 || problem.message != NULL);
    if (rc == 0) {
        require_document(target);
        require_same(&target);
    }
    json_object_put(patch);
    json_object_put(target);
    return 0;
}
