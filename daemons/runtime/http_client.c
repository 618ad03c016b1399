/* SPDX-License-Identifier: Apache-2.0 */

/* The life of a request over libcurl's multi interface in the daemon's own loop
 * (docs/rules/clients.md#http-requests): start, name, bytes, end. http_setup.c turns a request
 * into libcurl's options. */

#include "runtime/http_client.h"

#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <joulie/version.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "runtime/clock.h"
#include "runtime/http_client_parts.h"
#include "runtime/json.h"

#define TIMEOUT_MS 30000
#define CONNECT_MS 5000
#define LIMIT_BYTES ((size_t)16 << 20)
#define LIMIT_HEADER_BYTES ((size_t)256 << 10)
#define IDLE_CONNECTIONS 128L
#define MOST_SPARE 64                  /* handles that wait for the next plain request */
#define SPARE_BYTES ((size_t)64 << 10) /* of the last body, which they keep */

/* A socket of libcurl, from its first request until it is closed. Between two requests libcurl
 * wants it polled no more; it stays in the loop, because each change of that is two system calls
 * more. */
struct jd_polled {
    struct jd_watch watch;
    struct jd_http *http;
    struct jd_transfer *owner; /* the last request that used it; perhaps gone when it is idle */
    bool is_watched;           /* in the loop */
    bool is_idle;              /* no request uses it */
};

/* ---- which transfers have something to be done ---- */

static void take_off(struct jd_transfer *transfer)
{
    struct jd_transfers *const list = transfer->list;
    if (!list)
        return;
    if (transfer->previous)
        transfer->previous->next = transfer->next;
    else
        list->first = transfer->next;
    if (transfer->next)
        transfer->next->previous = transfer->previous;
    else
        list->last = transfer->previous;
    transfer->list = NULL;
}

static void move_to(struct jd_transfers *list, struct jd_transfer *transfer)
{
    take_off(transfer);
    transfer->list = list;
    transfer->next = NULL;
    transfer->previous = list->last;
    if (list->last)
        list->last->next = transfer;
    else
        list->first = transfer;
    list->last = transfer;
}

static void rest(struct jd_transfer *transfer, enum jd_transfer_state state)
{
    transfer->state = state;
    move_to(&transfer->http->resting, transfer);
}

static void to_do(struct jd_transfer *transfer, enum jd_transfer_state state)
{
    struct jd_http *const http = transfer->http;
    const bool is_first = !http->todo.first; /* settle() is due already for what follows it */
    transfer->state = state;
    move_to(&http->todo, transfer);
    if (is_first)
        jd_timer_set(http->loop, &http->later, jd_clock_ms());
}

static void end(struct jd_transfer *transfer, enum jd_http_end how)
{
    transfer->end = how;
    to_do(transfer, JD_TRANSFER_ENDED);
}

static void end_with(struct jd_transfer *transfer, enum jd_http_end how, const char *message)
{
    snprintf(transfer->message, sizeof transfer->message, "%s", message);
    end(transfer, how);
}

/* A connection that is closed with bytes of a write in it: the kernel would go on to send them, for
 * a minute when the peer does not answer, and the write would arrive when nobody expects it. */
static void forget_unsent(struct jd_transfer *transfer)
{
    const struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
    struct jd_http *const http = transfer->http;
    if (!transfer->is_write || !transfer->was_sent ||
        (transfer->state == JD_TRANSFER_ENDED && transfer->end == JD_HTTP_WHOLE))
        return;
    for (size_t i = 0; i < http->polled_count; i++) {
        const struct jd_polled *const polled = http->polled[i];
        if (polled && !polled->is_idle && polled->owner == transfer)
            setsockopt(polled->watch.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
}

/* What belongs to one request; the handle stays. */
static void transfer_clear(struct jd_transfer *transfer)
{
    struct jd_http *const http = transfer->http;
    jd_timer_stop(http->loop, &transfer->timer);
    jd_names_forget(http->names, &transfer->lookup);
    if (transfer->is_added)
        forget_unsent(transfer);
    if (transfer->is_added)
        curl_multi_remove_handle(http->multi, transfer->easy);
    transfer->is_added = false;
    if (transfer->resolve)
        curl_easy_setopt(transfer->easy, CURLOPT_RESOLVE, NULL);
    curl_slist_free_all(transfer->resolve);
    jl_free(transfer->host);
    jl_free(transfer->port);
    transfer->resolve = NULL;
    transfer->host = transfer->port = NULL;
}

static void transfer_free(struct jd_transfer *transfer)
{
    if (!transfer)
        return;
    transfer_clear(transfer);
    curl_easy_cleanup(transfer->easy);
    curl_url_cleanup(transfer->url);
    jl_free(transfer->origin);
    curl_slist_free_all(transfer->headers);
    curl_slist_free_all(transfer->connect_to);
    jl_buffer_clear(&transfer->body);
    jl_free(transfer);
}

/* A plain one is kept for the next: of a short request most CPU went into making its handle. */
static void discard(struct jd_transfer *transfer)
{
    struct jd_http *const http = transfer->http;
    http->active--;
    take_off(transfer);
    if (!transfer->is_plain || http->spare_count == MOST_SPARE ||
        transfer->body.capacity > SPARE_BYTES) {
        transfer_free(transfer);
        return;
    }
    transfer_clear(transfer);
    jl_buffer_reset(&transfer->body);
    transfer->was_sent = false;
    transfer->error[0] = transfer->message[0] = '\0';
    transfer->header_bytes = transfer->body_bytes = 0;
    move_to(&http->spare, transfer);
    http->spare_count++;
}

/* ---- what libcurl hands over ---- */

static size_t refuse(struct jd_transfer *transfer, enum jd_http_end how, const char *message)
{
    if (transfer->state == JD_TRANSFER_RUNNING)
        end_with(transfer, how, message);
    return CURL_WRITEFUNC_ERROR;
}

static bool is_stream(const struct jd_transfer *transfer)
{
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    return transfer->on_data && status >= 200 && status < 300;
}

static size_t keep_body(struct jd_transfer *transfer, const char *bytes, size_t len)
{
    curl_off_t announced = -1;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
    if (len > transfer->limit_bytes - transfer->body.len ||
        (announced > 0 && (uint64_t)announced > transfer->limit_bytes))
        return refuse(transfer, JD_HTTP_TOO_LONG, "the answer is too long");
    jl_put(&transfer->body, bytes, len);
    return transfer->body.is_failed ? refuse(transfer, JD_HTTP_FAILED, "memory ran out") : len;
}

/* Asking the clock for each line of a short answer costs more than to take it. */
static void note_heard(struct jd_transfer *transfer)
{
    if (transfer->idle_ms > 0)
        transfer->heard_ms = jd_clock_ms();
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct jd_transfer *const transfer = user;
    const size_t len = size * count;
    if (transfer->state != JD_TRANSFER_RUNNING)
        return CURL_WRITEFUNC_ERROR;
    note_heard(transfer);
    transfer->body_bytes += len;
    if (!is_stream(transfer))
        return keep_body(transfer, bytes, len);
    if (!transfer->on_data(transfer->user, bytes, len))
        return refuse(transfer, JD_HTTP_TOO_LONG, "the stream was not wanted any more");
    return transfer->state == JD_TRANSFER_RUNNING ? len : CURL_WRITEFUNC_ERROR;
}

static size_t on_header(char *bytes, size_t size, size_t count, void *user)
{
    struct jd_transfer *const transfer = user;
    const size_t len = size * count;
    (void)bytes;
    if (transfer->state != JD_TRANSFER_RUNNING)
        return CURL_WRITEFUNC_ERROR;
    note_heard(transfer);
    transfer->header_bytes += len;
    return transfer->header_bytes <= LIMIT_HEADER_BYTES
               ? len
               : refuse(transfer, JD_HTTP_TOO_LONG, "the headers of the answer are too long");
}

static enum jd_http_end end_of(CURLcode code)
{
    if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
        code == CURLE_COULDNT_CONNECT || code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PROXY ||
        code == CURLE_OPERATION_TIMEDOUT) /* only the connection's own: the rest is on_deadline() */
        return JD_HTTP_UNREACHABLE;
    if (code == CURLE_PARTIAL_FILE || code == CURLE_GOT_NOTHING || code == CURLE_RECV_ERROR ||
        code == CURLE_SEND_ERROR || code == CURLE_HTTP2_STREAM)
        return JD_HTTP_BROKEN;
    if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
        code == CURLE_SSL_ISSUER_ERROR)
        return JD_HTTP_UNTRUSTED;
    return code == CURLE_SSL_CERTPROBLEM ? JD_HTTP_UNIDENTIFIED : JD_HTTP_FAILED;
}

static void take_results(struct jd_http *http)
{
    int left = 0;
    for (const CURLMsg *message = NULL; (message = curl_multi_info_read(http->multi, &left));) {
        struct jd_transfer *transfer = NULL;
        const CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        if (message->msg != CURLMSG_DONE || transfer->state != JD_TRANSFER_RUNNING)
            continue;
        if (code == CURLE_OK) {
            end(transfer, JD_HTTP_WHOLE);
            continue;
        }
        if (code == CURLE_ABORTED_BY_CALLBACK) { /* on_send() */
            if (transfer->is_withheld)
                end_with(transfer, JD_HTTP_FAILED, "it was not to be sent any more");
            else
                end_with(transfer, JD_HTTP_BROKEN, "the connection ended without an answer");
            continue;
        }
        const bool is_said = transfer->error[0] != '\0';
        end_with(transfer, end_of(code), is_said ? transfer->error : curl_easy_strerror(code));
    }
}

/* ---- one transfer from step to step, never from within libcurl ---- */

/* Seconds, or a date: libcurl turns that into seconds. */
static int64_t retry_after_s(CURL *easy)
{
    struct curl_header *header = NULL;
    curl_off_t value_s = 0;
    if (curl_easy_header(easy, "Retry-After", 0, CURLH_HEADER, -1, &header) != CURLHE_OK)
        return -1;
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &value_s);
    return value_s > 0 || jl_same(header->value, "0") ? (int64_t)value_s : -1;
}

static void report(struct jd_transfer *transfer)
{
    struct curl_header *warning = NULL;
    char *content_type = NULL;
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_TYPE, &content_type);
    const bool has_warning =
        curl_easy_header(transfer->easy, "Warning", 0, CURLH_HEADER, -1, &warning) == CURLHE_OK;
    const struct jd_reply reply = {
        .status = (int)status,
        .end = transfer->end,
        .message = transfer->end == JD_HTTP_WHOLE ? "" : transfer->message,
        .content_type = content_type ? content_type : "",
        .warning = has_warning ? warning->value : "",
        .retry_after_s = retry_after_s(transfer->easy),
        .body = transfer->body.data ? transfer->body.data : "",
        .len = transfer->body.len,
        .bytes = transfer->body_bytes,
    };
    /* it counts no more, and a stream's callback may not come back from what on_done() starts */
    jd_timer_stop(transfer->http->loop, &transfer->timer);
    transfer->is_reporting = true;
    if (transfer->on_done)
        transfer->on_done(transfer->user, &reply);
    transfer->is_reporting = false;
}

static void begin(struct jd_transfer *transfer)
{
    struct jd_http *const http = transfer->http;
    rest(transfer, JD_TRANSFER_RUNNING);
    if (curl_multi_add_handle(http->multi, transfer->easy) == CURLM_OK)
        transfer->is_added = true;
    else
        end_with(transfer, JD_HTTP_FAILED, "memory ran out");
}

static void on_named(void *user, const char *addresses, const char *problem)
{
    struct jd_transfer *const transfer = user;
    if (transfer->state != JD_TRANSFER_RESOLVING)
        return; /* too late */
    if (addresses && jd_http_set_address(transfer, addresses) == 0) {
        to_do(transfer, JD_TRANSFER_NAMED);
        return;
    }
    snprintf(transfer->message, sizeof transfer->message, "the address of %.100s: %.100s",
             transfer->host, problem ? problem : "memory ran out");
    end(transfer, JD_HTTP_UNREACHABLE);
}

static void look_up(struct jd_transfer *transfer)
{
    transfer->lookup = (struct jd_lookup){ .done = on_named, .user = transfer };
    rest(transfer, JD_TRANSFER_RESOLVING);
    jd_names_ask(transfer->http->names, transfer->host, &transfer->lookup);
}

static void attend(struct jd_transfer *transfer)
{
    switch (transfer->state) {
    case JD_TRANSFER_NEW:
        if (transfer->host)
            look_up(transfer);
        else
            begin(transfer);
        break;
    case JD_TRANSFER_NAMED:
        begin(transfer);
        break;
    case JD_TRANSFER_ENDED:
        report(transfer);
        discard(transfer);
        break;
    case JD_TRANSFER_CANCELLED:
        discard(transfer);
        break;
    case JD_TRANSFER_RESOLVING:
    case JD_TRANSFER_RUNNING:
        break; /* these rest */
    }
}

/* What comes up meanwhile waits for the next round of the loop, so that others have their turn. */
static void settle(void *user)
{
    struct jd_http *const http = user;
    jd_timer_set(http->loop, &http->later, JD_NEVER_MS);
    take_results(http);
    const struct jd_transfer *const last = http->todo.last;
    while (http->todo.first) {
        struct jd_transfer *const transfer = http->todo.first;
        const bool was_last = transfer == last;
        attend(transfer);
        if (was_last)
            break;
    }
    jd_timer_set(http->loop, &http->later, http->todo.first ? jd_clock_ms() : JD_NEVER_MS);
}

struct deadline {
    int64_t at_ms;
    enum jd_http_end end;
    const char *message;
};

static struct deadline next_deadline(const struct jd_transfer *transfer)
{
    const bool is_connecting = transfer->state < JD_TRANSFER_RUNNING;
    const struct deadline deadlines[] = {
        { transfer->timeout_ms > 0 ? transfer->started_ms + transfer->timeout_ms : JD_NEVER_MS,
          JD_HTTP_TIMED_OUT, "no whole answer in time" },
        { transfer->idle_ms > 0 ? transfer->heard_ms + transfer->idle_ms : JD_NEVER_MS,
          JD_HTTP_TIMED_OUT, "nothing was heard for too long" },
        { is_connecting ? transfer->started_ms + transfer->connect_ms : JD_NEVER_MS,
          JD_HTTP_UNREACHABLE, "no address of the host in time" },
    };
    struct deadline next = deadlines[0];
    for (size_t i = 1; i < JL_COUNT(deadlines); i++) {
        if (deadlines[i].at_ms < next.at_ms)
            next = deadlines[i];
    }
    return next;
}

static void on_deadline(void *user)
{
    struct jd_transfer *const transfer = user;
    if (transfer->state == JD_TRANSFER_ENDED || transfer->state == JD_TRANSFER_CANCELLED)
        return;
    const struct deadline next = next_deadline(transfer);
    if (jd_clock_ms() >= next.at_ms)
        end_with(transfer, next.end, next.message);
    else
        jd_timer_set(transfer->http->loop, &transfer->timer, next.at_ms);
}

/* ---- libcurl in the loop ---- */

static void act(struct jd_http *http, curl_socket_t fd, int seen)
{
    int running = 0;
    http->is_inside = true;
    curl_multi_socket_action(http->multi, fd, seen, &running);
    http->is_inside = false;
    settle(http);
}

static void on_curl_timer(void *user)
{
    struct jd_http *const http = user;
    jd_timer_set(http->loop, &http->curl_timer, JD_NEVER_MS);
    act(http, CURL_SOCKET_TIMEOUT, 0);
}

static int set_curl_timer(CURLM *multi, long wait_ms, void *user)
{
    struct jd_http *const http = user;
    (void)multi;
    jd_timer_set(http->loop, &http->curl_timer,
                 wait_ms < 0 ? JD_NEVER_MS : jd_clock_ms() + wait_ms);
    return 0;
}

static void unwatch(struct jd_polled *polled)
{
    if (polled->is_watched)
        jd_loop_remove(polled->http->loop, &polled->watch);
    polled->is_watched = false;
}

static void on_ready(void *user)
{
    struct jd_polled *const polled = user;
    const uint32_t seen = polled->watch.seen;
    const int reads = (seen & (EPOLLIN | EPOLLHUP)) != 0 ? CURL_CSELECT_IN : 0;
    const int writes = (seen & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0;
    const int fails = (seen & EPOLLERR) != 0 ? CURL_CSELECT_ERR : 0;
    if (polled->is_idle)
        unwatch(polled); /* its end, which libcurl sees before it uses it again */
    else
        act(polled->http, polled->watch.fd, reads | writes | fails);
}

/* To say that it failed would end every transfer; so the one whose socket cannot be watched ends
 * here. */
static void give_up_socket(struct jd_http *http, CURL *easy)
{
    struct jd_transfer *transfer = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    if (http->is_inside && transfer)
        refuse(transfer, JD_HTTP_FAILED, "its socket cannot be watched");
}

static struct jd_polled *polled_of(struct jd_http *http, curl_socket_t fd)
{
    const size_t index = (size_t)fd;
    const size_t had = http->polled_count;
    if (JL_GROW(&http->polled, &http->polled_count, index + 1) != 0)
        return NULL;
    for (size_t i = had; i < http->polled_count; i++)
        http->polled[i] = NULL;
    if (http->polled[index])
        return http->polled[index];
    struct jd_polled *const polled = jl_calloc(1, sizeof *polled);
    if (!polled)
        return NULL;
    polled->http = http;
    polled->watch = (struct jd_watch){ .fd = fd, .ready = on_ready, .user = polled };
    return http->polled[index] = polled;
}

static int watch(struct jd_polled *polled, uint32_t events)
{
    struct jd_loop *const loop = polled->http->loop;
    if (polled->is_watched && polled->watch.events == events)
        return 0;
    polled->watch.events = events;
    const int rc = polled->is_watched ? jd_loop_change(loop, &polled->watch, NULL)
                                      : jd_loop_add(loop, &polled->watch, NULL);
    polled->is_watched = polled->is_watched || rc == 0;
    return rc;
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *of_socket)
{
    struct jd_http *const http = user;
    struct jd_polled *const polled = polled_of(http, fd);
    const uint32_t events =
        ((what & CURL_POLL_IN) ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) ? EPOLLOUT : 0U);
    (void)of_socket;
    if (polled)
        polled->is_idle = what == CURL_POLL_REMOVE;
    if (polled)
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &polled->owner);
    if (what != CURL_POLL_REMOVE && (!polled || watch(polled, events) != 0))
        give_up_socket(http, easy);
    return 0;
}

static int close_socket(void *user, curl_socket_t fd)
{
    struct jd_http *const http = user;
    struct jd_polled **const polled = (size_t)fd < http->polled_count ? &http->polled[fd] : NULL;
    if (polled && *polled) {
        unwatch(*polled);
        jl_free(*polled);
        *polled = NULL;
    }
    return close(fd);
}

/* ---- the page's functions ---- */

static bool is_plain(const struct jd_http_request *request)
{
    return (!request->method || jl_same(request->method, "GET")) && !request->headers &&
           !request->body && !request->proxy && !request->tls && !request->on_data &&
           !request->is_own_connection && !request->may_send;
}

static bool set_callbacks(struct jd_transfer *transfer)
{
    CURL *const easy = transfer->easy;
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer->http) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer) == CURLE_OK;
}

static struct jd_transfer *new_transfer(struct jd_http *http)
{
    struct jd_transfer *const transfer = jl_calloc(1, sizeof *transfer);
    if (!transfer)
        return NULL;
    transfer->http = http;
    if (jd_http_make_handle(transfer) == 0 && set_callbacks(transfer))
        return transfer;
    transfer_free(transfer);
    return NULL;
}

static struct jd_transfer *spare_or_new(struct jd_http *http, bool is_plain)
{
    struct jd_transfer *transfer = is_plain ? http->spare.first : NULL;
    if (!transfer)
        return new_transfer(http);
    take_off(transfer);
    http->spare_count--;
    return transfer;
}

int jd_http_start(struct jd_http *http, const struct jd_http_request *request,
                  struct jd_transfer **out, struct joulie_error *err)
{
    struct jd_transfer *const transfer = spare_or_new(http, is_plain(request));
    if (!transfer)
        return jl_fail_memory(err);
    transfer->is_plain = is_plain(request);
    transfer->started_ms = jd_clock_ms();
    transfer->heard_ms = transfer->started_ms;
    transfer->timeout_ms = request->timeout_ms;
    if (request->timeout_ms <= 0)
        transfer->timeout_ms = request->on_data ? 0 : TIMEOUT_MS;
    transfer->connect_ms = request->connect_ms > 0 ? request->connect_ms : CONNECT_MS;
    transfer->idle_ms = request->idle_ms;
    transfer->limit_bytes = request->limit_bytes > 0 ? request->limit_bytes : LIMIT_BYTES;
    transfer->on_data = request->on_data;
    transfer->may_send = request->may_send;
    transfer->on_done = request->on_done;
    transfer->user = request->user;
    transfer->timer = (struct jd_timer){ .fire = on_deadline, .user = transfer };
    transfer->state = JD_TRANSFER_NEW;
    int rc = jd_http_set_up(transfer, request, err);
    const int64_t deadline_ms = next_deadline(transfer).at_ms;
    if (rc == 0 && jd_timer_set(http->loop, &transfer->timer, deadline_ms) != 0)
        rc = jl_fail_memory(err);
    if (rc != 0) {
        transfer_free(transfer);
        return rc;
    }
    http->active++;
    to_do(transfer, JD_TRANSFER_NEW);
    if (out)
        *out = transfer;
    return 0;
}

void jd_http_cancel(struct jd_transfer *transfer)
{
    if (!transfer || transfer->is_reporting)
        return;
    if (transfer->http->is_inside)
        to_do(transfer, JD_TRANSFER_CANCELLED);
    else
        discard(transfer);
}

size_t jd_http_active(const struct jd_http *http)
{
    return http->active;
}

static bool set_up_multi(struct jd_http *http)
{
    CURLM *const multi = http->multi;
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_socket) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, http) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_curl_timer) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_TIMERDATA, http) == CURLM_OK &&
           curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, IDLE_CONNECTIONS) == CURLM_OK;
}

/* The names of architectures that Kubernetes has. */
#if defined(__x86_64__)
#define MACHINE "amd64"
#elif defined(__aarch64__)
#define MACHINE "arm64"
#else
#define MACHINE "unknown"
#endif

/* PROGRAM/VERSION of plain requests; others also say (linux/MACHINE) libjoulie/VERSION. */
static struct curl_slist *user_agent_of(const char *program, bool is_plain)
{
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer line = { 0 };
    jd_put_format(&line, "User-Agent: %s/%s", program, joulie_version());
    if (!is_plain)
        jd_put_format(&line, " (linux/" MACHINE ") libjoulie/%s", joulie_version());
    return line.is_failed ? NULL : curl_slist_append(NULL, line.data);
}

int jd_http_open(struct jd_loop *loop, const char *program, struct jd_http **out,
                 struct joulie_error *err)
{
    struct jd_http *const http = jl_calloc(1, sizeof *http);
    if (!http)
        return jl_fail_memory(err);
    http->loop = loop;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        jl_free(http);
        return jl_fail_memory(err);
    }
    http->curl_timer = (struct jd_timer){ .fire = on_curl_timer, .user = http };
    http->later = (struct jd_timer){ .fire = settle, .user = http };
    http->multi = curl_multi_init();
    http->user_agent = user_agent_of(program, false);
    http->plain_headers = user_agent_of(program, true);
    const bool is_set_up = http->multi && http->user_agent && http->plain_headers &&
                           set_up_multi(http) &&
                           jd_timer_set(loop, &http->curl_timer, JD_NEVER_MS) == 0 &&
                           jd_timer_set(loop, &http->later, JD_NEVER_MS) == 0;
    const int rc = is_set_up ? jd_names_open(loop, &http->names, err) : jl_fail_memory(err);
    if (rc != 0) {
        jd_http_close(http);
        return rc;
    }
    *out = http;
    return 0;
}

void jd_http_close(struct jd_http *http)
{
    if (!http)
        return;
    while (http->todo.first)
        discard(http->todo.first);
    while (http->resting.first)
        discard(http->resting.first);
    while (http->spare.first) {
        struct jd_transfer *const transfer = http->spare.first;
        take_off(transfer);
        transfer_free(transfer);
    }
    jd_names_close(http->names);
    curl_multi_cleanup(http->multi);
    for (size_t i = 0; i < http->polled_count; i++)
        jl_free(http->polled[i]);
    jl_free(http->polled);
    jd_timer_stop(http->loop, &http->curl_timer);
    jd_timer_stop(http->loop, &http->later);
    curl_global_cleanup();
    curl_slist_free_all(http->user_agent);
    curl_slist_free_all(http->plain_headers);
    jl_free(http);
}

const char *jd_reply_problem(const struct jd_reply *reply)
{
    switch (reply->end) {
    case JD_HTTP_WHOLE:
        return reply->status >= 200 && reply->status <= 299 ? NULL : "the reply is an error";
    case JD_HTTP_UNREACHABLE:
        return "the server cannot be reached";
    case JD_HTTP_BROKEN:
        return "the connection broke";
    case JD_HTTP_TIMED_OUT:
        return "there was no reply in time";
    case JD_HTTP_TOO_LONG:
        return "the reply is too long";
    case JD_HTTP_UNTRUSTED:
        return "the server's certificate does not verify";
    case JD_HTTP_UNIDENTIFIED:
        return "the client certificate and its key cannot be used";
    case JD_HTTP_FAILED:
        break;
    }
    return "the request failed";
}
