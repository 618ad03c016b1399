/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* IP addresses as bytes, so that both families compare. */

#include <stdint.h>
#include <sys/socket.h>

#define JD_ADDRESS_BYTES 16 /* IPv4 as ::ffff:a.b.c.d */

/* Of an IP socket; zeroes of another. */
void jd_address_of(const struct sockaddr_storage *socket, uint8_t out[JD_ADDRESS_BYTES]);
