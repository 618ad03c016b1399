/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* One list of a collection, page by page (docs/rules/clients.md#lists). It asks and reads; what its
 * end means is its owner's. */

#include "kube/client.h"
#include "kube/meta.h"

struct jd_list_selection { /* what is listed and watched; texts are the owner's */
    struct jd_kube *kube;
    const struct jd_resource *resource;
    char *name_space; /* NULL = all */
    char *label_selector;
    char *field_selector;
};

void jd_put_selectors(struct jl_buffer *query, const struct jd_list_selection *selection);

struct jd_kube_list_end {
    int code;            /* 200 = the list is whole; 0 = no answer, or one that cannot be used */
    const char *version; /* of a whole one */
    const char *message; /* why it is none, for a person */
    bool is_broken;      /* what came is no list */
    bool is_version_too_large;
    bool has_object_name; /* a 404 is about an object, not about the kind */
    double retry_after_s; /* < 0 = the server asks for no wait */
};

struct jd_kube_list {
    /* Given at the start; the rest is zero then. */
    const struct jd_list_selection *selection;
    int64_t page;              /* items of a page */
    void (*begin)(void *user); /* before the first page, also when it begins anew: a token had
                                  expired */
    void (*object)(void *user, struct jl_text object, const struct jd_meta *meta);
    void (*done)(void *user, const struct jd_kube_list_end *end); /* the last that it does */
    void *user;

    bool is_on;
    bool is_unlimited;        /* in one page: a token had expired */
    struct jl_buffer version; /* that is asked for; empty = what is newest */
    struct jl_buffer page_version;
    struct jl_buffer more; /* token of the next page */
    int64_t empty_pages;   /* in a row */
    struct jl_arena arena; /* of one object */
    uint64_t lists;
    uint64_t pages;
    uint64_t expired; /* tokens */
};

void jd_kube_list_start(struct jd_kube_list *list, const char *version);
void jd_kube_list_clear(struct jd_kube_list *list); /* without done() */
