/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* joulie-operator: observe, step, act, report, once in each interval. operator.c is its driver, the
 * only file that sees the whole; each part gets what it needs and says what is new by callback. */

struct jd_operator;

struct jd_operator *jd_operator_new(void); /* NULL = memory ran out */
/* -1 = go on, else the exit status */
int jd_operator_configure(struct jd_operator *op, int argc, char **argv);
int jd_operator_open(struct jd_operator *op, char **environment);
int jd_operator_run(struct jd_operator *op); /* until a signal; the exit status */
int jd_operator_free(struct jd_operator *op, int status);
