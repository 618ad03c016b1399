/* SPDX-License-Identifier: Apache-2.0 */

/* The words of the error codes of joulie/error.h. */

#include <joulie/error.h>

const char *joulie_code_word(int code)
{
    switch (code) {
    case JOULIE_OK:
        return "ok";
    case JOULIE_E_PARSE:
        return "parse";
    case JOULIE_E_TYPE:
        return "type";
    case JOULIE_E_UNKNOWN_MEMBER:
        return "unknown-member";
    case JOULIE_E_REQUIRED:
        return "required";
    case JOULIE_E_ENUM:
        return "enum";
    case JOULIE_E_RANGE:
        return "range";
    case JOULIE_E_LIMIT:
        return "too-large";
    case JOULIE_E_CONFLICT:
        return "conflict";
    case JOULIE_E_UNSUPPORTED:
        return "unsupported";
    case JOULIE_E_IO:
        return "io";
    case JOULIE_E_NOT_FOUND:
        return "not-found";
    default: /* JOULIE_E_INTERNAL, JOULIE_E_NOMEM, JOULIE_E_ABI and numbers that are no code */
        return "internal";
    }
}
