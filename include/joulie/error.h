/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_ERROR_H
#define JOULIE_ERROR_H
#pragma once

/**
 * @file
 * Codes and the error record that every function of libjoulie fills.
 *
 * A function that can fail returns 0 or a negative enum joulie_code, and documents which ones. What
 * the caller needs to report goes into a struct joulie_error that the caller owns; there is
 * no "last error" of a thread.
 */

#include <stddef.h>
#include <stdint.h>

#include <joulie/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Outcome of a call. 0 is success; values are never renumbered. Word: joulie_code_word(). */
enum joulie_code {
    JOULIE_OK = 0,
    JOULIE_E_INTERNAL = -1,       /**< "internal": a bug of the library */
    JOULIE_E_NOMEM = -2,          /**< "internal": memory ran out; everything was released */
    JOULIE_E_PARSE = -3,          /**< "parse": the text is not what its grammar asks for */
    JOULIE_E_TYPE = -4,           /**< "type": a member has the wrong JSON type */
    JOULIE_E_UNKNOWN_MEMBER = -5, /**< "unknown-member" */
    JOULIE_E_REQUIRED = -6,       /**< "required": a member is missing or null */
    JOULIE_E_ENUM = -7,           /**< "enum": a word that the list does not have */
    JOULIE_E_RANGE = -8,          /**< "range": a number outside its bounds or outside a double */
    JOULIE_E_LIMIT = -9,          /**< "too-large": a documented limit was passed */
    JOULIE_E_CONFLICT = -10,      /**< "conflict" */
    JOULIE_E_UNSUPPORTED = -11,   /**< "unsupported": this build does not have what was asked for */
    JOULIE_E_IO = -12,            /**< "io" */
    JOULIE_E_ABI = -13,           /**< "internal": a struct_size that cannot be */
    JOULIE_E_NOT_FOUND = -14      /**< "not-found": nothing of this name is there */
};

/**
 * Details of a failure, in the caller's storage; start with JOULIE_INIT(struct joulie_error).
 *
 * Written only on failure. Texts are UTF-8, cut with "…" when they do not fit. A struct_size below
 * the size of the type is that of an older release: what lies behind it is not written. One that
 * cannot be (0, or above 4096) leaves the whole record alone.
 */
struct joulie_error {
    size_t struct_size; /**< as the caller compiled it */
    int code;           /**< enum joulie_code */
    int sys_errno;      /**< errno of a failed system call, else 0 */
    uint32_t line;      /**< line in the document, from 1; 0 = unknown */
    uint32_t column;    /**< column (bytes) in that line, from 1; 0 = unknown */
    char where[256];    /**< path from the document root, such as spec.cpu.packagePowerCapWatts */
    char message[512];  /**< free text for a person */
};

/**
 * The word of a code as tools print it ("unknown-member"); "internal" for a number that is no code.
 *
 * @threads any
 * @since 0.1
 */
JOULIE_API const char *joulie_code_word(int code);

/**
 * Frees what a function of libjoulie handed out through a char **out. NULL does nothing.
 *
 * @threads any
 * @since 0.1
 */
JOULIE_API void joulie_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
