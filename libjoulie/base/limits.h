/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Every limit of the library in one place (cli.md §1). */

#define JL_LIMIT_OBJECT_BYTES ((size_t)16 << 20)  /* one object */
#define JL_LIMIT_DOCUMENT_BYTES ((size_t)1 << 30) /* one document of a question */
#define JL_LIMIT_NESTING 128                      /* objects and arrays inside each other */
#define JL_LIMIT_TRACE_LINE_BYTES \
    ((size_t)1 << 20)              /* one line of a trace (joulie-simulator.md §9.1) */
#define JL_LIMIT_QUANTITY_BYTES 64 /* text of a quantity (tensor-fusion.md §3.1) */
#define JL_LIMIT_YAML_EXPANSION 10 /* aliases may grow a YAML document this many times */
#define JL_LIMIT_DECODED_FACTOR 32 /* decoded bytes per byte of text, plus */
#define JL_LIMIT_DECODED_EXTRA 4096
