/* SPDX-License-Identifier: Apache-2.0 */

/* joulie-operator: decides which nodes of a cluster run at full power. */

#include "operator/operator.h"
#include "runtime/daemon.h"

extern char **environ;

int main(int argc, char **argv)
{
    struct jd_operator *op = jd_hold_standard_files() ? jd_operator_new() : NULL;
    if (!op)
        return JD_BROKEN;
    int status = jd_operator_configure(op, argc, argv);
    if (status < 0)
        status = jd_operator_open(op, environ);
    if (status < 0)
        status = jd_operator_run(op);
    return jd_operator_free(op, status);
}
