/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Small writings of JSON (reading: runtime/json.h). */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include <joulie/error.h>

#include "base/buffer.h"
#include "runtime/json.h"

/* A copy that nobody else changes; NULL = memory ran out. */
struct json_object *jd_json_copy(struct json_object *tree);
/* A number that is printed as the library prints numbers. */
struct json_object *jd_json_double(double number);
/* Appends "key": before a value; comma first unless it is the first of its object. */
void jd_json_put_key(struct jl_buffer *out, const char *key);
void jd_json_put_text(struct jl_buffer *out, const char *key, const char *text);
void jd_json_put_number(struct jl_buffer *out, const char *key, double number);
/* As RFC 3339 in whole seconds. */
void jd_json_put_time(struct jl_buffer *out, const char *key, int64_t at_ms);
