/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-agent: keeps the power caps of a machine. */

#include "agent/agent.h"

int main(int argc, char **argv)
{
    struct jd_agent agent = { 0 };
    if (!jd_hold_standard_files())
        return 1;
    int status = jd_agent_configure(&agent, argc, argv);
    if (status < 0)
        status = jd_agent_open(&agent);
    if (status < 0)
        status = agent.place == JD_WITH_FILES ? jd_agent_run(&agent) : jd_agent_run_cluster(&agent);
    return jd_agent_close(&agent, status);
}
