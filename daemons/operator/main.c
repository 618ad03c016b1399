/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-operator: decides which nodes of a cluster run at full power. */

#include <unistd.h>

#include "operator/operator.h"

extern char **environ;

int main(int argc, char **argv)
{
    static struct jd_operator op;
    if (!jd_hold_standard_files())
        return 1;
    int status = jd_operator_configure(&op, argc, argv);
    if (status < 0)
        status = jd_operator_open(&op, environ);
    if (status < 0)
        status = jd_operator_run(&op);
    return jd_operator_close(&op, status);
}
