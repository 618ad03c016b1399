/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The HTTP server of the daemons against peers whose bytes, cuts and pauses are drawn: pipelined
 * requests, bodies too long, header floods, peers that go or do not read. It is the real server in
 * a loop of its own; peers are socketpairs and the clock is a number, so equal inputs are played
 * equally. Each request that a handler got is answered once or gone once, nothing comes back that
 * is no HTTP, and afterwards a good peer is served and nobody is left.
 *
 * An input is a byte of limits, then steps: a byte of what and who, a byte of how much, and for a
 * piece of a request its bytes.
 */

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "runtime/http_server_parts.h"
#include "runtime/machine_clock.h"

enum {
    PEERS = 4,
    MOST_OPEN = 64,      /* requests that wait for their answer */
    MOST_STEPS = 400,    /* of an input */
    MOST_BODY = 256,     /* bytes */
    MOST_WAITING = 8192, /* bytes of a stream */
    PIECE_BYTES = 3000,  /* of a stream */
    FLOOD_BYTES = 40000, /* more than a connection's memory */
    REQUEST_MS = 1000,
    IDLE_MS = 3000,
    TURNS = 4, /* of the loop after a step: the server reads, answers, and is woken again */
    MOST_FLUSHES = 1000,
};

/* ---- the clock ---- */

static int64_t now_ms = 1000;

int64_t jd_clock_ms(void)
{
    return now_ms;
}

int64_t jd_clock_wall_ms(void)
{
    return now_ms;
}

struct joulie_host_time jd_clock_now(void)
{
    struct joulie_host_time time = JOULIE_INIT(struct joulie_host_time);
    time.now_ms = now_ms;
    time.monotonic_us = now_ms * 1000;
    return time;
}

/* ---- the world ---- */

struct call { /* that waits for its answer */
    struct jd_exchange *exchange;
    bool is_stream;
};

struct world {
    struct jd_loop loop;
    struct jd_server *server;
    struct jd_timer player;
    int peers[PEERS]; /* our ends; -1 = none */
    bool has_answer[PEERS];
    struct call calls[MOST_OPEN];
    size_t call_count;
    uint64_t handed;
    uint64_t replied; /* answered as a whole, ended or cut by the handler */
    uint64_t gone;
    bool is_draining;
    const uint8_t *data;
    size_t size;
    unsigned steps;
    unsigned turns;
};

/* ---- handlers, by the second character of the path ---- */

static void forget_call(struct world *world, const struct jd_exchange *exchange)
{
    size_t i = 0;
    while (i < world->call_count && world->calls[i].exchange != exchange)
        i++;
    FUZZ_REQUIRE(i < world->call_count); /* what is over does not end again */
    world->calls[i] = world->calls[--world->call_count];
}

static void on_gone(void *user, struct jd_exchange *exchange)
{
    struct world *world = user;
    forget_call(world, exchange);
    world->gone++;
}

static void keep(struct world *world, struct jd_exchange *exchange, bool is_stream)
{
    if (world->call_count == MOST_OPEN) {
        world->replied++;
        jd_exchange_abort(exchange);
        return;
    }
    world->calls[world->call_count++] = (struct call){ exchange, is_stream };
    jd_exchange_on_gone(exchange, on_gone, world);
    if (is_stream)
        jd_exchange_stream(exchange, 200, "text/plain");
}

static void echo(struct world *world, struct jd_exchange *exchange)
{
    size_t len = 0;
    const char *body = jd_exchange_body(exchange, &len);
    world->replied++;
    jd_exchange_put_header(exchange, "X-Fuzz", "1");
    jd_exchange_reply(exchange, 200, "text/plain", body, len);
}

static void put_pieces(struct jd_exchange *exchange, size_t count)
{
    static const char piece[PIECE_BYTES];
    while (count > 0 && jd_stream_put(exchange, piece, sizeof piece))
        count--;
}

static void require_texts(const struct jd_exchange *exchange)
{
    size_t len = 0;
    (void)jd_exchange_body(exchange, &len);
    FUZZ_REQUIRE(len <= MOST_BODY);
    FUZZ_REQUIRE(jd_exchange_method(exchange)[0] && jd_exchange_path(exchange)[0] == '/');
    for (size_t i = 0; i < jd_exchange_segments(exchange); i++) {
        const char *segment = jd_exchange_segment(exchange, i);
        FUZZ_REQUIRE(jl_utf8_valid(segment, strlen(segment)));
    }
    const char *value = jd_exchange_query(exchange, "a");
    FUZZ_REQUIRE(!value || jl_utf8_valid(value, strlen(value)));
    (void)jd_exchange_header(exchange, "Accept");
}

static void handle(void *user, struct jd_exchange *exchange)
{
    struct world *world = user;
    const char kind = jd_exchange_path(exchange)[1];
    require_texts(exchange);
    world->handed++;
    if (kind == 'l') { /* later */
        keep(world, exchange, false);
    } else if (kind == 's') { /* a stream that goes on later */
        keep(world, exchange, true);
    } else if (kind == 'f') { /* a stream that a peer has to read */
        keep(world, exchange, true);
        put_pieces(exchange, MOST_WAITING / PIECE_BYTES + 1);
    } else if (kind == 'c') {
        world->replied++;
        jd_exchange_stream(exchange, 200, "text/plain");
        jd_stream_put(exchange, "begun", 5);
        jd_exchange_abort(exchange);
    } else if (kind == 'a') {
        world->replied++;
        jd_exchange_abort(exchange);
    } else if (kind == 'n') {
        world->replied++;
        jd_exchange_text(exchange, 404, "none\n");
    } else {
        echo(world, exchange);
    }
}

static void on_answer(void *user, const struct jd_exchange *exchange, int status, double seconds)
{
    (void)user;
    (void)exchange;
    FUZZ_REQUIRE(status >= 200 && status < 600 && seconds >= 0);
}

/* ---- peers ---- */

static void connect_peer(struct world *world, size_t who)
{
    static const struct sockaddr loopback = { .sa_family = AF_INET };
    int ends[2];
    if (world->peers[who] >= 0)
        return;
    FUZZ_REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    world->peers[who] = ends[0];
    world->has_answer[who] = false;
    struct jd_acceptor *acceptor = &world->server->acceptor;
    if (!world->is_draining && acceptor->has_room(acceptor->user))
        acceptor->take(acceptor->user, ends[1], &loopback, sizeof(struct sockaddr_in));
    else
        close(ends[1]);
}

static void say(struct world *world, size_t who, const void *bytes, size_t len)
{
    connect_peer(world, who);
    (void)send(world->peers[who], bytes, len, MSG_NOSIGNAL); /* it may be cut already */
}

/* What comes first is an answer. */
static void read_all(struct world *world, size_t who)
{
    static char text[1 << 16];
    ssize_t len;
    while (world->peers[who] >= 0 && (len = recv(world->peers[who], text, sizeof text, 0)) > 0) {
        if (!world->has_answer[who])
            FUZZ_REQUIRE(memcmp(text, "HTTP/1.", len < 7 ? (size_t)len : 7) == 0);
        world->has_answer[who] = true;
    }
}

static void close_peer(struct world *world, size_t who)
{
    if (world->peers[who] >= 0)
        close(world->peers[who]);
    world->peers[who] = -1;
}

/* ---- steps ---- */

static const char *const requests[] = {
    "GET /e HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /later?a=%41+b&c HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /stream/a%2Fb HTTP/1.1\r\nHost: x\r\nAccept: a/b;c=d\r\n\r\n",
    "GET /flood HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /cut HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /abort HTTP/1.1\r\nHost: x\r\n\r\n",
    "HEAD /none HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /stream HTTP/1.0\r\n\r\n",
    "GET /later HTTP/1.0\r\n\r\n",
    "GET /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
    "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 300\r\n\r\n",
    "POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "POST /e HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "POST /e HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nhello",
    "POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n",
    "GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "GET http://h/e HTTP/1.1\r\n\r\n",
    "\r\n\r\nGET /e HTTP/1.1\r\nHost: x\r\n\r\n",
};

/* A flood of headers, of a body, of chunks, or of what is no line. */
static void flood(struct world *world, size_t who, unsigned how)
{
    static const char *const pieces[] = { "X-Flood: yes\r\n", "flood", "1\r\nx\r\n", "\xff\0a" };
    const char *piece = pieces[how % 4];
    const size_t len = how % 4 == 3 ? 3 : strlen(piece);
    char text[FLOOD_BYTES];
    for (size_t at = 0; at < sizeof text; at++)
        text[at] = piece[at % len];
    say(world, who, text, sizeof text);
}

static void go_on(struct world *world, unsigned how)
{
    if (world->call_count == 0)
        return;
    const struct call call = world->calls[how / 4 % world->call_count];
    if (call.is_stream && how % 4 < 2) {
        put_pieces(call.exchange, 1);
        return;
    }
    forget_call(world, call.exchange);
    world->replied++;
    if (how % 4 == 3)
        jd_exchange_abort(call.exchange);
    else if (call.is_stream)
        jd_stream_end(call.exchange);
    else
        jd_exchange_text(call.exchange, 200, "late\n");
}

static void ignore(void *user)
{
    (void)user;
}

static uint8_t take_byte(struct world *world)
{
    if (world->size == 0)
        return 0;
    world->size--;
    return *world->data++;
}

static void say_drawn(struct world *world, size_t who, size_t len)
{
    const size_t count = len < world->size ? len : world->size;
    say(world, who, world->data, count);
    world->data += count;
    world->size -= count;
}

static void step(struct world *world)
{
    const uint8_t what = take_byte(world);
    const uint8_t much = take_byte(world);
    const size_t who = what % PEERS;
    const char *request = requests[much % JL_COUNT(requests)];
    switch (what / PEERS % 16) {
    case 0:
    case 1:
    case 2:
        say_drawn(world, who, much);
        break;
    case 3:
    case 4:
    case 5:
        say(world, who, request, strlen(request));
        break;
    case 6: /* cut in the middle; the rest may follow as drawn bytes */
        say(world, who, request, strlen(request) * what / 256);
        break;
    case 7:
        flood(world, who, much);
        break;
    case 8:
    case 9:
        go_on(world, much);
        break;
    case 10:
        read_all(world, who);
        break;
    case 11:
        close_peer(world, who);
        break;
    case 12:
        if (world->peers[who] >= 0)
            shutdown(world->peers[who], SHUT_WR);
        break;
    case 13:
        now_ms += much * 10;
        break;
    case 14:
        world->turns = much % TURNS; /* the next comes sooner: bytes arrive together */
        return;
    default:
        if (much == 255 && !world->is_draining) {
            jd_server_drain(world->server, REQUEST_MS, ignore, world);
            world->is_draining = true;
        }
    }
    world->turns = TURNS;
}

static void play(void *user)
{
    struct world *world = user;
    jd_timer_set(&world->loop, &world->player, JD_NEVER_MS);
    if (world->turns > 0)
        world->turns--;
    else if (world->size > 0 && world->steps++ < MOST_STEPS)
        step(world);
    else
        jd_loop_stop(&world->loop);
    jd_timer_set(&world->loop, &world->player, now_ms);
}

static void run(struct world *world, unsigned turns)
{
    world->turns = turns;
    world->loop.is_stopped = false;
    jd_timer_set(&world->loop, &world->player, now_ms);
    FUZZ_REQUIRE(jd_loop_run(&world->loop, NULL) == 0);
}

/* ---- afterwards ---- */

/* Until nobody is left: the library reads a flood in small pieces, one in a turn. */
static void run_empty(struct world *world)
{
    for (unsigned i = 0; i < MOST_FLUSHES && world->server->peer_count > 0; i++)
        run(world, TURNS);
}

static void require_good_peer(struct world *world)
{
    static const char request[] =
        "POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\ngood";
    char text[1024] = "";
    say(world, 0, request, sizeof request - 1);
    run(world, 2 * TURNS);
    const ssize_t len = recv(world->peers[0], text, sizeof text - 1, 0);
    FUZZ_REQUIRE(len > 0 && memcmp(text, "HTTP/1.1 200", 12) == 0 && strstr(text, "\r\n\r\ngood"));
    close_peer(world, 0);
    run_empty(world);
}

static void leave(struct world *world)
{
    for (size_t who = 0; who < PEERS; who++)
        close_peer(world, who);
    run_empty(world);
    FUZZ_REQUIRE(world->call_count == 0); /* each was told that its peer is gone */
    if (!world->is_draining)
        require_good_peer(world);
    struct jd_server_counts counts;
    jd_server_counts(world->server, &counts);
    FUZZ_REQUIRE(counts.open == 0 && world->server->peer_count == 0);
    FUZZ_REQUIRE(counts.requests == world->handed);
    FUZZ_REQUIRE(world->handed == world->replied + world->gone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct world world = { .data = data, .size = size, .peers = { -1, -1, -1, -1 } };
    const uint8_t limits = take_byte(&world);
    const struct jd_server_options options = {
        .address = "127.0.0.1:0",
        .most_body = MOST_BODY,
        .request_ms = REQUEST_MS,
        .idle_ms = IDLE_MS,
        .most_connections = 1 + limits % PEERS,
        .most_waiting = MOST_WAITING,
        .handle = handle,
        .on_answer = limits & 0x80 ? on_answer : NULL,
        .user = &world,
    };
    world.player = (struct jd_timer){ .fire = play, .user = &world };
    FUZZ_REQUIRE(jd_loop_open(&world.loop, 0, NULL, 0, NULL) == 0);
    FUZZ_REQUIRE(jd_server_open(&world.loop, &options, &world.server, NULL) == 0);
    run(&world, 0);
    if (limits & 0x40) { /* with all of them there */
        jd_server_close(world.server);
        FUZZ_REQUIRE(world.call_count == 0);
        for (size_t who = 0; who < PEERS; who++)
            close_peer(&world, who);
    } else {
        leave(&world);
        jd_server_close(world.server);
    }
    jd_loop_close(&world.loop);
    return 0;
}
