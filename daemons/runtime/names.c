/* SPDX-License-Identifier: Apache-2.0 */

/* Host names by c-ares in the daemon's own loop (docs/rules/clients.md#names), for http_client.c:
 * libcurl alone would start a thread for each. */

#include "runtime/names.h"

#include <ares.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/json.h"
#include "runtime/machine_clock.h"

#define KEPT_MOST_MS 30000
#define KEPT_LEAST_MS 1000 /* lines of /etc/hosts have no TTL */
#define MOST_NAMES 1024    /* that are kept */
#define MOST_ADDRESSES 8   /* of a name */
#define QUERY_MS 2000      /* to one server; doubles with each try */
#define QUERY_TRIES 3
#define MS_PER_S 1000
#define US_PER_MS 1000

/* A name that is known, or is asked for (lookups is then not NULL, or all of them were forgotten).
 */
struct name {
    struct name *next;
    struct jd_names *names;
    struct jd_lookup *lookups;
    bool is_asked;
    int64_t until_ms;
    char *addresses;
    char text[];
};

struct polled { /* a socket of c-ares */
    struct jd_watch watch;
    struct jd_names *names;
    struct polled *next;
};

struct jd_names {
    struct jd_loop *loop;
    struct jd_timer timer; /* always set, so that setting it anew cannot fail */
    ares_channel channel;  /* only while something is asked: its settings are those of now */
    bool has_channel;
    const char *servers; /* NULL = the system's */
    bool is_inside;      /* of c-ares */
    size_t asked;
    size_t count;
    struct name *first;
    struct polled *sockets;
};

static void forget_socket(struct jd_names *names, struct polled **at)
{
    struct polled *const polled = *at;
    *at = polled->next;
    jd_loop_remove(names->loop, &polled->watch);
    jl_free(polled);
}

static void close_channel(struct jd_names *names)
{
    if (!names->has_channel)
        return;
    names->is_inside = true; /* answers of what is still on its way */
    ares_destroy(names->channel);
    names->is_inside = false;
    names->has_channel = false;
    while (names->sockets)
        forget_socket(names, &names->sockets);
}

static void set_timer(struct jd_names *names)
{
    struct timeval wait;
    int64_t at_ms = JD_NEVER_MS;
    if (names->has_channel && ares_timeout(names->channel, NULL, &wait))
        at_ms = jd_clock_ms() + wait.tv_sec * MS_PER_S + wait.tv_usec / US_PER_MS + 1;
    jd_timer_set(names->loop, &names->timer, at_ms);
}

/* After c-ares was at work. */
static void settle(struct jd_names *names)
{
    if (names->is_inside)
        return;
    if (names->asked == 0)
        close_channel(names);
    set_timer(names);
}

static void process(struct jd_names *names, ares_socket_t reads, ares_socket_t writes)
{
    if (!names->has_channel)
        return;
    names->is_inside = true;
    ares_process_fd(names->channel, reads, writes);
    names->is_inside = false;
    settle(names);
}

static void take_ready(void *user)
{
    struct polled *const polled = user;
    const uint32_t seen = polled->watch.seen;
    const bool reads = (seen & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0;
    const bool writes = (seen & EPOLLOUT) != 0;
    process(polled->names, reads ? polled->watch.fd : ARES_SOCKET_BAD,
            writes ? polled->watch.fd : ARES_SOCKET_BAD);
}

static void take_time(void *user)
{
    struct jd_names *const names = user;
    process(names, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    if (!names->has_channel)
        jd_timer_set(names->loop, &names->timer, JD_NEVER_MS);
}

/* A socket that cannot be watched gives no answer: its question times out. */
static void on_socket(void *user, ares_socket_t fd, int reads, int writes)
{
    struct jd_names *const names = user;
    const uint32_t events = (reads ? EPOLLIN : 0U) | (writes ? EPOLLOUT : 0U);
    struct polled **at = &names->sockets;
    while (*at && (*at)->watch.fd != fd)
        at = &(*at)->next;
    if (*at && events == 0) {
        forget_socket(names, at);
    } else if (*at) {
        (*at)->watch.events = events;
        jd_loop_change(names->loop, &(*at)->watch, NULL);
    } else if (events != 0) {
        struct polled *const polled = jl_calloc(1, sizeof *polled);
        if (!polled)
            return;
        polled->watch =
            (struct jd_watch){ .fd = fd, .events = events, .ready = take_ready, .user = polled };
        polled->names = names;
        if (jd_loop_add(names->loop, &polled->watch, NULL) != 0) {
            jl_free(polled);
            return;
        }
        polled->next = names->sockets;
        names->sockets = polled;
    }
}

static int open_channel(struct jd_names *names)
{
    struct ares_options options;
    memset(&options, 0, sizeof options);
    options.timeout = QUERY_MS;
    options.tries = QUERY_TRIES;
    options.sock_state_cb = on_socket;
    options.sock_state_cb_data = names;
    const int rc = ares_init_options(&names->channel, &options,
                                     ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
    names->has_channel = rc == ARES_SUCCESS;
    return rc == ARES_SUCCESS && names->servers
               ? ares_set_servers_ports_csv(names->channel, names->servers)
               : rc;
}

static void drop_name(struct jd_names *names, struct name *name)
{
    struct name **at = &names->first;
    while (*at != name)
        at = &(*at)->next;
    *at = name->next;
    names->count--;
    jl_free(name->addresses);
    jl_free(name);
}

/* Each lookup is taken off first: what it calls may ask again. For this name it is asked until all
 * have their answer: nobody drops it, and who asks meanwhile gets the same. */
static void answer(struct name *name, const char *addresses, const char *problem)
{
    while (name->lookups) {
        struct jd_lookup *const lookup = name->lookups;
        name->lookups = lookup->next;
        lookup->next = NULL;
        lookup->done(lookup->user, addresses, problem);
    }
}

static void put_address(struct jl_buffer *out, const struct ares_addrinfo_node *node)
{
    char text[INET6_ADDRSTRLEN];
    const bool is_six = node->ai_family == AF_INET6;
    const void *address = NULL;
    if (is_six)
        address = &((const struct sockaddr_in6 *)(const void *)node->ai_addr)->sin6_addr;
    else if (node->ai_family == AF_INET)
        address = &((const struct sockaddr_in *)(const void *)node->ai_addr)->sin_addr;
    if (!address || !inet_ntop(node->ai_family, address, text, sizeof text))
        return;
    jd_put_format(out, is_six ? "%s[%s]" : "%s%s", out->len > 0 ? "," : "", text);
}

static char *addresses_of(const struct ares_addrinfo *info, int64_t *out_kept_ms)
{
    struct jl_buffer text = { 0 };
    int count = 0;
    *out_kept_ms = KEPT_MOST_MS;
    for (const struct ares_addrinfo_node *node = info->nodes; node && count < MOST_ADDRESSES;
         node = node->ai_next, count++) {
        put_address(&text, node);
        const int64_t ttl_ms = (int64_t)node->ai_ttl * MS_PER_S;
        if (ttl_ms < *out_kept_ms)
            *out_kept_ms = ttl_ms;
    }
    if (*out_kept_ms < KEPT_LEAST_MS)
        *out_kept_ms = KEPT_LEAST_MS;
    return jl_buffer_take(&text);
}

static void on_answer(void *user, int status, int timeouts, struct ares_addrinfo *info)
{
    struct name *const name = user;
    struct jd_names *const names = name->names;
    int64_t kept_ms = 0;
    (void)timeouts;
    if (status == ARES_SUCCESS)
        name->addresses = addresses_of(info, &kept_ms);
    ares_freeaddrinfo(info);
    names->asked--;
    name->until_ms = jd_clock_ms() + kept_ms;
    if (name->addresses && name->addresses[0] != '\0') {
        answer(name, name->addresses, NULL);
        name->is_asked = false;
        if (names->count <= MOST_NAMES)
            return;
    } else {
        answer(name, NULL, status == ARES_SUCCESS ? "it has no address" : ares_strerror(status));
    }
    drop_name(names, name);
}

static void drop_old(struct jd_names *names, int64_t now_ms)
{
    struct name *next = NULL;
    for (struct name *name = names->first; name; name = next) {
        next = name->next;
        if (!name->is_asked && now_ms >= name->until_ms)
            drop_name(names, name);
    }
}

static struct name *add_name(struct jd_names *names, const char *text)
{
    const size_t len = strlen(text);
    struct name *const name = jl_calloc(1, sizeof *name + len + 1);
    if (!name)
        return NULL;
    memcpy(name->text, text, len);
    name->names = names;
    name->next = names->first;
    names->first = name;
    names->count++;
    return name;
}

static void ask_servers(struct jd_names *names, struct name *name)
{
    const struct ares_addrinfo_hints hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
    const int rc = names->has_channel ? ARES_SUCCESS : open_channel(names);
    name->is_asked = true;
    if (rc != ARES_SUCCESS) {
        answer(name, NULL, ares_strerror(rc));
        drop_name(names, name);
        return;
    }
    const bool was_inside = names->is_inside;
    names->asked++;
    names->is_inside = true;
    ares_getaddrinfo(names->channel, name->text, NULL, &hints, on_answer, name);
    names->is_inside = was_inside;
    settle(names);
}

void jd_names_ask(struct jd_names *names, const char *text, struct jd_lookup *lookup)
{
    drop_old(names, jd_clock_ms());
    struct name *name = names->first;
    while (name && !jl_same_nocase(jl_text(name->text), text))
        name = name->next;
    if (name && !name->is_asked) {
        lookup->done(lookup->user, name->addresses, NULL);
        return;
    }
    const bool is_new = !name;
    if (is_new)
        name = add_name(names, text);
    if (!name) {
        lookup->done(lookup->user, NULL, "memory ran out");
        return;
    }
    lookup->next = name->lookups;
    name->lookups = lookup;
    if (is_new)
        ask_servers(names, name);
}

void jd_names_forget(struct jd_names *names, struct jd_lookup *lookup)
{
    for (struct name *name = names->first; name; name = name->next) {
        for (struct jd_lookup **at = &name->lookups; *at; at = &(*at)->next) {
            if (*at != lookup)
                continue;
            *at = lookup->next;
            lookup->next = NULL;
            return;
        }
    }
}

int jd_names_open(struct jd_loop *loop, struct jd_names **out, struct joulie_error *err)
{
    struct jd_names *const names = jl_calloc(1, sizeof *names);
    if (!names)
        return jl_fail_memory(err);
    const int rc = ares_library_init(ARES_LIB_INIT_ALL);
    names->loop = loop;
    names->timer = (struct jd_timer){ .fire = take_time, .user = names };
    if (rc != ARES_SUCCESS || jd_timer_set(loop, &names->timer, JD_NEVER_MS) != 0) {
        jl_free(names);
        return jl_fail_memory(err);
    }
    *out = names;
    return 0;
}

void jd_names_set_servers(struct jd_names *names, const char *servers)
{
    names->servers = servers;
}

void jd_names_close(struct jd_names *names)
{
    if (!names)
        return;
    for (struct name *name = names->first; name; name = name->next)
        name->lookups = NULL;
    close_channel(names);
    while (names->first)
        drop_name(names, names->first);
    jd_timer_stop(names->loop, &names->timer);
    ares_library_cleanup();
    jl_free(names);
}
