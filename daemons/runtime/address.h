/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* IP addresses as bytes, so that their spellings compare, and names that mean this machine. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/text.h"

#define JD_ADDRESS_BYTES 16 /* IPv4 as ::ffff:a.b.c.d */

/* Of an IP socket; zeroes of another. */
void jd_address_of(const struct sockaddr_storage *socket, uint8_t out[JD_ADDRESS_BYTES]);
/* "10.0.0.1", "[::1]" or "::1"; false = it is no such address. */
bool jd_address_read(struct jl_text host, uint8_t out[JD_ADDRESS_BYTES]);
/* "localhost", a name below it, 127.0.0.0/8 or ::1: no packet to it leaves this machine. */
bool jd_host_is_loopback(struct jl_text host);
/* The host of "host", "host:port", "[::1]:port" or "::1". */
struct jl_text jd_host_of(struct jl_text authority);
