/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A listening TCP socket. */

#include <joulie/error.h>

#define JD_URL_BYTES 80 /* http://[…]:65535 */

/* "127.0.0.1:8080", ":8080", "[::1]:0", "localhost:80". url is where a peer on this machine finds
 * it. Returns the descriptor, JOULIE_E_PARSE or JOULIE_E_IO. */
int jd_listen(const char *address, int *out_port, char url[JD_URL_BYTES], struct joulie_error *err);
