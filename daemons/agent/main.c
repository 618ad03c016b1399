/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-agent: keeps the power caps of a machine. */

#include "agent/agent.h"

int main(int argc, char **argv)
{
    static struct jd_agent agent;
    if (!jd_hold_standard_files())
        return JD_BROKEN;
    int status = jd_agent_configure(&agent, argc, argv);
    if (status < 0)
        status = jd_agent_open(&agent);
    if (status < 0)
        status = jd_agent_run(&agent);
    return jd_agent_close(&agent, status);
}
