/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* JSON text as a json-c tree: reading it whole, members by path, small values; and members of JSON
 * that is written. Trees go back with json_object_put(), or JL_CLEANUP(jd_json_freep). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <joulie/error.h>

#include "base/arena.h"
#include "base/memory.h"

struct json_object;
struct jl_buffer;

/* One value with nothing behind it, at most JL_LIMIT_NESTING deep, UTF-8; *out = NULL for null.
 * JOULIE_E_PARSE, JOULIE_E_LIMIT (2 GiB) or JOULIE_E_NOMEM. */
int jd_json_read(const char *text, size_t len, struct json_object **out, struct joulie_error *err);
/* The same without a reason: NULL = it could not be read. */
struct json_object *jd_json_parse(const char *text, size_t len);
void jd_json_freep(struct json_object **tree); /* needs no json-c beside it */

/* The member at a path such as "status.cpu"; NULL = absent, also on the way. */
struct json_object *jd_json_at(struct json_object *tree, const char *path);
/* NULL = absent, or no text. */
const char *jd_json_text(struct json_object *tree, const char *path);
const char *jd_json_word(struct json_object *tree, const char *path); /* the same, then "" */
/* A label or an annotation of the map at the path: its key has dots, so it is no path. NULL =
 * absent, or no text. */
const char *jd_json_label(struct json_object *tree, const char *map, const char *key);
/* A finite number, of any kind; false = absent, or none. */
bool jd_json_number(struct json_object *tree, const char *path, double *out);
size_t jd_json_count(struct json_object *list); /* 0 when it is no list */
/* Appends what printf would print: of JSON, words that need no escapes. */
void jd_put_format(struct jl_buffer *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Appends the tree's text in one line. */
void jd_json_put_tree(struct jl_buffer *out, struct json_object *tree);

/* A copy that nobody else changes; NULL = memory ran out. */
struct json_object *jd_json_copy(struct json_object *tree);
/* A number that is printed as the library prints numbers. */
struct json_object *jd_json_double(double number);
/* Appends a comma, unless what follows is the first of its list or object. */
void jd_json_next(struct jl_buffer *out);
/* Appends "key":value, behind such a comma. */
void jd_json_put_key(struct jl_buffer *out, const char *key); /* the value follows */
void jd_json_put_text(struct jl_buffer *out, const char *key, const char *text);
/* Nothing when the text is NULL or empty. */
void jd_json_put_some(struct jl_buffer *out, const char *key, const char *text);
void jd_json_put_number(struct jl_buffer *out, const char *key, double number);
/* As RFC 3339 in whole seconds. */
void jd_json_put_time(struct jl_buffer *out, const char *key, int64_t at_ms);
/* The same with six decimals, as a MicroTime of Kubernetes. */
void jd_json_put_micro_time(struct jl_buffer *out, const char *key, int64_t at_ms);
