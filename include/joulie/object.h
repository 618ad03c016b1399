/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_OBJECT_H
#define JOULIE_OBJECT_H
#pragma once

/**
 * @file
 * Documents as text: cutting an input into documents, and printing one in another form.
 */

#include <joulie/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Where a splitter stands; start with JOULIE_INIT(struct joulie_splitter) and set text and len.
 * Keeps no memory.
 */
struct joulie_splitter {
    size_t struct_size;
    const char *text; /**< the whole input, borrowed; NULL = empty */
    size_t len;       /**< bytes of text */
    size_t position;  /**< of the next document; 0 at the start */
    uint32_t line;    /**< line at position, from 1; 0 at the start */
    uint32_t mode;    /**< how the input is cut; 0 = not yet found out */
};

/**
 * The next document of an input: a JSON object, the elements of a JSON array, JSON lines, or YAML
 * with "---" between documents; found out by content. A document of blanks and comments is left
 * out. YAML is only cut, not checked.
 *
 * After a failure the splitter stands behind the line on which the broken document starts, or at
 * the end of the input when it is in an array, and goes on from there.
 *
 * @param splitter  moves behind the document
 * @param text      points into the input
 * @param len       bytes
 * @param line      line of the input on which the document starts, from 1
 * @param err       details, written only on failure; may be NULL
 * @retval 1        text, len and line are filled
 * @retval 0        no document is left
 * @retval JOULIE_E_PARSE  a JSON array or line is broken here
 * @retval JOULIE_E_LIMIT  it is nested too deep
 * @retval JOULIE_E_RANGE  a number is outside a double
 * @retval JOULIE_E_ABI    struct_size is impossible; the splitter does not move
 * @threads any, one splitter at a time
 * @since 0.1
 */
JOULIE_API int joulie_split(struct joulie_splitter *splitter, const char **text, size_t *len,
                            uint32_t *line, struct joulie_error *err);

/** Forms of joulie_format(). */
enum joulie_form {
    JOULIE_FORM_UNKNOWN = 0,
    JOULIE_FORM_LINE = 1,   /**< JSON on one line, without blanks */
    JOULIE_FORM_PRETTY = 2, /**< JSON, two blanks per level */
    JOULIE_FORM_YAML = 3    /**< YAML, block style */
};

/**
 * Prints one document (JSON or YAML) in another form. Keys keep their order, numbers their text.
 *
 * @param text  the document, borrowed for the call; NULL = empty
 * @param len   bytes of text, at most 1 GiB
 * @param form  enum joulie_form
 * @param out   to be freed with joulie_free(), written only on success; PRETTY and YAML end with a
 *              line feed
 * @param err   details, written only on failure; may be NULL
 * @retval JOULIE_OK             out is filled
 * @retval JOULIE_E_PARSE        the text is not one document
 * @retval JOULIE_E_RANGE        a number is outside a double
 * @retval JOULIE_E_LIMIT        the document is too large or nested too deep
 * @retval JOULIE_E_UNSUPPORTED  there is no such form, or YAML that JSON cannot say
 * @retval JOULIE_E_NOMEM        memory ran out
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_format(const char *text, size_t len, int form, char **out,
                             struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
