/* SPDX-License-Identifier: Apache-2.0 */

/* The checksum of a line of the journal of a machine and of the saved state of an autoscaler. */

#include "base/crc32.h"

/* The polynomial 0xedb88320 (bits reversed), four bits at a time. */
static const uint32_t remainders[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

uint32_t jl_crc32(const void *bytes, size_t len)
{
    const unsigned char *byte = bytes;
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < len; i++) {
        crc ^= byte[i];
        crc = crc >> 4 ^ remainders[crc & 15];
        crc = crc >> 4 ^ remainders[crc & 15];
    }
    return ~crc;
}
