/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Giving up what only root may (docs/rules/programs.md#privileges): for a program that has opened
 * what it needs, or has another process for it.
 */

#include <stdbool.h>

#include <joulie/error.h>

#define JD_USER "joulie"

/* Becomes another user, and has no capability and no way to one from here on. user NULL: JD_USER
 * where root runs on this machine (is_live) and there is one, else nobody else; "root" or the own
 * name stays who it is. *out_name: who it became, NULL = nobody else. 0, JOULIE_E_ENUM: there is no
 * such user, or JOULIE_E_IO. */
int jd_drop_privileges(const char *user, bool is_live, const char **out_name,
                       struct joulie_error *err);
