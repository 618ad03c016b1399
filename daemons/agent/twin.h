/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The NodeTwin as text: what the agent takes from the one that it reads, and the one that it
 * writes. */

#include <stdbool.h>

#include <joulie/error.h>

#include "base/buffer.h"

struct jd_twin_words { /* to be cleared */
    char *node_name;   /* spec.nodeName; NULL = not there */
    char *profile;     /* spec.profile */
};

/* From a NodeTwin, or its spec alone, JSON or YAML. 0 or a code of joulie_format(). */
int jd_twin_read(const char *text, size_t len, struct jd_twin_words *out, struct joulie_error *err);
void jd_twin_words_clear(struct jd_twin_words *words);

/* One line: apiVersion, kind, metadata.name, spec.nodeName, spec.profile, status.controlStatus.
 * A profile that is not known (NULL) is left out. 0 or a code. */
int jd_twin_put(struct jl_buffer *out, const char *node_name, const char *profile,
                const char *report, struct joulie_error *err);
