/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of zlib, PNG and Ethernet: "123456789" gives 0xcbf43926. */
uint32_t jl_crc32(const void *bytes, size_t len);
