/* SPDX-License-Identifier: Apache-2.0 */

/* Every allocation of a trace that is read fails once. A trace whose piece could not be read is
 * begun again, as its header says. */

#include <string.h>

#include <joulie/threads.h>
#include <joulie/version.h>

#include "oom/life.h"

#define TURN(prev, at, next)                                                 \
    "w-" prev " [000] d... " at ": sched_switch: prev_comm=w prev_pid=" prev \
    " prev_prio=1 prev_state=S ==> next_comm=w next_pid=" next " next_prio=1\n"
#define WAKE(at, other) \
    "w-0 [000] d.h. " at ": sched_waking: comm=w pid=" other " prio=1 target_cpu=000\n"

static const char text[] =
    "# tracer: nop\n" WAKE("1.0", "2") TURN("1", "1.1", "2") WAKE("1.2", "3") TURN("2", "1.3", "3")
        WAKE("1.4", "1") TURN("3", "1.5", "1") WAKE("1.6", "2") TURN("1", "1.7", "2");
static const char table[] = "ts,dur,cpu,tid,comm,end_state\n"
                            "1000,500,0,7,a,S\n"
                            "1500,500,0,8,b,S\n"
                            "2000,500,0,7,a,S\n";

/* Whether memory ran out on the way. */
static bool read_once(struct oom_life *life, const char *bytes, char **json)
{
    struct joulie_thread_trace *trace = NULL;
    bool is_again = oom_again(life, joulie_thread_trace_new(&trace, NULL));
    if (!is_again && trace != NULL)
        is_again = oom_again(life, joulie_thread_trace_add_thread(trace, 2, NULL));
    if (!is_again && trace != NULL)
        is_again = oom_again(life, joulie_thread_trace_feed(trace, bytes, strlen(bytes), NULL));
    if (!is_again && trace != NULL)
        is_again = oom_again(life, joulie_thread_trace_analyze(trace, 42, json, NULL));
    joulie_thread_trace_free(trace);
    return is_again;
}

static void live_once(struct oom_life *life)
{
    static const char *const traces[] = { text, table };
    for (int i = 0; i < 2; i++) {
        char *json = NULL;
        while (read_once(life, traces[i], &json))
            ;
        oom_note(life, json != NULL ? json : "nothing");
        joulie_free(json);
    }
}

int main(void)
{
    return oom_lives("a trace of threads", live_once);
}
