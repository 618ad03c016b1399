/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/threads.h>: a trace of the scheduler, line by line as it comes. An interrupt wakes the
 * worker of a workload, which hands its result to the logger. */

#include <stdio.h>
#include <string.h>

#include <joulie/threads.h>

#define WAKE(flags, at, who, tid) \
    "w-1 [000] " flags " " at ": sched_waking: comm=" who " pid=" tid " prio=120 target_cpu=000\n"
#define SWITCH(at, prev, next)                                                            \
    "w-1 [000] d..2. " at ": sched_switch: " prev " prev_prio=120 prev_state=S ==> " next \
    " next_prio=120\n"

static const char *const lines[] = {
    WAKE("d.h2.", "5.000000", "worker", "11"),
    SWITCH("5.000010", "prev_comm=swapper/0 prev_pid=0", "next_comm=worker next_pid=11"),
    "w-11 [000] d..2. 5.000200: sched_waking: comm=logger pid=12 prio=120 target_cpu=000\n",
    SWITCH("5.000210", "prev_comm=worker prev_pid=11", "next_comm=logger next_pid=12"),
    SWITCH("5.000260", "prev_comm=logger prev_pid=12", "next_comm=swapper/0 next_pid=0"),
    WAKE("d.h2.", "5.001000", "worker", "11"),
};

int main(void)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    struct joulie_thread_trace *trace = NULL;
    char *json = NULL;
    int rc = joulie_thread_trace_new(&trace, &err);
    if (rc == JOULIE_OK)
        rc = joulie_thread_trace_add_thread(trace, 11, &err); /* 12 is of another workload */
    for (size_t i = 0; rc == JOULIE_OK && i < sizeof lines / sizeof lines[0]; i++)
        rc = joulie_thread_trace_feed(trace, lines[i], strlen(lines[i]), &err);
    if (rc == JOULIE_OK)
        rc = joulie_thread_trace_analyze(trace, 42, &json, &err);
    if (rc == JOULIE_OK)
        printf("%s\n", json);
    else
        printf("%s: %s\n", err.where, err.message);
    joulie_free(json);
    joulie_thread_trace_free(trace);
    return rc == JOULIE_OK ? 0 : 1;
}
