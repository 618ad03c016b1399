/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What pages of HTML have in common: no script, nothing from the network, light and dark; numbers,
 * and pieces of SVG pictures, whose colours the style sets. */

#include "base/buffer.h"

/* Up to the end of the style, which is left open for more of it. */
void jd_put_page_head(struct jl_buffer *out, const char *title, const char *style);
void jd_put_escaped(struct jl_buffer *out, const char *text); /* NULL is "" */

/* A number with so many decimals, without a sign before 0. */
void jd_put_fixed(struct jl_buffer *out, double value, int decimals);

/* A step of 1, 2 or 5 times a power of ten that divides range, above 0, into at most `most`. */
double jd_nice_step(double range, int most);
void jd_put_attribute(struct jl_buffer *out, const char *name, double value);
/* The start of a text element; the text and its end are the caller's. */
void jd_put_svg_text(struct jl_buffer *out, double x, double y, const char *class_);
