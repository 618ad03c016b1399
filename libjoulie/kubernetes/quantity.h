/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Kubernetes quantities, exact. Rules: docs/rules/kubernetes-values.md#quantities. */

#include <stddef.h>
#include <stdint.h>

enum jl_quantity_format {
    JL_QUANTITY_DECIMAL_SI = 1,
    JL_QUANTITY_BINARY_SI,
    JL_QUANTITY_DECIMAL_EXPONENT,
};

/* The one typedef: the language has no other spelling of it without a warning. */
__extension__ typedef __int128 jl_i128;

struct jl_quantity {
    jl_i128 nano; /* value in units of 10^-9 */
    enum jl_quantity_format format;
};

#define JL_QUANTITY_TEXT 72

/* 0, JOULIE_E_PARSE (also a text of more than 64 bytes) or JOULIE_E_RANGE; out is untouched on
 * failure. */
int jl_parse_quantity(const char *text, size_t len, struct jl_quantity *out);
/* Canonical text, exact decimal, and value * 1000 away from zero; each returns its length. */
size_t jl_format_quantity(const struct jl_quantity *quantity, char out[JL_QUANTITY_TEXT]);
size_t jl_quantity_decimal(const struct jl_quantity *quantity, char out[JL_QUANTITY_TEXT]);
size_t jl_quantity_milli(const struct jl_quantity *quantity, char out[JL_QUANTITY_TEXT]);

/* Numeric, across formats: -1, 0 or 1. */
int jl_quantity_compare(const struct jl_quantity *a, const struct jl_quantity *b);

double jl_quantity_to_double(const struct jl_quantity *quantity);
/* Rounded away from zero; 0 or JOULIE_E_RANGE. */
int jl_quantity_to_i64(const struct jl_quantity *quantity, int64_t *out);

/*
 * Computed amounts as they are written: TFLOPS in DecimalSI rounded up to
 * 0.001, VRAM in BinarySI rounded up to 1 MiB. 0, or JOULIE_E_RANGE (also for what is no finite
 * number) with out untouched.
 */
int jl_quantity_of_tflops(double tflops, struct jl_quantity *out);
int jl_quantity_of_vram(double bytes, struct jl_quantity *out);
/* The next multiple of step, where float dust never adds a step; step > 0. */
double jl_round_up_to(double x, double step);
