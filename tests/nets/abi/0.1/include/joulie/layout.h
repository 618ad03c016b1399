/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_LAYOUT_H
#define JOULIE_LAYOUT_H
#pragma once

/**
 * @file
 * What the headers of this library declare, told by the library itself.
 *
 * For bindings, which read structs, enums and functions here instead of having them typed a second
 * time, and for tests of the ABI. A C program does not need it: it has the headers.
 */

#include <joulie/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The public interface as one JSON object, lists sorted by name, members and parameters in their
 * order:
 *
 *     {"structs": [{"name", "size", "align",
 *                   "members": [{"name", "type", "offset", "size"}]}],
 *      "handles": [{"name"}],
 *      "enums": [{"name", "values": [{"name", "value"}]}],
 *      "constants": [{"name", "value"}],
 *      "texts": [{"name", "value"}],
 *      "callbacks": [{"name", "returns", "parameters": [{"name", "type"}]}],
 *      "functions": [{"name", "returns", "parameters": [{"name", "type"}]}]}
 *
 * Names of structs and enums stand without the words struct and enum; a type is C as the header
 * has it, without the name: `const char *`, `char[256]`, `enum joulie_code`,
 * `void (*)(void *, const char *)`, `joulie_cooling_fn *` (a callback). Sizes, offsets and
 * alignments are bytes of the machine that the library was built for. handles are structs that only
 * the library can see into. constants are macros whose value is a number (bits of `has`, limits),
 * without those of joulie/version.h: joulie_version() tells that; texts are macros whose value is a
 * text. Later releases add members to these objects.
 *
 * @param json  to be freed with joulie_free(); written only on success
 * @param err   details, written only on failure; may be NULL
 * @retval JOULIE_OK       json is filled
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads any; no locking needed
 * @since 0.1
 */
JOULIE_API int joulie_layout(char **json, struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
