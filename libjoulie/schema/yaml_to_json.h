/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * YAML becomes JSON text plus a table of lines, so that there is one decoder. Aliases are expanded
 * within 10 times the document, "<<" is refused, plain scalars are typed by the YAML 1.2 core
 * rules.
 */

#include <joulie/error.h>

#include "base/buffer.h"
#include "schema/lines.h"

/*
 * Appends the JSON of exactly one document to out and the places of its values to lines (cleared by
 * jl_line_map_clear). 0, JOULIE_E_PARSE, JOULIE_E_RANGE (.inf, .nan), JOULIE_E_UNSUPPORTED ("<<",
 * tags), JOULIE_E_LIMIT or JOULIE_E_NOMEM.
 */
int jl_yaml_to_json(const char *text, size_t len, struct jl_buffer *out, struct jl_line_map *lines,
                    struct joulie_error *err);
void jl_line_map_clear(struct jl_line_map *lines);

/* JSON starts with '[', or with '{' and a quote or the end; everything else is read as YAML. */
int jl_looks_like_json(const char *text, size_t len);
