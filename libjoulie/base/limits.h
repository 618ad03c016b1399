/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Every limit of the library in one place. */

#define JL_LIMIT_OBJECT_BYTES ((size_t)16 << 20)    /* one object */
#define JL_LIMIT_DOCUMENT_BYTES ((size_t)1 << 30)   /* one document of a question */
#define JL_LIMIT_NESTING 128                        /* objects and arrays inside each other */
#define JL_LIMIT_TRACE_LINE_BYTES ((size_t)1 << 20) /* one event of a trace */
#define JL_LIMIT_QUANTITY_BYTES 64                  /* a quantity or ratio */
#define JL_LIMIT_ZONES 4096                         /* powercap zones of one machine */
#define JL_LIMIT_POLICIES 8192                      /* cpufreq policies of one machine */
#define JL_LIMIT_NUMBER_FILE_BYTES ((size_t)64)     /* a file of one number */
#define JL_LIMIT_CPUS 8192                          /* CPU numbers of one machine, from 0 */

/* A host has a control per GPU, package and cpufreq policy; a journal is replaced at 1 MiB. */
#define JL_LIMIT_JOURNAL_BYTES ((size_t)64 << 20)
#define JL_LIMIT_JOURNAL_KEYS ((size_t)16384) /* open at a time */

#define JL_LIMIT_CANDIDATES ((size_t)100000) /* nodes of one request of a scheduler */

#define JL_LIMIT_PATH_BYTES 1024 /* of a member, as a caller writes it (joulie/object.h) */

#define JL_LIMIT_ENDPOINT_BYTES ((size_t)8192) /* a URL or query with the node's name put in */

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
