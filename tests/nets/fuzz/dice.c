/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/dice.h"

#include <math.h>

static uint8_t byte(struct dice *dice)
{
    if (dice->left == 0)
        return 0;
    dice->left--;
    return *dice->at++;
}

static uint64_t bytes(struct dice *dice, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value = value << 8 | byte(dice);
    return value;
}

bool dice_bit(struct dice *dice)
{
    return byte(dice) & 1;
}

uint64_t dice_bits(struct dice *dice)
{
    return bytes(dice, 8);
}

int64_t dice_int(struct dice *dice, int64_t low, int64_t high)
{
    const uint64_t range = (uint64_t)high - (uint64_t)low;
    const uint64_t value = bytes(dice, range < 256 ? 1 : range < 65536 ? 2 : 8);
    return (int64_t)((uint64_t)low + (range == UINT64_MAX ? value : value % (range + 1)));
}

double dice_number(struct dice *dice, double low, double high)
{
    const uint8_t kind = byte(dice);
    double value = low;
    if (kind < 16)
        value = low;
    else if (kind < 32)
        value = high;
    else if (kind < 48)
        value = 0;
    else if (kind < 128)
        value = low + (high - low) * kind / 256;
    else if (kind < 192)
        value = floor(low + (high - low) * (double)bytes(dice, 2) / 65535);
    else
        value = low + (high - low) * ((double)bytes(dice, 8) / 18446744073709551616.0);
    return value < low ? low : value > high ? high : value;
}

void dice_member(struct dice *dice, uint64_t *has, unsigned bit, double *out, double low,
                 double high)
{
    if (!dice_bit(dice))
        return;
    *has |= UINT64_C(1) << bit;
    *out = dice_number(dice, low, high);
}

bool dice_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}
