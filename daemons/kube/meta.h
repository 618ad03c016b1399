/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The metadata that the machinery needs of an object, a frame of a watch, a page of a list, without
 * reading the rest. Texts are into the text that was read, or of the arena. */

#include "base/buffer.h"
#include "kube/scan.h"

struct jd_meta { /* len 0 = absent (ptr NULL) or there and empty */
    struct jl_text api_version;
    struct jl_text kind;
    struct jl_text name;
    struct jl_text name_space;
    struct jl_text uid;
    struct jl_text version; /* metadata.resourceVersion */
    struct jl_text more;    /* metadata.continue, of a list */
    struct jl_text items;   /* the array of a list; ptr NULL = absent */
};

/* 0, JOULIE_E_PARSE or JOULIE_E_NOMEM. */
int jd_meta_read(struct jl_text text, struct jl_arena *arena, struct jd_meta *out);

struct jd_frame {
    struct jl_text type;
    struct jl_text object; /* an object */
};

/* 0, JOULIE_E_PARSE or JOULIE_E_NOMEM. */
int jd_frame_read(struct jl_text text, struct jl_arena *arena, struct jd_frame *out);

/* The object as it stands, with apiVersion and kind where it has none (items of a list) or empty
 * ones. */
void jd_put_typed(struct jl_buffer *out, struct jl_text object, const struct jd_meta *meta,
                  const char *api_version, const char *kind);
