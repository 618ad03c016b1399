/* SPDX-License-Identifier: Apache-2.0 */

/* A simulation to its end, with its state as one line on standard error when that is a terminal. */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <joulie/sim.h>

#include "base/text.h"
#include "cli.h"

#define STEP_S 600.0         /* virtual seconds between two checks of the clock */
#define FRAME_NS 100000000LL /* between two lines on the terminal */
#define USUAL_COLUMNS 80

static long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000LL + now.tv_nsec;
}

static size_t columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : USUAL_COLUMNS;
}

static void draw(const struct joulie_sim_view *view)
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
    long long drawn_ns = 0;
    int rc = JOULIE_OK;
    for (long step = 1; rc == JOULIE_OK && !view.is_finished; step++) {
        rc = joulie_sim_run_until(sim, (double)step * STEP_S, err);
        if (rc < 0 || now_ns() - drawn_ns < FRAME_NS)
            continue;
        joulie_sim_get_view(sim, &view, NULL);
        draw(&view);
        drawn_ns = now_ns();
    }
    fprintf(stderr, "\r\033[K");
    return rc;
}
