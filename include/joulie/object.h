/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_OBJECT_H
#define JOULIE_OBJECT_H
#pragma once

/**
 * @file
 * Documents as text: cutting an input into documents, printing one in another form, and objects
 * (NodeTwin, NodeHardware, WorkloadProfile, Pod, Node, …) that are read, changed,
 * compared and printed again.
 *
 * An object keeps everything that its document had: members that this library does not know, and
 * the digits of every number. Nothing is lost on the way through it.
 *
 * **Paths** name a member from the root of the document, as the `where` of an error does:
 * `spec.cpu.packagePowerCapPctOfMax`, `status.cpu.packages[0].minWatts`. A key that is no plain
 * word stands in brackets and quotes, with a backslash before a quote or a backslash:
 * `metadata.labels["joulie.io/managed"]`; below a map of texts the rest of a path is one key, so
 * that `metadata.labels.joulie.io/managed` is the same. A path has at most 1024 bytes. Those of our
 * kinds are constants in <joulie/v1alpha1.h>.
 *
 *     struct joulie_object *twin;
 *     double pct;
 *     if (joulie_object_parse(text, len, NULL, JOULIE_OBJECT_LENIENT, &twin, &err) == JOULIE_OK) {
 *         if (joulie_object_get_number(twin, "spec.cpu.packagePowerCapPctOfMax", &pct, &err) == 1)
 *             joulie_object_set_number(twin, "spec.cpu.packagePowerCapPctOfMax", pct / 2, &err);
 *         joulie_object_free(twin);
 *     }
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
    size_t position;  /**< the library's: where the next document begins */
    uint32_t line;    /**< the library's: line at position, from 1 */
    uint32_t mode; /**< the library's: how the input is cut; 0: not yet found out, and nothing was
                      read */
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
 * @retval JOULIE_E_RANGE  a number is outside a double, or position lies behind the input
 * @retval JOULIE_E_ABI    struct_size or mode is impossible; the splitter does not move
 * @threads any, one splitter at a time
 * @since 0.1
 */
JOULIE_API int joulie_split(struct joulie_splitter *splitter, const char **text, size_t *len,
                            uint32_t *line, struct joulie_error *err);

/** Forms of joulie_format() and joulie_object_print(). */
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
 * @param form  how it is printed
 * @param out   to be freed with joulie_free(), written only on success; PRETTY and YAML end with a
 *              line feed
 * @param err   details, written only on failure; may be NULL
 * @retval JOULIE_OK             out is filled
 * @retval JOULIE_E_PARSE        the text is not one document
 * @retval JOULIE_E_RANGE        a number is outside a double
 * @retval JOULIE_E_LIMIT        the document is too large or nested too deep
 * @retval JOULIE_E_UNSUPPORTED  there is no such form, or YAML that JSON cannot express
 * @retval JOULIE_E_NOMEM        memory ran out
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_format(const char *text, size_t len, enum joulie_form form, char **out,
                             struct joulie_error *err);

/**
 * Applies a patch to a JSON document of any shape: an object is a JSON merge patch (RFC 7386), a
 * list a JSON patch (RFC 6902). Neither may be YAML. Objects of our kinds have
 * joulie_object_patch().
 *
 * @param target      borrowed for the call; NULL = empty
 * @param target_len  bytes of target, at most 16 MiB
 * @param patch       borrowed for the call; NULL = empty
 * @param patch_len   bytes of patch, at most 16 MiB
 * @param flags       0, or JOULIE_OBJECT_LENIENT: of a member that is given twice the last one
 *                    counts
 * @param out         the patched document as JSON on one line, to be freed with joulie_free();
 *                    written only on success
 * @param err         details on failure, may be NULL; `where` is a path in the text, or
 *                    `patch[3].path` for what is wrong with a JSON patch itself
 * @retval JOULIE_OK             out is filled
 * @retval JOULIE_E_PARSE        a text is not one document, has a member twice, or a path is no
 *                               JSON pointer
 * @retval JOULIE_E_UNSUPPORTED  there is no such flag
 * @retval JOULIE_E_CONFLICT     a test of the patch fails, or a place does not exist
 * @retval JOULIE_E_TYPE, JOULIE_E_REQUIRED, JOULIE_E_ENUM  the patch is none
 * @retval JOULIE_E_RANGE        a number is outside a double
 * @retval JOULIE_E_LIMIT        a document is too large or nested too deep
 * @retval JOULIE_E_NOMEM        memory ran out
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_patch(const char *target, size_t target_len, const char *patch,
                            size_t patch_len, uint32_t flags, char **out, struct joulie_error *err);

/**
 * The CustomResourceDefinition of a kind, as a document of YAML.
 *
 * @param kind       lower-case kind, plural or short name; NULL: the one at index among ours
 * @param index      from 0, until JOULIE_E_NOT_FOUND
 * @param is_legacy  1: of the kinds before NodeTwin instead of those of today
 * @param yaml       to be freed with joulie_free(); written only on success
 * @param err        details on failure, may be NULL
 * @retval JOULIE_OK, JOULIE_E_NOT_FOUND (index), JOULIE_E_UNSUPPORTED (kind), JOULIE_E_NOMEM
 * @threads any
 * @since 0.3
 */
JOULIE_API int joulie_crd(const char *kind, size_t index, int32_t is_legacy, char **yaml,
                          struct joulie_error *err);

/**
 * One API object; opaque. It belongs to one thread at a time. It takes about 100 bytes for each
 * value and 800 for each object and list of the document, besides the text of keys and strings.
 */
struct joulie_object;

/**
 * A flag of joulie_object_parse() and joulie_object_patch(): what the kind does not allow is kept
 * as it stands (members it does not have, words of a newer list, numbers out of bounds, values of
 * another type, required members that are missing), and of a member that is given twice the last
 * one counts. joulie_object_validate() then reports what is wrong.
 */
#define JOULIE_OBJECT_LENIENT UINT32_C(1)

/**
 * Reads one object, JSON or YAML.
 *
 * Without flags it is read only when it is what its kind asks for; members of metadata and of Pods
 * and Nodes that the library has no use for are kept and not checked. One of a list or of several
 * documents is cut out first, by joulie_split().
 *
 * @param text   borrowed for the call; NULL = empty
 * @param len    bytes of text, at most 16 MiB
 * @param kind   what it is when it does not name its kind, as the items of a core list do not: a
 * kind, plural or short name in small or capital letters, such as "Pod". The object then has
 * apiVersion and kind when it is printed. NULL: it must name it
 * @param flags  0 or JOULIE_OBJECT_LENIENT
 * @param out    the object, to be freed with joulie_object_free(); written only on success
 * @param err    details on failure, may be NULL; `where` is a path, `line` the place in the text
 * @retval JOULIE_OK             out is set
 * @retval JOULIE_E_PARSE        the text is not one document, or has a member twice
 * @retval JOULIE_E_UNSUPPORTED  this build has no such kind or version, or there is no such flag
 * @retval JOULIE_E_REQUIRED     a member is missing
 * @retval JOULIE_E_TYPE         a value has the wrong type
 * @retval JOULIE_E_UNKNOWN_MEMBER  the kind has no such member
 * @retval JOULIE_E_ENUM         a word is not in its list, or the object is of another kind
 * @retval JOULIE_E_RANGE        a number is outside its bounds, or outside a double
 * @retval JOULIE_E_CONFLICT     two items of a list have the same key
 * @retval JOULIE_E_LIMIT        the document is too large or nested too deep
 * @retval JOULIE_E_NOMEM        memory ran out
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_object_parse(const char *text, size_t len, const char *kind, uint32_t flags,
                                   struct joulie_object **out, struct joulie_error *err);

/**
 * Makes an object that has only apiVersion and kind, to be filled with the setters.
 *
 * @param api_version  such as JOULIE_V1ALPHA1_API_VERSION; NULL = the version that this build has
 * @param kind         as in joulie_object_parse()
 * @param out          the object, to be freed with joulie_object_free(); written only on success
 * @param err          details on failure, may be NULL
 * @retval JOULIE_OK             out is set
 * @retval JOULIE_E_UNSUPPORTED  this build has no such kind or version
 * @retval JOULIE_E_NOMEM        memory ran out
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_object_new(const char *api_version, const char *kind,
                                 struct joulie_object **out, struct joulie_error *err);

/**
 * Makes a second object that is equal to the first and shares nothing with it.
 *
 * @param out  to be freed with joulie_object_free(); written only on success
 * @param err  details on failure, may be NULL
 * @retval JOULIE_OK       out is set
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_copy(const struct joulie_object *object, struct joulie_object **out,
                                  struct joulie_error *err);

/** Frees an object and the texts that its getters gave. NULL does nothing. @threads the object's
 * @since 0.1 */
JOULIE_API void joulie_object_free(struct joulie_object *object);

/** The apiVersion of an object, such as "joulie.io/v1alpha1"; static text. @threads the object's
 * @since 0.1 */
JOULIE_API const char *joulie_object_api_version(const struct joulie_object *object);

/** The kind of an object, such as "NodeTwin"; static text. @threads the object's @since 0.1 */
JOULIE_API const char *joulie_object_kind(const struct joulie_object *object);

/** metadata.name, until the object is changed or freed; NULL when there is none. @threads the
 * object's @since 0.1 */
JOULIE_API const char *joulie_object_name(const struct joulie_object *object);

/** metadata.namespace, until the object is changed or freed; NULL when there is none. @threads the
 * object's @since 0.1 */
JOULIE_API const char *joulie_object_namespace(const struct joulie_object *object);

/**
 * Prints an object: members in the order of its kind, behind them in their own order those that the
 * kind does not have. Numbers keep their text. joulie_object_parse() of it gives an equal object.
 *
 * @param form  how it is printed
 * @param out   to be freed with joulie_free(), written only on success; PRETTY and YAML end with a
 *              line feed
 * @param err   details on failure, may be NULL
 * @retval JOULIE_OK             out is filled
 * @retval JOULIE_E_UNSUPPORTED  there is no such form
 * @retval JOULIE_E_NOMEM        memory ran out
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_print(const struct joulie_object *object, enum joulie_form form,
                                   char **out, struct joulie_error *err);

/**
 * Checks that an object is what its kind asks for, as joulie_object_parse() without flags does:
 * after a lenient parse, and when the setters are done, as these do not see what is missing.
 *
 * @param err  details on failure, may be NULL; `where` is the path of what is wrong
 * @retval JOULIE_OK  nothing is wrong
 * @retval JOULIE_E_REQUIRED, JOULIE_E_TYPE, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_ENUM,
 * JOULIE_E_RANGE, JOULIE_E_CONFLICT, JOULIE_E_LIMIT  as joulie_object_parse() says
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_validate(const struct joulie_object *object, struct joulie_error *err);

/**
 * The smallest JSON merge patch (RFC 7386) that makes one object out of another, as JSON on one
 * line: `{}` when they are equal. 60 and 60.0 are equal, a null member is an absent one, and the
 * order of members does not matter.
 *
 * @param before  as it is
 * @param after   as it should be; need not be of the same kind
 * @param out     to be freed with joulie_free(), written only on success
 * @param err     details on failure, may be NULL
 * @retval JOULIE_OK       out is filled
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads that of both objects
 * @since 0.1
 */
JOULIE_API int joulie_object_diff(const struct joulie_object *before,
                                  const struct joulie_object *after, char **out,
                                  struct joulie_error *err);

/**
 * Applies a patch, JSON or YAML: an object is a JSON merge patch (RFC 7386), a list a JSON patch
 * (RFC 6902). On failure the object is as before.
 *
 * @param text   borrowed for the call; NULL = empty
 * @param len    bytes of text, at most 16 MiB
 * @param flags  0: the object must then be what its kind asks for; JOULIE_OBJECT_LENIENT: only its
 *               apiVersion and kind must be those it had
 * @param err    details on failure, may be NULL; `where` is a path in the patched object, or
 *               `patch[3].path` for what is wrong with a JSON patch itself
 * @retval JOULIE_OK             the object is changed
 * @retval JOULIE_E_PARSE        the text is not one document, or a path is no JSON pointer
 * @retval JOULIE_E_UNSUPPORTED  the patch would change apiVersion or kind, or there is no such flag
 * @retval JOULIE_E_CONFLICT     a test of the patch fails, or a place does not exist; also as
 *                               joulie_object_validate() says
 * @retval JOULIE_E_TYPE, JOULIE_E_REQUIRED, JOULIE_E_ENUM  the patch is none, or as
 *                               joulie_object_validate() says
 * @retval JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_RANGE  as joulie_object_validate() says
 * @retval JOULIE_E_LIMIT        patch or object is too large or nested too deep
 * @retval JOULIE_E_NOMEM        memory ran out
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_patch(struct joulie_object *object, const char *text, size_t len,
                                   uint32_t flags, struct joulie_error *err);

/**
 * A number of the document: its own, whether or not it is inside its bounds. A null member is
 * absent. Costs about a microsecond, without allocation, as all getters.
 *
 * Getters also read below values of free shape, such as `status.controlStatus.cpu.observed`, and
 * what metadata, Pods and Nodes have beside the members that this library knows.
 *
 * @param path  of a number or an integer
 * @param out   written only when 1 is returned
 * @param err   details on failure, may be NULL; `where` is the path
 * @retval 1  out is filled
 * @retval 0  it is absent
 * @retval JOULIE_E_UNKNOWN_MEMBER  the kind has no such member
 * @retval JOULIE_E_TYPE   the kind has something else there than was asked for, or the document has
 * @retval JOULIE_E_PARSE  this is no path
 * @retval JOULIE_E_LIMIT  the path is too long
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_get_number(const struct joulie_object *object, const char *path,
                                        double *out, struct joulie_error *err);

/**
 * An integer of the document; 60.0 is one. As joulie_object_get_number(), and
 *
 * @retval JOULIE_E_RANGE  it does not fit 64 bits
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_get_integer(const struct joulie_object *object, const char *path,
                                         int64_t *out, struct joulie_error *err);

/**
 * A boolean of the document, 1 or 0. As joulie_object_get_number().
 *
 * @retval 1, 0, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_TYPE, JOULIE_E_PARSE, JOULIE_E_LIMIT  as there
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_get_bool(const struct joulie_object *object, const char *path,
                                      int32_t *out, struct joulie_error *err);

/**
 * A text of the document, words of a list included: `*out` is UTF-8 and lives until the object is
 * changed or freed. joulie_word_value() turns a word into its value. As joulie_object_get_number();
 * for a number among quantities (`status.capacity.cpu`), which is read as its text, also
 *
 * @retval JOULIE_E_NOMEM  memory ran out
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_get_text(const struct joulie_object *object, const char *path,
                                      const char **out, struct joulie_error *err);

/**
 * How many items a list has, or how many members a map or an object has, nulls included.
 * As joulie_object_get_number().
 *
 * @retval 1, 0, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_TYPE, JOULIE_E_PARSE, JOULIE_E_LIMIT  as there
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_count(const struct joulie_object *object, const char *path,
                                   size_t *out, struct joulie_error *err);

/**
 * Sets a number, and makes the objects and lists around it where they are missing. An item of a
 * list may stand just behind the last one, which makes the list longer. On failure the object is as
 * before.
 *
 * Only members that the kind has can be set; others, and whole lists and objects, by
 * joulie_object_patch(). apiVersion and kind cannot be set.
 *
 * @param path   of a number or an integer
 * @param value  must be finite and within the bounds of the member
 * @param err    details on failure, may be NULL; `where` is the path
 * @retval JOULIE_OK               it is set
 * @retval JOULIE_E_UNKNOWN_MEMBER the kind has no such member
 * @retval JOULIE_E_TYPE           the kind has something else there, or the document has on the way
 * @retval JOULIE_E_RANGE          out of bounds, or an item far behind the end of its list
 * @retval JOULIE_E_UNSUPPORTED    the member is below a value of free shape, or is apiVersion or
 *                                 kind
 * @retval JOULIE_E_PARSE          this is no path, or a text that is not UTF-8
 * @retval JOULIE_E_LIMIT          the path, or the text, is too long
 * @retval JOULIE_E_NOMEM          memory ran out
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_set_number(struct joulie_object *object, const char *path,
                                        double value, struct joulie_error *err);

/**
 * Sets an integer or a number. As joulie_object_set_number().
 *
 * @retval JOULIE_OK, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_TYPE, JOULIE_E_RANGE, JOULIE_E_UNSUPPORTED,
 * JOULIE_E_PARSE, JOULIE_E_LIMIT, JOULIE_E_NOMEM  as there
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_set_integer(struct joulie_object *object, const char *path,
                                         int64_t value, struct joulie_error *err);

/**
 * Sets a boolean: 0 is false, anything else true. As joulie_object_set_number().
 *
 * @retval JOULIE_OK, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_TYPE, JOULIE_E_RANGE, JOULIE_E_UNSUPPORTED,
 * JOULIE_E_PARSE, JOULIE_E_LIMIT, JOULIE_E_NOMEM  as there
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_set_bool(struct joulie_object *object, const char *path, int32_t value,
                                      struct joulie_error *err);

/**
 * Sets a text or a word of a list. As joulie_object_set_number().
 *
 * @param value  UTF-8, copied, at most 16 MiB
 * @retval JOULIE_E_REQUIRED  value is NULL
 * @retval JOULIE_E_ENUM      it is none of the words of the member
 * @retval JOULIE_OK, JOULIE_E_UNKNOWN_MEMBER, JOULIE_E_TYPE, JOULIE_E_RANGE, JOULIE_E_UNSUPPORTED,
 * JOULIE_E_PARSE, JOULIE_E_LIMIT, JOULIE_E_NOMEM  as there
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_set_text(struct joulie_object *object, const char *path,
                                      const char *value, struct joulie_error *err);

/**
 * Takes a member out, whatever it is: a number, a whole object, an item of a list (those behind it
 * move up), a member that the kind does not have. What is around it stays, empty or not. One that
 * is not there is no error.
 *
 * @param err  details on failure, may be NULL; `where` is the path
 * @retval JOULIE_OK             it is not there
 * @retval JOULIE_E_TYPE         the document has something else on the way
 * @retval JOULIE_E_UNSUPPORTED  apiVersion, kind and the whole document cannot be taken out
 * @retval JOULIE_E_PARSE        this is no path
 * @retval JOULIE_E_LIMIT        the path is too long
 * @threads the object's
 * @since 0.1
 */
JOULIE_API int joulie_object_unset(struct joulie_object *object, const char *path,
                                   struct joulie_error *err);

#ifdef __cplusplus
}
#endif

#endif
