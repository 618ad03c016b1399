/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * exp, exp2, log, pow, sin, cos with the same last bit on every machine: only + - * / sqrt floor,
 * no fused multiply-add. Range and maximum error of each stand at its definition and are tested
 * against a high-precision table.
 */

double jl_exp(double x);
double jl_exp2(double x);
double jl_log(double x);           /* x > 0 */
double jl_pow(double x, double y); /* x >= 0 */
double jl_sin(double x);           /* radians, |x| < 1e6 */
double jl_cos(double x);
double jl_expm1_neg(double x); /* 1 - exp(-x) for x >= 0, without cancellation near 0 */
