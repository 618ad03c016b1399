/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Filling struct joulie_error. Inside the library every record is of full size. */

#include <joulie/error.h>

/* Writes code, where and message (formatted without floating point) and returns the code. err may
 * be NULL. */
int jl_fail(struct joulie_error *err, int code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Copies a full-size record to a caller's, whose struct_size may be smaller; to may be NULL. */
void jl_error_export(const struct joulie_error *from, struct joulie_error *to);

/* Short form for the two codes that carry no place. */
int jl_fail_memory(struct joulie_error *err);
