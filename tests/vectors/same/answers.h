/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Many questions drawn from a seed, and every answer as a line of text: on two machines the same.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <joulie/error.h>

/* The vectors of a file with numbers changed, variants of each through joulie_ask(). */
void write_vector_answers(FILE *out, const char *file, uint64_t seed, int variants);
/* The columns of twins and of placement. */
void write_column_answers(FILE *out, uint64_t seed);
/* A small cluster and its trace, and the comparison of autoscalers. */
void write_simulation_answers(FILE *out, uint64_t seed);

/* A text of several lines, each behind its name. */
void write_text(FILE *out, const char *name, const char *text);
void write_error(FILE *out, const char *name, int code, const struct joulie_error *err);
