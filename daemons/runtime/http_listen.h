/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A listening TCP socket. */

#include <stdbool.h>

#include <joulie/error.h>

#define JD_URL_BYTES 80 /* http://[…]:65535 */

struct jd_listening {
    bool is_https; /* set before; the rest is filled */
    int port;
    bool is_public;         /* on every address of the machine */
    char url[JD_URL_BYTES]; /* where a peer on this machine finds it */
};

/* "127.0.0.1:8080", ":8080", "[::1]:0", "localhost:80". Returns the descriptor, JOULIE_E_PARSE or
 * JOULIE_E_IO. */
int jd_listen(const char *address, struct jd_listening *out, struct joulie_error *err);
