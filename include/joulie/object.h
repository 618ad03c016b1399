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

/** Where a splitter stands; start with JOULIE_INIT(struct joulie_splitter) and set text and len. Keeps no memory. */
struct joulie_splitter {
    size_t struct_size;
    const char *text; /**< the whole input, borrowed */
    size_t len;
    size_t position;  /**< of the next document; 0 at the start */
    uint32_t line;    /**< line at position, from 1; 0 at the start */
    uint32_t mode;    /**< how the input is cut; 0 = not yet found out */
};

/**
 * The next document of an input: a JSON object, the elements of a JSON array, JSON lines, or YAML with "---" between
 * documents; found out by content. A document of blanks and comments is left out.
 *
 * @param splitter  moves behind the document
 * @param text      points into the input
 * @param len       bytes
 * @param line      line of the input on which the document starts, from 1
 * @retval 1        text, len and line are filled
 * @retval 0        no document is left
 * @retval JOULIE_E_PARSE  a JSON array or line is broken here; the splitter moves to the end of an array, or behind the
 *                  line, and goes on from there
 * @retval JOULIE_E_LIMIT  nested too deep; as JOULIE_E_PARSE
 * @retval JOULIE_E_RANGE  a number outside a double; as JOULIE_E_PARSE
 * @retval JOULIE_E_ABI  struct_size is impossible
 * @threads any, one splitter at a time
 * @since 0.1
 */
JOULIE_API int joulie_split(struct joulie_splitter *splitter, const char **text, size_t *len, uint32_t *line,
                            struct joulie_error *err);

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
 * @param out  to be freed with joulie_free(); PRETTY and YAML end with a line feed
 * @retval JOULIE_OK, JOULIE_E_PARSE, JOULIE_E_RANGE, JOULIE_E_LIMIT, JOULIE_E_UNSUPPORTED (form, or YAML that JSON cannot say), JOULIE_E_NOMEM
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_format(const char *text, size_t len, int form, char **out, struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
