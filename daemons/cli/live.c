/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A simulation as a person watches it, on standard error: on a terminal a picture of the cluster
 * that is drawn over itself, paced to take about so many seconds; elsewhere one line per simulated
 * hour. simulate.c calls it.
 */

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <joulie/sim.h>

#include "base/text.h"
#include "cli.h"
#include "runtime/clock.h"

#define HOUR_S 3600.0
#define FRAMES_PER_S 10
#define HISTORY 60      /* powers in the strip */
#define MOST_DRAWN 64   /* nodes of a family that are drawn one by one */
#define NAME_COLUMNS 16 /* of a family */
#define MOST_ROWS 20
#define STEPS 8 /* heights in the strip */

static const char *const steps[STEPS] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

struct frame {
    struct joulie_sim *sim;
    double end_s;
    int rows; /* drawn last time: the cursor goes up by so many */
    double controlled_kw[HISTORY];
    double uncontrolled_kw[HISTORY];
    size_t history;
};

static void put_row(struct frame *frame, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put_row(struct frame *frame, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs("\033[K\n", stderr);
    frame->rows++;
}

/* ---- families: names up to the last "-" ---- */

static size_t family_length(const char *name)
{
    const char *dash = strrchr(name, '-');
    return dash ? (size_t)(dash - name) : strlen(name);
}

static bool is_of_family(const char *name, const char *first)
{
    const size_t length = family_length(first);
    return family_length(name) == length && strncmp(name, first, length) == 0;
}

static const char *color_of(const char *state)
{
    if (jl_same(state, "performance"))
        return "\033[32m"; /* green */
    if (jl_same(state, "draining"))
        return "\033[33m";                                 /* yellow */
    return jl_same(state, "eco") ? "\033[36m" : "\033[2m"; /* cyan, or dim before a decision */
}

static void put_node(const struct joulie_sim_node_view *node)
{
    const char *mark = node->jobs == 0 ? "·" : node->jobs > 9 ? "+" : NULL;
    fputs(color_of(node->state), stderr);
    if (mark)
        fputs(mark, stderr);
    else
        fprintf(stderr, "%d", (int)node->jobs);
    fputs("\033[0m", stderr);
}

struct family {
    const char *first;
    size_t nodes;
    size_t performance;
    size_t eco;
    size_t draining;
    size_t busy;
    double power_w;
};

static void add_node(struct family *family, const struct joulie_sim_node_view *node)
{
    family->nodes++;
    family->performance += jl_same(node->state, "performance");
    family->eco += jl_same(node->state, "eco");
    family->draining += jl_same(node->state, "draining");
    family->busy += node->jobs > 0;
    family->power_w += node->cpu_power_w + node->gpu_power_w;
}

/* Counts the family that starts at a node; returns the index behind it. */
static size_t read_family(const struct frame *frame, size_t index, struct family *out)
{
    struct joulie_sim_node_view node = JOULIE_INIT(struct joulie_sim_node_view);
    *out = (struct family){ .first = NULL };
    for (; joulie_sim_node_at(frame->sim, index, &node, NULL) == JOULIE_OK; index++) {
        if (out->first && !is_of_family(node.name, out->first))
            break;
        out->first = node.name;
        add_node(out, &node);
    }
    return index;
}

static void put_family(struct frame *frame, size_t from, size_t to, const struct family *family)
{
    struct joulie_sim_node_view node = JOULIE_INIT(struct joulie_sim_node_view);
    const int length = (int)family_length(family->first);
    fprintf(stderr, "  %-*.*s %7.1f kW  ", NAME_COLUMNS, length, family->first,
            family->power_w / 1000);
    if (family->nodes > MOST_DRAWN) {
        fprintf(stderr, "%zu busy; %s%zu performance\033[0m %s%zu eco\033[0m %s%zu draining\033[0m",
                family->busy, color_of("performance"), family->performance, color_of("eco"),
                family->eco, color_of("draining"), family->draining);
    } else {
        for (size_t i = from; i < to && joulie_sim_node_at(frame->sim, i, &node, NULL) == JOULIE_OK;
             i++)
            put_node(&node);
    }
    put_row(frame, "%s", "");
}

static void put_families(struct frame *frame)
{
    struct family family;
    size_t next = 0;
    for (int row = 0; row < MOST_ROWS; row++) {
        const size_t from = next;
        next = read_family(frame, from, &family);
        if (!family.first)
            return;
        put_family(frame, from, next, &family);
    }
    put_row(frame, "  …");
}

/* ---- power over time ---- */

static void remember(struct frame *frame, const struct joulie_sim_view *view)
{
    const size_t slot = (size_t)(view->time_s / frame->end_s * HISTORY);
    if (slot >= HISTORY || slot + 1 <= frame->history)
        return;
    for (; frame->history <= slot; frame->history++) {
        frame->controlled_kw[frame->history] = (view->cpu_power_w + view->gpu_power_w) / 1000;
        frame->uncontrolled_kw[frame->history] = view->uncontrolled_power_w / 1000;
    }
}

static double highest(const struct frame *frame)
{
    double most = 1;
    for (size_t i = 0; i < frame->history; i++)
        most = fmax(most, fmax(frame->controlled_kw[i], frame->uncontrolled_kw[i]));
    return most;
}

static void put_strip(struct frame *frame, const char *name, const double *kw, double most)
{
    fprintf(stderr, "  %-13s ", name);
    for (size_t i = 0; i < frame->history; i++) {
        const size_t step = (size_t)(kw[i] / most * STEPS);
        fputs(steps[step < STEPS ? step : STEPS - 1], stderr);
    }
    put_row(frame, "%s", "");
}

/* ---- the picture ---- */

static void put_run(struct frame *frame, const char *name, double power_w, double energy_j,
                    int64_t queued, int64_t running, int64_t completed)
{
    put_row(frame, "  %-13s %9.1f kW %10.1f kWh %8lld %8lld %8lld", name, power_w / 1000,
            energy_j / 3.6e6, (long long)queued, (long long)running, (long long)completed);
}

static void draw(struct frame *frame)
{
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    joulie_sim_get_view(frame->sim, &view, NULL);
    remember(frame, &view);
    const long minutes = (long)(view.time_s / 60);
    const double most = highest(frame);
    if (frame->rows > 0)
        fprintf(stderr, "\033[%dA", frame->rows);
    frame->rows = 0;
    put_row(frame,
            "\033[1m  day %ld, %02ld:%02ld\033[0m    %lld nodes, %lld GPUs, job %lld of %lld",
            minutes / 1440 + 1, minutes / 60 % 24, minutes % 60, (long long)view.nodes,
            (long long)view.gpus, (long long)view.submitted, (long long)view.jobs);
    put_row(frame, "%s", "");
    put_row(frame, "  %-13s %12s %14s %8s %8s %8s", "", "power", "energy", "waiting", "running",
            "done");
    put_run(frame, "controlled", view.cpu_power_w + view.gpu_power_w, view.energy_j, view.queued,
            view.running, view.completed);
    if (view.has_uncontrolled)
        put_run(frame, "uncontrolled", view.uncontrolled_power_w, view.uncontrolled_energy_j,
                view.uncontrolled_queued, view.uncontrolled_running, view.uncontrolled_completed);
    put_row(frame, "%s", "");
    put_row(frame,
            "  %s%lld performance\033[0m, %s%lld eco\033[0m, %s%lld draining\033[0m, "
            "%lld busy; a number is the jobs on a node",
            color_of("performance"), (long long)view.nodes_performance, color_of("eco"),
            (long long)view.nodes_eco, color_of("draining"), (long long)view.nodes_draining,
            (long long)view.nodes_busy);
    put_families(frame);
    put_row(frame, "%s", "");
    put_row(frame, "  power, the highest is %.1f kW", most);
    put_strip(frame, "controlled", frame->controlled_kw, most);
    if (view.has_uncontrolled)
        put_strip(frame, "uncontrolled", frame->uncontrolled_kw, most);
    fflush(stderr);
}

static void sleep_until(const struct timespec *start, double after_s)
{
    const double at = (double)start->tv_nsec / 1e9 + after_s;
    struct timespec until = { .tv_sec = start->tv_sec + (time_t)floor(at),
                              .tv_nsec = (long)((at - floor(at)) * 1e9) };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        continue;
}

static int play(struct joulie_sim *sim, double end_s, double pace_s, struct joulie_error *err)
{
    struct frame frame = { .sim = sim, .end_s = end_s > 0 ? end_s : 1 };
    struct timespec start;
    const long frames = (long)fmax(1, pace_s * FRAMES_PER_S);
    int rc = JOULIE_OK;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (long i = 1; i <= frames && rc == JOULIE_OK; i++) {
        rc = joulie_sim_run_until(sim, end_s * (double)i / (double)frames, err);
        draw(&frame);
        sleep_until(&start, (double)i / FRAMES_PER_S);
    }
    return rc;
}

static void put_hour(const struct joulie_sim_view *view, long hour)
{
    fprintf(
        stderr,
        "hour %3ld  %6.1f kW  %8.1f kWh  %4lld waiting %4lld running %5lld done  %lld performance "
        "%lld eco %lld draining",
        hour, (view->cpu_power_w + view->gpu_power_w) / 1000, view->energy_j / 3.6e6,
        (long long)view->queued, (long long)view->running, (long long)view->completed,
        (long long)view->nodes_performance, (long long)view->nodes_eco,
        (long long)view->nodes_draining);
    if (view->has_uncontrolled)
        fprintf(stderr, "  | uncontrolled %6.1f kW  %8.1f kWh  %4lld waiting %5lld done",
                view->uncontrolled_power_w / 1000, view->uncontrolled_energy_j / 3.6e6,
                (long long)view->uncontrolled_queued, (long long)view->uncontrolled_completed);
    fputc('\n', stderr);
}

static int report_hours(struct joulie_sim *sim, struct joulie_error *err)
{
    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    int rc = JOULIE_OK;
    for (long hour = 1; rc == JOULIE_OK && !view.is_finished; hour++) {
        rc = joulie_sim_run_until(sim, (double)hour * HOUR_S, err);
        if (rc < 0)
            break;
        joulie_sim_get_view(sim, &view, NULL);
        put_hour(&view, hour);
    }
    return rc;
}

int jd_simulate_live(struct joulie_sim *sim, double end_s, double pace_s, struct joulie_error *err)
{
    if (!isatty(STDERR_FILENO))
        return report_hours(sim, err);
    const int rc = play(sim, end_s, pace_s, err);
    return rc == JOULIE_OK ? joulie_sim_run_until(sim, (double)INFINITY, err) : rc;
}

/* ---- without --live: the state as one line on a terminal, until the end ---- */

#define STEP_S 600.0 /* virtual seconds between two checks of the clock */
#define LINE_MS 100  /* between two lines on the terminal */
#define USUAL_COLUMNS 80

static size_t columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : USUAL_COLUMNS;
}

static void draw_line(const struct joulie_sim_view *view)
{
    char line[256];
    char compared[96] = "";
    const long long minutes = (long long)(view->time_s / 60);
    if (view->has_uncontrolled)
        snprintf(compared, sizeof compared, " (uncontrolled %.1f kW, %lld done)",
                 view->uncontrolled_power_w / 1000, (long long)view->uncontrolled_completed);
    snprintf(
        line, sizeof line,
        "%lld:%02lld h  jobs %lld of %lld done, %lld running, %lld waiting  %lld eco  %.1f kW%s",
        minutes / 60, minutes % 60, (long long)view->completed, (long long)view->jobs,
        (long long)view->running, (long long)view->queued, (long long)view->nodes_eco,
        (view->cpu_power_w + view->gpu_power_w) / 1000, compared);
    line[jl_utf8_cut(line, strlen(line), columns() - 1)] = '\0';
    fprintf(stderr, "\r\033[K%s", line);
}

int jd_simulate(struct joulie_sim *sim, struct joulie_error *err)
{
    if (!isatty(STDERR_FILENO))
        return joulie_sim_run_until(sim, (double)INFINITY, err);

    struct joulie_sim_view view = JOULIE_INIT(struct joulie_sim_view);
    int64_t drawn_ms = 0;
    int rc = JOULIE_OK;
    for (long step = 1; rc == JOULIE_OK && !view.is_finished; step++) {
        rc = joulie_sim_run_until(sim, (double)step * STEP_S, err);
        if (rc < 0 || jd_clock_ms() - drawn_ms < LINE_MS)
            continue;
        joulie_sim_get_view(sim, &view, NULL);
        draw_line(&view);
        drawn_ms = jd_clock_ms();
    }
    fprintf(stderr, "\r\033[K");
    return rc;
}
