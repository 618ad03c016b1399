/* SPDX-License-Identifier: Apache-2.0 */

/*
 * An extender that lets every node pass and gives each of them 0 points, for `./dev bench rate`:
 * what is left of its cost is that of asking. The first line of its output is its URL; SIGTERM ends
 * it.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "runtime/http_server.h"

#define JSON_TYPE "application/json"
#define NAMES "\"NodeNames\":["
#define BODY_BYTES ((size_t)64 << 20)

/* What kube-scheduler wrote between the brackets. */
static struct jl_text names_of(const struct jd_exchange *exchange)
{
    size_t len = 0;
    const char *const from = strstr(jd_exchange_body(exchange, &len), NAMES);
    struct jl_text names = jl_text(from ? from + strlen(NAMES) : "");
    return jl_text_cut(&names, ']');
}

static void put_passed(struct jl_buffer *out, struct jl_text names)
{
    jl_put_string(out, "{\"NodeNames\":[");
    jl_put(out, names.ptr, names.len);
    jl_put_string(out, "]}");
}

static void put_scores(struct jl_buffer *out, struct jl_text names)
{
    jl_put_char(out, '[');
    for (bool is_first = true; names.len > 0; is_first = false) {
        const struct jl_text name = jl_text_cut(&names, ',');
        jl_put_string(out, is_first ? "{\"Host\":" : ",{\"Host\":");
        jl_put(out, name.ptr, name.len);
        jl_put_string(out, ",\"Score\":0}");
    }
    jl_put_char(out, ']');
}

static void handle(void *user, struct jd_exchange *exchange)
{
    struct jl_buffer out = { 0 };
    (void)user;
    if (jl_same(jd_exchange_path(exchange), "/filter"))
        put_passed(&out, names_of(exchange));
    else
        put_scores(&out, names_of(exchange));
    if (out.is_failed)
        abort();
    jd_exchange_reply(exchange, 200, JSON_TYPE, out.data, out.len);
    jl_buffer_clear(&out);
}

static void on_signal(void *user, int signal)
{
    (void)signal;
    jd_loop_stop(user);
}

int main(void)
{
    static const int held[] = { SIGTERM };
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct jd_loop loop = { .user = &loop, .on_signal = on_signal };
    struct jd_server *server = NULL;
    const struct jd_server_options options = { .address = "127.0.0.1:0",
                                               .most_body = BODY_BYTES,
                                               .handle = handle };
    jd_signals_hold(held, 1);
    if (jd_loop_open(&loop, 0, held, 1, &err) < 0 ||
        jd_server_open(&loop, &options, &server, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return EXIT_FAILURE;
    }
    printf("%s\n", jd_server_url(server));
    fflush(stdout);
    const int rc = jd_loop_run(&loop, &err);
    jd_server_close(server);
    jd_loop_close(&loop);
    return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
