/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files about writes share. */

#include "apiserver/parts.h"

/* Reasons of causes (docs/rules/apiserver.md#failures). */
#define JD_INVALID "FieldValueInvalid"
#define JD_REQUIRED "FieldValueRequired"
#define JD_UNSUPPORTED "FieldValueNotSupported"
#define JD_FORBIDDEN "FieldValueForbidden"
#define JD_WRONG_TYPE "FieldValueTypeInvalid"
#define JD_TOO_LONG "FieldValueTooLong"

struct jd_writing {
    struct jd_request *request;
    struct json_object *tree; /* what shall be stored */
    enum jd_field_check fields;
    struct jd_causes causes;
    struct jd_unknown unknown;
};

/* Those that return bool: false = a Status was given. */

bool jd_writing_begin(struct jd_writing *writing, struct jd_request *request);
void jd_writing_clear(struct jd_writing *writing);
/* The body as writing->tree. */
bool jd_writing_read(struct jd_writing *writing);
bool jd_writing_take_kind(struct jd_writing *writing);
bool jd_writing_take_namespace(struct jd_writing *writing);
/* Schema and rules; before may be NULL. */
bool jd_writing_check(struct jd_writing *writing, struct json_object *before);
/* The object as it would be stored, for an answer that stores nothing. */
void jd_writing_reply_dry(struct jd_writing *writing, int code, const struct jd_object *before);

const char *jd_content_type(struct jd_request *request);
bool jd_read_dry_run(struct jd_request *request, const char *word);
bool jd_check_size(struct jd_request *request, size_t len);
bool jd_fail_body(struct jd_request *request, const struct joulie_error *err);
bool jd_fail_conflict(struct jd_request *request, const char *message);
/* uid: NULL or "" = whichever it is; found: NULL = there is no object. */
bool jd_check_uid(struct jd_request *request, const char *uid, const char *found);

/* The object that the path names; NULL = there is none. */
struct jd_object *jd_find_object(struct jd_request *request);
/* writing->tree as the next state of before, when it may be that, and the answer. */
void jd_update_finish(struct jd_writing *writing, struct jd_object *before);
/* The same without any check. */
void jd_update_store(struct jd_writing *writing, struct jd_object *before);
/* Removes it, and answers with a Status. */
void jd_reply_removed(struct jd_request *request, struct jd_object *object);
/* By a DeleteOptions, which may be NULL: with its preconditions, or later. */
void jd_delete_object(struct jd_request *request, struct jd_object *object,
                      struct json_object *options);
