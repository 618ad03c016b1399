/* SPDX-License-Identifier: Apache-2.0 */
#include "twin/twin.h"

/* joulie-control.md §3.10 */
#define PUE_COOL 1.05
#define PUE_SPAN 0.35 /* added at full cooling stress */

double jl_pue_from_stress(double cooling_stress)
{
    return PUE_COOL + cooling_stress / 100 * PUE_SPAN;
}
