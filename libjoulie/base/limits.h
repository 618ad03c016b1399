/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Every limit of the library in one place (cli.md §1). */

#define JL_LIMIT_OBJECT_BYTES ((size_t)16 << 20)    /* one object */
#define JL_LIMIT_DOCUMENT_BYTES ((size_t)1 << 30)   /* one document of a question */
#define JL_LIMIT_NESTING 128                        /* objects and arrays inside each other */
#define JL_LIMIT_TRACE_LINE_BYTES ((size_t)1 << 20) /* joulie-simulator.md §9.1 */
#define JL_LIMIT_QUANTITY_BYTES 64                  /* tensor-fusion.md §3.1 */

/* Aliases may grow a YAML document this many times, plus some bytes for a short one. */
#define JL_LIMIT_YAML_EXPANSION 10
#define JL_LIMIT_YAML_EXTRA 4096

/*
 * Decoded bytes per byte of text. The rest is for documents of many objects that say little: an
 * empty node of a plan takes 1.5 KiB. Together they bound what a hostile document can ask for.
 */
#define JL_LIMIT_DECODED_FACTOR 32
#define JL_LIMIT_TREE_FACTOR 64 /* the same for json-c trees, which take more */
#define JL_LIMIT_DECODED_EXTRA ((size_t)16 << 20)
