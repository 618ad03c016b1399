/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Our reflector as a program, the peer of tests/programs/outside/go/reflector: the same arguments,
 * the same answers, and its counts besides. It keeps what it was handed in a store of its own.
 *
 *     outside_reflect --server URL [--speedup N] [--page N] COLLECTION…
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "kube/meta.h"
#include "kube/reflector.h"
#include "kube/seen.h"

#define MOST 16 /* collections */
#define LONGEST_BACKOFF_MS 60000

static const struct jd_resource *const resources[] = { &jd_nodes, &jd_pods, &jd_leases,
                                                       &jd_node_twins };

struct collection {
    const char *name; /* as it was given */
    struct jd_reflector_options options;
    struct jd_reflector *reflector;
    struct jd_seen seen;
    struct jl_arena arena;
    struct jl_buffer key;
};

struct program {
    struct jd_loop loop;
    struct jd_log log;
    struct jd_http *http;
    struct jd_access *access;
    struct jd_kube *kube;
    int64_t speedup;
    int64_t page;
    struct jd_watch input;
    struct jl_arena texts; /* selectors */
    struct collection collections[MOST];
    size_t count;
};

/* ---- the store ---- */

static const char *key_of(struct collection *collection, struct jl_text name_space,
                          struct jl_text name)
{
    jl_buffer_reset(&collection->key);
    jd_put_key(&collection->key, name_space, name);
    return collection->key.data;
}

static int upsert(void *user, const char *text, size_t len, struct joulie_error *err)
{
    struct collection *collection = user;
    struct jd_meta meta;
    jl_arena_reset(&collection->arena);
    if (jd_meta_read((struct jl_text){ text, len }, &collection->arena, &meta) < 0)
        return jl_fail(err, JOULIE_E_PARSE, "", "no object");
    const char *key = key_of(collection, meta.name_space, meta.name);
    const struct jd_seen_item *before = jd_seen_find(&collection->seen, key);
    if (before && !jl_text_is(meta.uid, before->uid))
        return jl_fail(err, JOULIE_E_INTERNAL, key, "another uid, and the old one was not removed");
    return jd_seen_put(&collection->seen, key, meta.uid, meta.version, 0);
}

static void remove_it(void *user, const char *name_space, const char *name)
{
    struct collection *collection = user;
    const char *key = key_of(collection, jl_text(name_space), jl_text(name));
    struct jd_seen_item *item = jd_seen_find(&collection->seen, key);
    if (item)
        jd_seen_remove(&collection->seen, item);
}

/* ---- answers ---- */

static void put_text(struct jl_buffer *out, const char *text)
{
    jl_put_json_string(out, text, strlen(text));
}

static void put_store(struct jl_buffer *out, const struct collection *collection)
{
    put_text(out, collection->name);
    jl_put_string(out, ":{");
    for (size_t i = 0; i < collection->seen.count; i++) {
        const struct jd_seen_item *item = &collection->seen.items[i];
        if (i > 0)
            jl_put_char(out, ',');
        put_text(out, item->key);
        jl_put_string(out, ":[");
        put_text(out, item->uid);
        jl_put_char(out, ',');
        put_text(out, item->version);
        jl_put_char(out, ']');
    }
    jl_put_char(out, '}');
}

static void put_count(struct jl_buffer *out, const char *name, uint64_t count)
{
    jl_put_string(out, ",\"");
    jl_put_string(out, name);
    jl_put_string(out, "\":");
    jl_put_u64(out, count);
}

static void put_counts(struct jl_buffer *out, const struct collection *collection)
{
    struct jd_reflector_counts counts;
    jd_reflector_counts(collection->reflector, &counts);
    put_text(out, collection->name);
    jl_put_string(out, ":{\"objects\":");
    jl_put_u64(out, jd_reflector_count(collection->reflector));
    put_count(out, "lists", counts.lists);
    put_count(out, "pages", counts.pages);
    put_count(out, "watches", counts.watches);
    put_count(out, "events", counts.events);
    put_count(out, "expired", counts.expired);
    put_count(out, "broken", counts.broken);
    put_count(out, "refused", counts.refused);
    put_count(out, "tooLong", counts.too_long);
    put_count(out, "waits", counts.waits);
    jl_put_char(out, '}');
}

static void put_each(struct jl_buffer *out, const struct program *program,
                     void (*put)(struct jl_buffer *out, const struct collection *collection))
{
    for (size_t i = 0; i < program->count; i++) {
        if (i > 0)
            jl_put_char(out, ',');
        put(out, &program->collections[i]);
    }
}

static void dump(const struct program *program)
{
    struct jl_buffer text = { 0 };
    jl_put_string(&text, "{\"stores\":{");
    put_each(&text, program, put_store);
    jl_put_string(&text, "},\"counts\":{");
    put_each(&text, program, put_counts);
    jl_put_string(&text, "},\"requests\":");
    jl_put_u64(&text, jd_kube_requests(program->kube));
    jl_put_string(&text, "}\n");
    if (!text.is_failed)
        fwrite(text.data, 1, text.len, stdout);
    fflush(stdout);
    jl_buffer_clear(&text);
}

static void on_input(void *user)
{
    struct program *program = user;
    char bytes[256];
    const ssize_t len = read(program->input.fd, bytes, sizeof bytes);
    if (len == 0)
        jd_loop_stop(&program->loop);
    for (ssize_t i = 0; i < len; i++) {
        if (bytes[i] == '\n')
            dump(program);
    }
}

/* ---- the start ---- */

/* Backoff, and not the minutes after which something is given up or checked. */
static int64_t wait_ms(void *user, int64_t wait)
{
    const struct program *program = user;
    return wait > LONGEST_BACKOFF_MS ? wait : wait / program->speedup;
}

static void on_signal(void *user, int signal)
{
    struct program *program = user;
    (void)signal;
    jd_loop_stop(&program->loop);
}

static const struct jd_resource *find_resource(struct jl_text path)
{
    for (size_t i = 0; i < JL_COUNT(resources); i++) {
        struct jl_buffer text = { 0 };
        jd_put_api_version(&text, resources[i]);
        jl_put_char(&text, '/');
        jl_put_string(&text, resources[i]->plural);
        const bool is_it = jl_text_is(path, text.data);
        jl_buffer_clear(&text);
        if (is_it)
            return resources[i];
    }
    return NULL;
}

static bool read_collection(struct program *program, const char *text)
{
    struct collection *collection = &program->collections[program->count++];
    struct jl_text rest = jl_text(text);
    collection->name = text;
    collection->options = (struct jd_reflector_options){
        .resource = find_resource(jl_text_cut(&rest, '?')),
        .page = program->page,
        .upsert = upsert,
        .remove = remove_it,
        .user = collection,
    };
    while (rest.len > 0) {
        struct jl_text value = jl_text_cut(&rest, '&');
        const struct jl_text key = jl_text_cut(&value, '=');
        const char *copy = jl_arena_copy(&program->texts, value.ptr, value.len);
        if (jl_text_is(key, "namespace"))
            collection->options.name_space = copy;
        else if (jl_text_is(key, "labelSelector"))
            collection->options.label_selector = copy;
        else if (jl_text_is(key, "fieldSelector"))
            collection->options.field_selector = copy;
        else
            return false;
    }
    return collection->options.resource;
}

static int open_client(struct program *program, const char *server, struct joulie_error *err)
{
    static char *environment[] = { NULL };
    const struct jd_access_options access = { .server = server, .environment = environment };
    int rc = jd_http_open(&program->loop, "outside_reflect", &program->http, err);
    if (rc == 0)
        rc = jd_access_open(&access, &program->access, err);
    const struct jd_kube_options options = {
        .access = program->access,
        .component = "outside_reflect",
        .seed = 1,
        .wait = wait_ms,
        .user = program,
        .log = &program->log,
    };
    return rc == 0 ? jd_kube_open(&program->loop, program->http, &options, &program->kube, err)
                   : rc;
}

static int follow(struct program *program, struct joulie_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < program->count && rc == 0; i++) {
        struct collection *collection = &program->collections[i];
        rc = jd_reflector_open(program->kube, &collection->options, &collection->reflector, err);
    }
    return rc;
}

static void close_all(struct program *program)
{
    for (size_t i = 0; i < program->count; i++) {
        struct collection *collection = &program->collections[i];
        jd_reflector_close(collection->reflector);
        jd_seen_clear(&collection->seen);
        jl_arena_clear(&collection->arena);
        jl_buffer_clear(&collection->key);
    }
    jl_arena_clear(&program->texts);
    jd_kube_close(program->kube);
    jd_access_close(program->access);
    jd_http_close(program->http);
    jd_loop_close(&program->loop);
}

static const char *read_arguments(struct program *program, int argc, char **argv)
{
    const char *server = NULL;
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (has_value && jl_same(argv[i], "--server"))
            server = argv[++i];
        else if (has_value && jl_same(argv[i], "--speedup"))
            program->speedup = strtoll(argv[++i], NULL, 10);
        else if (has_value && jl_same(argv[i], "--page"))
            program->page = strtoll(argv[++i], NULL, 10);
        else if (program->count == MOST || !read_collection(program, argv[i]))
            return NULL;
    }
    return program->speedup > 0 ? server : NULL;
}

int main(int argc, char **argv)
{
    static const int signals[] = { SIGINT, SIGTERM };
    static struct program program = { .speedup = 1 };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const char *server = read_arguments(&program, argc, argv);
    if (!server) {
        fprintf(stderr, "outside_reflect --server URL [--speedup N] [--page N] COLLECTION...\n");
        return 2;
    }
    program.log = jd_log_new(STDERR_FILENO, "info", "text");
    program.loop.user = &program;
    program.loop.on_signal = on_signal;
    program.input = (struct jd_watch){ .fd = STDIN_FILENO, .ready = on_input, .user = &program };
    jd_signals_hold(signals, 2);
    int rc = jd_loop_open(&program.loop, 0, signals, 2, &err);
    if (rc == 0)
        rc = open_client(&program, server, &err);
    if (rc == 0)
        rc = jd_loop_add(&program.loop, &program.input, &err);
    if (rc == 0)
        rc = follow(&program, &err);
    if (rc == 0)
        rc = jd_loop_run(&program.loop, &err);
    if (rc < 0)
        fprintf(stderr, "outside_reflect: %s: %s\n", err.where, err.message);
    close_all(&program);
    return rc < 0 ? 1 : 0;
}
