/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The files of a kubeconfig, and the objects in them that have a name: the first file that has one
 * wins. */

#include <stdbool.h>
#include <stddef.h>

#include <joulie/error.h>

struct json_object;

#define JD_PLACE_BYTES 256
#define JD_KUBECONFIG_MOST_FILES 64

struct jd_kubeconfig_file {
    char *path;
    struct json_object *root;
};

struct jd_kubeconfig { /* zeroed at the start */
    struct jd_kubeconfig_file items[JD_KUBECONFIG_MOST_FILES];
    size_t count;
};

/* An object in a file, and how to find it again by eye. */
struct jd_spot {
    const struct jd_kubeconfig_file *file;
    struct json_object *object; /* NULL = empty */
    char place[JD_PLACE_BYTES];
};

/* files: one, which has to exist, when is_explicit; else a list with colons. */
int jd_kubeconfig_read(struct jd_kubeconfig *files, const char *list, bool is_explicit,
                       struct joulie_error *err);
void jd_kubeconfig_clear(struct jd_kubeconfig *files);
/* The name of the context: given, or the first current-context. */
int jd_kubeconfig_context(const struct jd_kubeconfig *files, const char *given, const char **out,
                          struct joulie_error *err);

struct jd_kubeconfig_part {
    const char *list;
    const char *member;
};

extern const struct jd_kubeconfig_part jd_kubeconfig_contexts, jd_kubeconfig_clusters,
    jd_kubeconfig_users;

int jd_kubeconfig_find(const struct jd_kubeconfig *files, const struct jd_kubeconfig_part *part,
                       const char *name, struct jd_spot *out, struct joulie_error *err);
/* A path in a file is relative to that file's directory. NULL = memory ran out. */
char *jd_kubeconfig_path(const struct jd_kubeconfig_file *file, const char *path);

/* "FILE: PLACE.KEY: message"; returns code. key NULL = the object itself. */
int jd_spot_fail(const struct jd_spot *spot, const char *key, int code, const char *message,
                 struct joulie_error *err);
struct json_object *jd_spot_value(const struct jd_spot *spot, const char *key);
/* *out = NULL when it is absent or empty. */
int jd_spot_text(const struct jd_spot *spot, const char *key, const char **out,
                 struct joulie_error *err);
int jd_spot_copy(const struct jd_spot *spot, const char *key, char **out, struct joulie_error *err);
int jd_spot_bool(const struct jd_spot *spot, const char *key, bool *out, struct joulie_error *err);
