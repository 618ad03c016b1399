/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files that read an autoscaler's config share. */

#include "autoscale/profile.h"
#include "tensor_fusion/dialect.h"
#include "tensor_fusion/ratio.h"

/* Where the fields of a layer are searched: the profile first, the pool behind it. */
struct jl_scale_block {
    struct json_object *own;     /* autoScalingConfig as it was written; NULL = none */
    struct json_object *members; /* the same in the dialect that is read */
    const char *path;            /* of own in the document */
    bool is_converted;           /* members are not those of own */
};

#define JL_SCALE_BLOCKS 2

struct jl_scale_reported {
    struct jl_scale_condition condition;
    struct jl_scale_reported *next;
};

struct jl_scale_reader {
    const struct jl_autoscale_source *source;
    struct jl_arena *arena;
    struct jl_autoscale_config *out;
    struct jl_amount_texts *texts;
    const char *gpu_model; /* of the profile, which lives longer; NULL = absent */
    struct jl_scale_block blocks[JL_SCALE_BLOCKS];
    struct jl_scale_reported *first;
    struct jl_scale_reported *last;
    size_t reported;
    int code;                 /* what failed last, and err says why; 0 = fine */
    struct joulie_error *err; /* of full size: a failure that is worked around does not leave */
};

/* A field: the layer's key, below it perhaps a part, and the key itself. */
struct jl_scale_key {
    const char *layer;
    const char *part; /* "prediction", or NULL */
    const char *key;
};

/* ---- profile_fields.c ---- */

void jl_scale_report(struct jl_scale_reader *reader, enum jl_scale_reason reason, const char *where,
                     const char *message);
/* A text of the reader's arena; "" when memory ran out for it. */
const char *jl_scale_made(struct jl_scale_reader *reader, const char *made);
#define JL_SCALE_JOIN(reader, ...) jl_scale_made((reader), JL_JOIN((reader)->arena, __VA_ARGS__))
/* A copy; "" when memory ran out, as for a text of json-c that is NULL. */
const char *jl_scale_copy(struct jl_scale_reader *reader, const char *text);
/* The path of a member below a path, which may be that of the document itself. */
const char *jl_scale_below(struct jl_scale_reader *reader, const char *path, const char *below);
/* What was reported, in its order, into the config. */
void jl_scale_put_conditions(struct jl_scale_reader *reader);
/* The path of the profile's GPU model, which every percent is of. */
const char *jl_scale_gpu_path(struct jl_scale_reader *reader);

/* A member and its path. */
struct jl_scale_found {
    struct json_object *value; /* NULL = absent */
    const char *where;
};

struct jl_scale_text {
    const char *text; /* NULL = absent, empty, or no text, which was reported */
    const char *where;
};

/* The member in the first block that has it. An empty text is not a value. */
struct jl_scale_found jl_scale_field(struct jl_scale_reader *reader,
                                     const struct jl_scale_key *key);
bool jl_scale_bool(struct jl_scale_reader *reader, const struct jl_scale_key *key);
struct jl_scale_text jl_scale_text(struct jl_scale_reader *reader, const struct jl_scale_key *key);
/* Every field of jl_config_fields that is in this part of this layer, into the config. */
void jl_scale_read_fields(struct jl_scale_reader *reader, const char *layer, const char *part);
void jl_scale_read_prediction(struct jl_scale_reader *reader, const char *layer,
                              struct jl_scale_prediction *out);

/* ---- profile_dialect.c ---- */

/* The profile and its pool in the dialects that are read; they must live while fields are. */
struct jl_scale_trees {
    struct json_object *own;    /* the profile in dialect A: its amounts are TFLOPS */
    struct json_object *read;   /* the profile in the dialect that is read */
    struct json_object *pool;   /* the pool's block as an object */
    struct json_object *pooled; /* the same in the dialect that is read */
};

/* What a conversion could not read is reported. */
void jl_scale_make_trees(struct jl_scale_reader *reader, enum jl_dialect dialect,
                         struct jl_scale_trees *out);
void jl_scale_clear_trees(struct jl_scale_trees *trees);
struct json_object *jl_scale_block_of(struct json_object *object);

/* ---- profile_rules.c ---- */

/* Resources of a profile or a rule; unset members stay. False: a quantity is bad, and was reported.
 */
bool jl_scale_amounts(struct jl_scale_reader *reader, struct json_object *resources,
                      const char *path, struct jl_amounts *out);
void jl_scale_read_rules(struct jl_scale_reader *reader);
void jl_scale_read_external(struct jl_scale_reader *reader);
