/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-scheduler: answers kube-scheduler which nodes fit a pod. */

#include "scheduler/scheduler.h"

extern char **environ;

int main(int argc, char **argv)
{
    static struct jd_scheduler scheduler;
    if (!jd_hold_standard_files())
        return JD_BROKEN;
    int status = jd_scheduler_configure(&scheduler, argc, argv);
    if (status < 0)
        status = jd_scheduler_open(&scheduler, environ);
    if (status < 0)
        status = jd_scheduler_run(&scheduler);
    return jd_scheduler_close(&scheduler, status);
}
