/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-simulator: a simulated cluster behind real interfaces. */

#include "simulator/simulator.h"

int main(int argc, char **argv)
{
    static struct jd_simulator simulator;
    if (!jd_hold_standard_files())
        return JD_BROKEN;
    int status = jd_simulator_configure(&simulator, argc, argv);
    if (status < 0)
        status = jd_simulator_open(&simulator);
    if (status < 0)
        status = jd_simulator_run(&simulator);
    return jd_simulator_close(&simulator, status);
}
