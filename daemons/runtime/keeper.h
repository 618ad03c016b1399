/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Connections to a joulie-capd that listens: the process that writes a machine for this one
 * (docs/rules/enforcement.md#capd). */

#include <joulie/error.h>

/* Where the one of the service manager listens (daemons/deploy/systemd/joulie-capd.socket), if it
 * is there, the root is the machine under its own name, and no other state folder is asked for
 * (NULL); else NULL. */
const char *jd_keeper_socket(const char *root, const char *state_dir);

/* *out_fd: a socket of packets, which closes on exec. 0, JOULIE_E_RANGE: too long a path, or
 * JOULIE_E_IO. */
int jd_keeper_connect(const char *path, int *out_fd, struct joulie_error *err);
