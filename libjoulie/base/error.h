/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Filling struct joulie_error. jl_fail() writes a record of full size, jl_refuse() one of any size,
 * such as a caller's. */

#include <stdarg.h>

#include <joulie/error.h>

/*
 * Writes code, where and message (formatted without floating point) and returns the code. err may
 * be NULL. Bytes of the message that are no UTF-8 are left out, so "%.64s" may cut through a
 * character.
 */
int jl_fail(struct joulie_error *err, int code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int jl_fail_list(struct joulie_error *err, int code, const char *where, const char *format,
                 va_list arguments) __attribute__((format(printf, 4, 0)));

/* Puts the place of a part of the input before where: outer, joint, where; outer alone when where
 * is empty, where alone when outer is. Cut when it does not fit. */
void jl_error_inside(struct joulie_error *err, const char *outer, const char *joint);

/* JOULIE_E_NOMEM, which has no place. */
int jl_fail_memory(struct joulie_error *err);

/* The same into a record whose size may be another, such as a caller's. */
int jl_refuse(struct joulie_error *err, int code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int jl_refuse_memory(struct joulie_error *err);
/* JOULIE_E_ABI about a struct of the caller; where is "" or the argument's name. */
int jl_refuse_abi(struct joulie_error *err, const char *where);

/* Gives the text of a buffer to the caller, who frees it with joulie_free(). 0, or JOULIE_E_NOMEM,
 * which leaves *out alone and the buffer empty. */
struct jl_buffer;
int jl_hand_out(struct jl_buffer *buffer, char **out, struct joulie_error *err);

/* 0, or JOULIE_E_PARSE about a text of the caller that is not UTF-8; NULL is fine. */
int jl_check_text(const char *text, const char *where, struct joulie_error *err);

/*
 * Copies a full-size record to a caller's, whose struct_size may be smaller or larger; to may be
 * NULL. A struct_size above JL_SIZED_MAX is garbage: nothing is written.
 */
void jl_error_export(const struct joulie_error *from, struct joulie_error *to);
/* How an exported function ends: what failed (code < 0) goes to the caller. Returns the code. */
int jl_error_return(const struct joulie_error *from, int code, struct joulie_error *to);
