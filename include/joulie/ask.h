/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_ASK_H
#define JOULIE_ASK_H
#pragma once

/**
 * @file
 * Questions: every decision of the library as one call, JSON (or YAML) in, JSON out.
 *
 * The command line, the Python package, the test vectors and the fuzzers all go through
 * joulie_ask(), so an answer has the same bytes for every caller.
 */

#include <joulie/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Takes one warning; texts are borrowed for the call. */
typedef void joulie_ask_warning_fn(void *user, const char *where, const char *message);

/**
 * Options of a question; start with JOULIE_INIT(struct joulie_ask_options). A document's own member
 * "options" wins.
 */
struct joulie_ask_options {
    size_t struct_size;
    const char *model;   /**< rule set, such as "v0.1.1"; NULL = "current" */
    const char *physics; /**< physics set of simulations, "current" or "v0.1.1"; NULL = "current" */
    int32_t score_range; /**< 10 or 100; 0 = 10 */
    int32_t is_lenient;  /**< 1: unknown members are skipped and reported to on_warning */
    joulie_ask_warning_fn *on_warning; /**< called during joulie_ask(); may be NULL. What "convert"
                                            cannot express and "validate" doubts is reported as
                                            "Word: text" */
    void *user;                        /**< first argument of on_warning and find_zone */
    /**
     * Finds a time zone that a cron rule names (questions "cron.active", "autoscale"): a
     * joulie_zone_fn of <joulie/autoscale.h>, whose bytes have to stay until it is called again or
     * joulie_ask() returns. NULL: there is no zone but UTC. Since 0.3.
     */
    int (*find_zone)(void *user, const char *name, const void **out_bytes, size_t *out_len);
};

/**
 * Answers one question about one document.
 *
 * Pure: no file, no clock, no environment, no locale; equal inputs give equal bytes on every
 * machine. Time zones of cron schedules are an input too: options->find_zone gives them.
 *
 * @param question  a name of joulie_ask_list(), such as "predict" or "cap.resolve"
 * @param text      the document, JSON or YAML, UTF-8; borrowed for the call; NULL = empty
 * @param len       bytes of text, at most 1 GiB
 * @param options   may be NULL
 * @param answer    one line of JSON without the line feed, to be freed with joulie_free(); written
 *                  only on success
 * @param err       details, written only on failure; may be NULL
 * @retval JOULIE_OK               answer is filled
 * @retval JOULIE_E_PARSE          the document is not JSON or YAML, a member is given twice, or a
 *                                 text breaks its grammar
 * @retval JOULIE_E_TYPE           a member has the wrong JSON type
 * @retval JOULIE_E_UNKNOWN_MEMBER a member that the question does not have
 * @retval JOULIE_E_REQUIRED       a member is missing
 * @retval JOULIE_E_ENUM           a word that its list does not have, or an object of another kind
 * @retval JOULIE_E_RANGE          a number outside its bounds
 * @retval JOULIE_E_LIMIT          the document is above 1 GiB, an object above 16 MiB, nesting is
 *                                 above 128, or decoding takes far more memory than the text
 * @retval JOULIE_E_CONFLICT       two members contradict each other
 * @retval JOULIE_E_UNSUPPORTED    question, kind, rule set or option that this build does not have,
 *                                 or YAML that JSON cannot say
 * @retval JOULIE_E_NOMEM          memory ran out; everything was released
 * @retval JOULIE_E_ABI            struct_size of options is impossible, or a member of a
 *                                 newer release is set
 * @retval JOULIE_E_INTERNAL       a bug of the library
 * @threads any; no locking needed
 * @since 0.1
 */
JOULIE_API int joulie_ask(const char *question, const char *text, size_t len,
                          const struct joulie_ask_options *options, char **answer,
                          struct joulie_error *err);

/**
 * The questions of this build, as JSON: [{"name","summary"}, …] sorted by name.
 *
 * @param answer  to be freed with joulie_free(); written only on success
 * @param err     details, written only on failure; may be NULL
 * @retval JOULIE_OK       answer is filled
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_ask_list(char **answer, struct joulie_error *err);

/**
 * Members of a question's input and answer, as JSON: {"name","summary","models",
 * "input": [{"path","type","enum"?,"minimum"?,"exclusiveMinimum"?,"maximum"?,"required",
 * "description"?}], "output": […]}.
 *
 * @param question  a name of joulie_ask_list()
 * @param answer    to be freed with joulie_free(); written only on success
 * @param err       details, written only on failure; may be NULL
 * @retval JOULIE_OK             answer is filled
 * @retval JOULIE_E_UNSUPPORTED  this build has no such question
 * @retval JOULIE_E_NOMEM        memory ran out
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_ask_describe(const char *question, char **answer, struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
