/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Questions in tests: what they answer, and how they refuse. */

#include <joulie/ask.h>

#include "base/buffer.h"
#include "support/test.h"

/* The answer of a question that must succeed; to be freed with joulie_free(). */
char *answer_of(const char *question, const char *text);

void answers(const char *question, const char *text, const char *expected);
void refuses(const char *question, const char *text, int code, const char *where);
void refuses_bytes(const char *question, const char *text, size_t len, int code, const char *where);

/* Appends text count times, with '#' replaced by the number of the repetition. */
void put_many(struct jl_buffer *out, size_t count, const char *text, const char *separator);
