/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Short schemas of built-in kinds: what Joulie reads and writes of them, for kubectl explain. */

struct json_object;

/* To be released; without properties when the kind has no table. "" and ObjectMeta: what is in
 * metadata. NULL: memory ran out. */
struct json_object *jd_built_in_schema(const char *api_version, const char *kind);
