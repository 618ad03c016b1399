/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of the public door share: text in through the decoder, actions out as patches. No
 * rule lives here. */

#include <joulie/cluster.h>

#include "base/buffer.h"
#include "cluster/model.h"
#include "schema/decode.h"
#include "schema/document.h"

struct joulie_cluster {
    struct jl_cluster *model;
    const struct jl_cluster_action *actions;
    size_t action_count;
    struct jl_arena bodies; /* of the actions that were taken since the step */
};

/* A JSON or YAML text and what is decoded from it. Zero before, jl_cluster_door_close after use. */
struct door_document {
    struct jl_document source;
    struct jl_arena arena;
    struct jl_decode decode;
};

int jl_cluster_door_open(struct door_document *document, const char *text, size_t len,
                         uint32_t flags, struct joulie_error *err);
void jl_cluster_door_close(struct door_document *document);

/* The whole document, in memory of its arena; NULL after a failure, with its code and err filled.
 */
void *jl_cluster_door_read(struct door_document *document, const struct jl_table *table,
                           int *out_code);

/* Every failure is collected in a record of full size and handed over in the caller's. Returns the
 * code. */
int jl_cluster_door_return(int code, const struct joulie_error *full, struct joulie_error *err);

/* A JSON string. */
void jl_cluster_door_put_text(struct jl_buffer *out, const char *text);

int jl_cluster_door_fail_abi(struct joulie_error *err);

/* Of a text that the model keeps: UTF-8, as answers are JSON, and no longer than names are. NULL is
 * fine. */
int jl_cluster_door_check_text(const char *text, const char *where, struct joulie_error *err);
