/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The question table. One file per subject holds: the struct of its input, the struct of its
 * answer, their two tables, and a function that decodes nothing and computes nothing: it calls one
 * subject and fills the answer.
 */

#include <joulie/ask.h>

#include "kinds/workload_profile.h"
#include "schema/decode.h"
#include "schema/row.h"

#ifdef JL_ASK_TABLES
#define RECORD_TABLES
#endif

/* The member "options" that every question accepts, merged with struct joulie_ask_options. */
#define RECORD jl_options
#define MEMBERS                                                                             \
    STRING(model, "model", "Rule set; current is the default.")                             \
    INTEGER(score_range, "scoreRange", "Range of the score on the wire: 10 or 100.")        \
    BOOLEAN(lenient, "lenient", "Skip unknown members with a warning.")                     \
    STRING(physics, "physics", "Physics set: current or v0.1.1.")                           \
    STRING(to, "to", "Dialect to convert to: A, B or C.")                                   \
    BOOLEAN(detect, "detect", "Only tell the dialect of the object.")                       \
    NUMBER(gpu_tflops, "gpuTflops", "FP16 TFLOPS of one GPU, for percents of it.", OVER(0)) \
    STRING(gpu_model, "gpuModel", "GPU of the catalogue, for percents of it.")              \
    STRING(output, "output", "Form of a thread profile: toml.")                             \
    BOOLEAN(scx, "scx", "A plan of threads as layers of scx_layered.")                      \
    BOOLEAN(any_shape, "anyShape", "A thread profile also for other machines than its own.")
#include "schema/shared_record.h"

#undef RECORD_TABLES

struct jl_ask {
    struct jl_arena *arena;    /* input and answer live here */
    struct joulie_error *err;  /* never NULL */
    struct jl_options options; /* already checked against the question's lists */
    struct jl_decode *decode;  /* to decode raw members and to report places */
    struct jl_raw whole;       /* with text: JSON that is the answer, in the place of out */
    /* Told what an answer cannot say, where is a path from the document root; NULL = nobody. */
    joulie_ask_warning_fn *on_warning;
    /* Of joulie_ask_options; NULL = no zone but UTC. */
    int (*find_zone)(void *user, const char *name, const void **out_bytes, size_t *out_len);
    void *user;
};

enum jl_question_flag {
    JL_TAKES_TEXT = 1 << 0,       /* no input table: answer reads ask->decode->text (validate) */
    JL_SOURCE_UNCHECKED = 1 << 1, /* with a version word the input is read with JL_UNCHECKED */
};

struct jl_question {
    const char *name;    /* "cap.resolve" */
    const char *summary; /* one line for `joulie ask --list` */
    const struct jl_table *in;
    const struct jl_table *out;
    const char *const *models; /* NULL-terminated rule sets; NULL = only "current" */
    uint32_t flags;
    /*
     * in and out are structs of the two tables, out zeroed. Returns 0 or a code with ask->err
     * filled.
     */
    int (*answer)(struct jl_ask *ask, const void *in, void *out);
};

/*
 * Defines jl_question_ID. Its input and answer are the records ID_in and ID_out, and answer_ID()
 * answers it; more initialisers of struct jl_question may follow the summary.
 *
 *     static int answer_time(struct jl_ask *ask, const struct time_in *in, struct time_out *out)
 *     {
 *         ...
 *     }
 *
 *     JL_QUESTION(time, "time", "Read a time of a Kubernetes object: canonical text in UTC");
 */
#define JL_QUESTION(id, word, ...) JL_QUESTION_OF(id, id##_in, id##_out, word, __VA_ARGS__)
/* The same of two records that are called otherwise. */
#define JL_QUESTION_OF(id, in_record, out_record, word, ...)                  \
    static int answer_any_##id(struct jl_ask *ask, const void *in, void *out) \
    {                                                                         \
        return answer_##id(ask, in, out);                                     \
    }                                                                         \
                                                                              \
    const struct jl_question jl_question_##id = { .name = (word),             \
                                                  .in = &in_record##_table,   \
                                                  .out = &out_record##_table, \
                                                  .answer = answer_any_##id,  \
                                                  .summary = __VA_ARGS__ }

/* The rule sets of a question, where it has more than "current". */
/* clang-format off */
#define JL_MODELS(...) .models = (const char *const[]){ __VA_ARGS__, NULL }
/* clang-format on */

/* Without options.model it is "current". */
bool jl_is_model(const struct jl_ask *ask, const char *word);
bool jl_is_current(const struct jl_ask *ask);

/* Warns of annotations of a pod whose word nobody knows; `where` is the path of the pod's metadata,
 * "" = the annotations stand at the root. */
void jl_ask_check_annotations(const struct jl_ask *ask, const char *where,
                              const struct jl_map *annotations);

/* Shorthands for failures inside an answer: where is a path from the document root. */
int jl_ask_fail(struct jl_ask *ask, int code, const char *where, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Members that this input needs because of others, as JL_ASK_ROW()s; the first one that is missing
 * is the error. Those that are always needed are REQUIRED. */
int jl_ask_require(struct jl_ask *ask, const struct jl_table *table, const void *in, uint64_t rows);
#define JL_ASK_ROW(record, member) (UINT64_C(1) << JL_INDEX(record, member))

/* What is said of a question that jl_question_find() does not find; question may be NULL. */
int jl_ask_unknown(const char *question, struct joulie_error *err);

/* A path such as "nodes[3].name" in the arena, for jl_ask_fail(). */
const char *jl_ask_path(struct jl_ask *ask, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Remembers the name of a node of an input's list; a second one of that name is a conflict at this
 * path. */
int jl_ask_name_once(struct jl_ask *ask, struct jl_index *names, const char *name,
                     const char *path_format, ...) __attribute__((format(printf, 4, 5)));

/* Room for the n items of a list of the answer, which is given from here on; NULL when memory ran
 * out. */
#define JL_NEW_LIST(ask, out, member, n, type)                                              \
    (JL_SET(out, member, ((struct jl_list){ JL_NEW_ARRAY((ask)->arena, (n), type), (n) })), \
     (type *)(out)->member.items)

/* Pointers to the WorkloadProfiles of a list. 0 or JOULIE_E_NOMEM. */
int jl_ask_profiles(struct jl_ask *ask, const struct jl_list *list,
                    const struct jl_workload_profile *const **out);

/* NULL-terminated list of every question, sorted by name (ask/questions.c). */
extern const struct jl_question *const jl_questions[];
const struct jl_question *jl_question_find(const char *name);
