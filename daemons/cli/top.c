/* SPDX-License-Identifier: Apache-2.0 */

/* The nodes of a cluster on the whole screen, refreshed every two seconds. */

#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sort.h"
#include "cluster.h"
#include "overview.h"
#include "runtime/clock.h"

#define REFRESH_MS 2000
#define CTRL_C 3
#define FRAME_ROWS 4 /* the blank line, the heads, a problem, the keys */
#define BAR 10       /* columns of a bar */
/* Another screen without a cursor, where long lines are cut; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"
#define CLEAR "\033[H\033[J"

struct order {
    char key;
    const char *word;
    const char *member; /* NULL = the name */
};

static const struct order orders[] = {
    { 'n', "name", NULL },
    { 'p', "power", "measuredNodePowerW" },
    { 'c', "cooling", "coolingStressScore" },
    { 'h', "headroom", "headroomScore" },
    { 'a', "age", "ageS" },
};
static const char *const order_words[] = { "name", "power", "cooling", "headroom", "age", NULL };

struct screen {
    struct jd_cluster *cluster;
    struct json_object *overview; /* the last one that came */
    struct jl_buffer reported;    /* problems since the last refresh */
    struct termios before;
    const struct order *order;
    size_t rows;
    size_t first; /* node of the first row */
    int signal_fd;
    int signal; /* that ends it; 0 = none */
    bool is_fetching;
    bool is_over;
};

/* ---- order ---- */

static int by_member(const void *a, const void *b, void *user)
{
    const struct order *order = user;
    struct json_object *const *left = a;
    struct json_object *const *right = b;
    struct json_object *mine = jd_json_at(*left, order->member);
    struct json_object *other = jd_json_at(*right, order->member);
    if (!mine || !other)
        return (mine == NULL) - (other == NULL); /* unknown ones last */
    const double difference = json_object_get_double(mine) - json_object_get_double(other);
    return (difference < 0) - (difference > 0); /* the highest first */
}

/* The nodes in order; to be freed. NULL: memory ran out. */
static struct json_object **sorted(struct json_object *overview, const struct order *order,
                                   size_t *out_count)
{
    struct json_object *nodes = jd_json_at(overview, "nodes");
    struct order how = *order;
    *out_count = jd_json_count(nodes);
    struct json_object **items = jl_calloc(*out_count + 1, sizeof(struct json_object *));
    for (size_t i = 0; items && i < *out_count; i++)
        items[i] = jd_item(nodes, i);
    if (items && how.member)
        jl_sort(items, *out_count, sizeof(struct json_object *), by_member, &how);
    return items;
}

/* ---- the picture ---- */

static void add_bar(struct jd_table *table, struct json_object *node, const char *member)
{
    static const char full[] = "██████████";
    static const char empty[] = "··········";
    struct json_object *found = jd_json_at(node, member);
    if (!found) {
        jd_table_add(table, NULL);
        return;
    }
    const double pct = json_object_get_double(found);
    const int count = pct <= 0 ? 0 : pct >= 100 ? BAR : (int)(pct * BAR / 100);
    jd_table_addf(table, "%.*s%.*s %3.0f%%", count * (int)strlen("█"), full,
                  (BAR - count) * (int)strlen("·"), empty, pct);
}

static void add_row(struct jd_table *table, struct json_object *node)
{
    jd_add_text(table, node, "nodeName");
    jd_add_class(table, node);
    jd_add_number(table, node, "measuredNodePowerW", "W");
    jd_add_number(table, node, "nodeCappedPowerW", "W");
    add_bar(table, node, "headroomScore");
    add_bar(table, node, "coolingStressScore");
    jd_add_number(table, node, "cpuCapPct", "%");
    jd_add_number(table, node, "gpuCapPct", "%");
    jd_add_number(table, node, "pods", "");
    jd_add_age(table, node);
}

static void put_nodes(struct screen *screen, struct jl_buffer *out)
{
    static const char *const heads[] = { "NODE",    "CLASS",   "POWER",   "CAP",  "HEADROOM",
                                         "COOLING", "CPU CAP", "GPU CAP", "PODS", "AGE" };
    size_t count;
    struct json_object **nodes = sorted(screen->overview, screen->order, &count);
    struct jd_table table;
    if (!nodes)
        return;
    if (screen->first + screen->rows > count)
        screen->first = count > screen->rows ? count - screen->rows : 0;
    jd_table_init(&table, heads, JL_COUNT(heads));
    for (size_t i = screen->first; i < count && i < screen->first + screen->rows; i++)
        add_row(&table, nodes[i]);
    jd_table_end(&table, true, out);
    jl_free(nodes);
}

static size_t lines_of(const struct jl_buffer *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->len; i++)
        lines += text->data[i] == '\n';
    return lines;
}

/* The first problem of the last refresh; there is room for one. */
static void put_problem(const struct screen *screen, struct jl_buffer *out)
{
    const char *reported = screen->reported.len > 0 ? screen->reported.data : "\n";
    jl_put(out, reported, strcspn(reported, "\n") + 1);
}

static void draw(struct screen *screen)
{
    struct winsize size = { .ws_row = 24 };
    JL_CLEANUP(jl_buffer_clear) struct jl_buffer text = { 0 };
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    jl_put_string(&text, CLEAR);
    jd_overview_put_summary(screen->overview, &text);
    const size_t used = lines_of(&text) + FRAME_ROWS;
    screen->rows = size.ws_row > used ? size.ws_row - used : 1;
    jl_put_char(&text, '\n');
    put_nodes(screen, &text);
    put_problem(screen, &text);
    jd_print("%s\033[2m  by %s   n name  p power  c cooling  h headroom  a age   j k scroll   "
             "q quit\033[0m",
             text.data ? text.data : "", screen->order->word);
    screen->is_over |= jd_finish_output(JD_EXIT_OK) != JD_EXIT_OK;
}

/* ---- keys and signals ---- */

static void take_key(struct screen *screen, char key)
{
    for (size_t i = 0; i < JL_COUNT(orders); i++) {
        if (orders[i].key == key) {
            screen->order = &orders[i];
            screen->first = 0;
        }
    }
    if (key == 'j')
        screen->first += screen->rows;
    if (key == 'k')
        screen->first -= screen->first < screen->rows ? screen->first : screen->rows;
    screen->is_over |= key == 'q' || key == CTRL_C;
}

/* A refresh on its way goes on, but to the end. */
static void wake(struct screen *screen)
{
    if (screen->is_over || !screen->is_fetching)
        jd_loop_stop(&screen->cluster->loop);
}

static void on_keys(void *user)
{
    struct screen *screen = user;
    char keys[64];
    const ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
    for (ssize_t i = 0; i < count; i++)
        take_key(screen, keys[i]);
    screen->is_over |= count <= 0; /* the terminal is gone */
    wake(screen);
}

static void on_signal(void *user)
{
    struct screen *screen = user;
    struct signalfd_siginfo info;
    if (read(screen->signal_fd, &info, sizeof info) != sizeof info)
        return;
    if (info.ssi_signo != SIGWINCH) {
        screen->signal = (int)info.ssi_signo;
        screen->is_over = true;
    }
    wake(screen);
}

static void on_time(void *user)
{
    jd_loop_stop(user);
}

/* ---- the time between two refreshes ---- */

/* Waits for the next refresh, and draws anew for each key and size. */
static void wait_for_next(struct screen *screen)
{
    struct jd_loop *loop = &screen->cluster->loop;
    struct jd_timer timer = { .fire = on_time, .user = loop };
    const int64_t next_ms = jd_clock_ms() + REFRESH_MS;
    while (!screen->is_over && jd_clock_ms() < next_ms) {
        draw(screen);
        loop->is_stopped = screen->is_over;
        if (jd_timer_set(loop, &timer, next_ms) < 0 || jd_loop_run(loop, NULL) < 0)
            screen->is_over = true;
    }
    jd_timer_stop(loop, &timer);
}

/* The last good answer stays when this one fails. */
static int refresh(const struct jd_call *call, struct screen *screen)
{
    struct json_object *fresh;
    screen->is_fetching = true;
    const int status = jd_overview_fetch(call, screen->cluster, &fresh);
    screen->is_fetching = false;
    if (status != JD_EXIT_OK)
        return status;
    json_object_put(screen->overview);
    screen->overview = fresh;
    return JD_EXIT_OK;
}

static void play(const struct jd_call *call, struct screen *screen)
{
    while (!screen->is_over) {
        wait_for_next(screen);
        if (screen->is_over)
            break;
        jl_buffer_reset(&screen->reported);
        refresh(call, screen);
    }
}

/* ---- the terminal ---- */

static int watch_person(struct screen *screen, struct jd_watch *keys, struct jd_watch *signals)
{
    static const int held[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH };
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < JL_COUNT(held); i++)
        sigaddset(&set, held[i]);
    jd_signals_hold(held, JL_COUNT(held));
    screen->signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
    *keys = (struct jd_watch){ .fd = STDIN_FILENO, .ready = on_keys, .user = screen };
    *signals = (struct jd_watch){ .fd = screen->signal_fd, .ready = on_signal, .user = screen };
    int rc = screen->signal_fd < 0 ? JOULIE_E_IO : 0;
    if (rc == 0)
        rc = jd_loop_add(&screen->cluster->loop, keys, NULL);
    return rc == 0 ? jd_loop_add(&screen->cluster->loop, signals, NULL) : rc;
}

static int play_on_terminal(const struct jd_call *call, struct screen *screen)
{
    struct jd_watch keys;
    struct jd_watch signals;
    struct termios raw = screen->before;
    if (watch_person(screen, &keys, &signals) < 0)
        return jd_cluster_report(screen->cluster, "error: keys cannot be read");
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO | ISIG);
    screen->cluster->reported = &screen->reported;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    jd_print(ENTER);
    play(call, screen);
    jd_print(LEAVE);
    const int status = jd_finish_output(JD_EXIT_OK);
    tcsetattr(STDIN_FILENO, TCSANOW, &screen->before);
    screen->cluster->reported = NULL;
    return status;
}

/* The signal that was held ends the program now, as if it had not been. */
static void give_in(int signal)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static int watch(struct jd_call *call, struct jd_cluster *cluster)
{
    struct screen screen = { .cluster = cluster, .order = &orders[0], .signal_fd = -1 };
    const char *word = call->values.sort;
    for (size_t i = 0; word && i < JL_COUNT(orders); i++)
        screen.order = jl_same(word, orders[i].word) ? &orders[i] : screen.order;
    tcgetattr(STDIN_FILENO, &screen.before);
    int status = refresh(call, &screen); /* a cluster that is not there is reported as everywhere */
    if (status == JD_EXIT_OK)
        status = play_on_terminal(call, &screen);
    if (call->values.require_fresh && screen.overview && jd_overview_is_stale(screen.overview))
        status = jd_worse(status, JD_EXIT_STALE);
    json_object_put(screen.overview);
    jl_buffer_clear(&screen.reported);
    if (screen.signal_fd >= 0)
        close(screen.signal_fd);
    if (screen.signal != 0)
        give_in(screen.signal);
    return status;
}

static int run(struct jd_call *call)
{
    struct termios settings;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &settings) != 0)
        return jd_usage("\"top\" needs a terminal; \"status\" prints once, \"status -W\" again and "
                        "again");
    return jd_on_cluster(call, watch);
}

static const struct jd_setting options[] = {
    JD_WORD_ROW("SORT", sort, order_words, "BY",
                "name (the default), power, cooling, headroom or age"),
    JD_BOOLEAN_ROW("REQUIRE_FRESH", require_fresh,
                   "exit with 3 when the status of a node was stale at the last refresh"),
    JD_SELECTOR_ROW("labels of the nodes to show"),
    JD_OPERATOR_ROW,
    JD_ALL_NAMESPACES_ROW,
    JD_CONNECTION_ROWS,
};

const struct jd_command jd_command_top = {
    .name = "top",
    .summary = "The nodes of a cluster on the whole screen",
    .text = "Refreshed every two seconds. Keys: n p c h a order the nodes by name, power, "
            "cooling, headroom or age,\nj and k scroll, q ends.",
    JD_ROWS(options),
    .run = run,
};
