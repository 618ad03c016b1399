/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Filling struct joulie_error. A record may be the caller's, so its struct_size may be smaller or
 * larger than ours: every function here heeds it, and nothing else writes into a record that came
 * as an argument. err may be NULL. A record of our own starts with JOULIE_INIT(struct
 * joulie_error).
 */

#include <stdarg.h>

#include <joulie/error.h>

struct jl_buffer;

/*
 * Writes code, where and message (formatted without floating point) and returns the code. Bytes of
 * the message that are no UTF-8 are left out, so "%.64s" may cut through a character. Texts of the
 * record itself may be among the arguments.
 */
int jl_fail(struct joulie_error *err, int code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int jl_fail_list(struct joulie_error *err, int code, const char *where, const char *format,
                 va_list arguments) __attribute__((format(printf, 4, 0)));

/* About a line of a text, from 1: where is "line N". */
int jl_fail_line(struct joulie_error *err, int code, uint32_t line, uint32_t column,
                 const char *message);
/* JOULIE_E_NOMEM, which has no place. */
int jl_fail_memory(struct joulie_error *err);
/* JOULIE_E_ABI about a struct of the caller; where is "" or the argument's name. */
int jl_fail_abi(struct joulie_error *err, const char *where);

/* Adds line and column, or errno, to what jl_fail() wrote. */
void jl_error_set_line(struct joulie_error *err, uint32_t line, uint32_t column);
void jl_error_set_errno(struct joulie_error *err, int number);

/* Puts the place of a part of the input before where: outer, joint, where; outer alone when where
 * is empty, where alone when outer is. Cut when it does not fit. */
void jl_error_inside(struct joulie_error *err, const char *outer, const char *joint);

/* Gives the text of a buffer to the caller, who frees it with joulie_free(). 0, or JOULIE_E_NOMEM,
 * which leaves *out alone and the buffer empty. */
int jl_hand_out(struct jl_buffer *buffer, char **out, struct joulie_error *err);

/* 0, or JOULIE_E_PARSE about a text of the caller that is not UTF-8; NULL is fine. */
int jl_check_text(const char *text, const char *where, struct joulie_error *err);

/* Copies a record of our own to another. A struct_size of that above JL_SIZED_MAX is garbage:
 * nothing is written. */
void jl_error_export(const struct joulie_error *from, struct joulie_error *to);
/* Where a failure need not be the caller's: code < 0 goes to the caller. Returns the code. */
int jl_error_return(const struct joulie_error *from, int code, struct joulie_error *to);
