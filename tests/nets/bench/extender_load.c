/* SPDX-License-Identifier: Apache-2.0 */

#define _GNU_SOURCE /* memmem */

/*
 * A client of scheduler extenders that costs little: requests are ready-made bytes, answers are
 * only read to their end, and the servers take turns, request by request.
 *
 *     extender_load ROUNDS FILTER.json PRIORITIZE.json FOLDER NAME=PORT...
 *
 * prints one JSON object per server and verb, in microseconds, and leaves the last answers in
 * FOLDER/NAME.VERB.json.
 */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SERVERS = 4, VERBS = 2, WARM_UP = 50, REPLY_BYTES = 1 << 28 };

static const char *const verbs[VERBS] = { "filter", "prioritize" };

struct bytes {
    char *data;
    size_t len;
};

struct server {
    char name[64];
    int fd;
    double *us[VERBS];
    struct bytes last[VERBS];
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static struct bytes read_file(const char *path)
{
    struct bytes out = { 0 };
    FILE *file = fopen(path, "re");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        die(path);
    const long size = ftell(file);
    if (size < 0)
        die(path);
    rewind(file);
    out.len = (size_t)size;
    out.data = malloc(out.len + 1);
    if (!out.data || fread(out.data, 1, out.len, file) != out.len)
        die(path);
    fclose(file);
    return out;
}

/* Head and body in one piece, so that one write sends a request. */
static struct bytes make_request(const char *verb, struct bytes body)
{
    struct bytes out = { .data = malloc(body.len + 512) };
    if (!out.data)
        die("memory");
    const int head = snprintf(out.data, 512,
                              "POST /%s HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: "
                              "Go-http-client/1.1\r\nContent-Length: %zu\r\nContent-Type: "
                              "application/json\r\n\r\n",
                              verb, body.len);
    memcpy(out.data + head, body.data, body.len);
    out.len = (size_t)head + body.len;
    return out;
}

static int connect_to(int port)
{
    const int on = 1;
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)port),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address) != 0)
        die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static void send_all(int fd, struct bytes request)
{
    while (request.len > 0) {
        const ssize_t put = write(fd, request.data, request.len);
        if (put <= 0)
            die("write");
        request.data += put;
        request.len -= (size_t)put;
    }
}

static const char *header(const char *head, const char *name)
{
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, strlen(name)) == 0)
            return line + 2 + strlen(name);
    }
    return NULL;
}

/* The chunks become one piece, in place. true = the last one is there. */
static bool join_chunks(const char *from, const char *end, struct bytes *out)
{
    size_t len = 0;
    for (;;) {
        char *rest = NULL;
        if (!memmem(from, (size_t)(end - from), "\r\n", 2))
            return false;
        const size_t size = strtoul(from, &rest, 16);
        if ((size_t)(end - rest) < size + 4)
            return false;
        if (size == 0) {
            out->len = len;
            return true;
        }
        if (out->data)
            memmove(out->data + len, rest + 2, size);
        len += size;
        from = rest + 2 + size + 2;
    }
}

/* true = the answer is whole; out is its body. */
static bool is_whole(char *text, size_t len, struct bytes *out)
{
    char *body = memmem(text, len, "\r\n\r\n", 4);
    if (!body)
        return false;
    body += 4;
    if (strncmp(text, "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "%.*s\n", (int)(len < 400 ? len : 400), text);
        exit(1);
    }
    body[-1] = '\0'; /* ends the head */
    const char *length = header(text, "Content-Length:");
    body[-1] = '\n';
    if (length) {
        *out = (struct bytes){ body, strtoul(length, NULL, 10) };
        return (size_t)(text + len - body) >= out->len;
    }
    if (len < 5 || memcmp(text + len - 5, "0\r\n\r\n", 5) != 0)
        return false; /* cheap: chunks are only walked when they seem to end */
    *out = (struct bytes){ NULL, 0 };
    if (!join_chunks(body, text + len, out))
        return false;
    out->data = body;
    return true;
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double ask(struct server *server, struct bytes request, char *text, struct bytes *body)
{
    size_t len = 0;
    const double start_us = now_us();
    send_all(server->fd, request);
    do {
        const ssize_t got = read(server->fd, text + len, REPLY_BYTES - 1 - len);
        if (got <= 0)
            die("read");
        len += (size_t)got;
        text[len] = '\0';
    } while (!is_whole(text, len, body));
    const double took_us = now_us() - start_us;
    if (header(text, "Transfer-Encoding:")) {
        struct bytes joined = *body;
        join_chunks(body->data, text + len, &joined);
        *body = joined;
    }
    return took_us;
}

static int by_size(const void *a, const void *b)
{
    const double left = *(const double *)a;
    const double right = *(const double *)b;
    return (left > right) - (left < right);
}

static void report(struct server *server, int verb, int rounds, const char *folder)
{
    char path[512];
    double *us = server->us[verb];
    qsort(us, (size_t)rounds, sizeof *us, by_size);
    printf("{\"server\":\"%s\",\"verb\":\"%s\",\"requests\":%d,\"p50_us\":%.1f,\"p90_us\":%.1f,"
           "\"p99_us\":%.1f,\"max_us\":%.1f}\n",
           server->name, verbs[verb], rounds, us[rounds / 2], us[rounds * 9 / 10],
           us[rounds * 99 / 100], us[rounds - 1]);
    snprintf(path, sizeof path, "%s/%s.%s.json", folder, server->name, verbs[verb]);
    FILE *file = fopen(path, "we");
    if (!file ||
        fwrite(server->last[verb].data, 1, server->last[verb].len, file) !=
            server->last[verb].len ||
        fclose(file) != 0)
        die(path);
}

static void play(struct server *servers, int count, const struct bytes *requests, int rounds)
{
    char *text = malloc(REPLY_BYTES);
    if (!text)
        die("memory");
    for (int round = -WARM_UP; round < rounds; round++) {
        for (int verb = 0; verb < VERBS; verb++) {
            for (int i = 0; i < count; i++) {
                struct bytes body = { 0 };
                const double us = ask(&servers[i], requests[verb], text, &body);
                if (round >= 0)
                    servers[i].us[verb][round] = us;
                if (round + 1 < rounds)
                    continue;
                servers[i].last[verb] = (struct bytes){ malloc(body.len + 1), body.len };
                if (!servers[i].last[verb].data)
                    die("memory");
                memcpy(servers[i].last[verb].data, body.data, body.len);
            }
        }
    }
    free(text);
}

int main(int argc, char **argv)
{
    struct server servers[MOST_SERVERS] = { 0 };
    const int count = argc - 5;
    const int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    if (count < 1 || count > MOST_SERVERS || rounds < 1) {
        fprintf(stderr, "usage: extender_load ROUNDS FILTER PRIORITIZE FOLDER NAME=PORT...\n");
        return 2;
    }
    const struct bytes requests[VERBS] = { make_request(verbs[0], read_file(argv[2])),
                                           make_request(verbs[1], read_file(argv[3])) };
    for (int i = 0; i < count; i++) {
        const char *name = argv[5 + i];
        const char *port = strchr(name, '=');
        if (!port)
            return 2;
        snprintf(servers[i].name, sizeof servers[i].name, "%.*s", (int)(port - name), name);
        servers[i].fd = connect_to((int)strtol(port + 1, NULL, 10));
        for (int verb = 0; verb < VERBS; verb++) {
            servers[i].us[verb] = calloc((size_t)rounds, sizeof(double));
            if (!servers[i].us[verb])
                die("memory");
        }
    }
    play(servers, count, requests, rounds);
    for (int i = 0; i < count; i++) {
        for (int verb = 0; verb < VERBS; verb++)
            report(&servers[i], verb, rounds, argv[4]);
    }
    return 0;
}
