/* SPDX-License-Identifier: Apache-2.0 */

/* IP addresses as bytes. */

#include "runtime/address.h"

#include <netinet/in.h>
#include <string.h>

static const uint8_t mapped[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };

static void put_v4(const struct in_addr *address, uint8_t out[JD_ADDRESS_BYTES])
{
    memcpy(out, mapped, sizeof mapped);
    memcpy(out + sizeof mapped, address, sizeof *address);
}

void jd_address_of(const struct sockaddr_storage *socket, uint8_t out[JD_ADDRESS_BYTES])
{
    memset(out, 0, JD_ADDRESS_BYTES);
    if (socket->ss_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, socket, sizeof v6);
        memcpy(out, &v6.sin6_addr, JD_ADDRESS_BYTES);
    } else if (socket->ss_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, socket, sizeof v4);
        put_v4(&v4.sin_addr, out);
    }
}
