/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Archives in memory: POSIX ustar, owner and time 0, so that equal trees give equal bytes. Paths
 * and link targets that ustar cannot hold get a pax record.
 */

#include <joulie/host.h>

#include "base/buffer.h"

/* Memory failures are the buffer's. 0 or JOULIE_E_LIMIT: a file of 8 GiB or more. */
int jd_tar_put(struct jl_buffer *out, const struct joulie_host_entry *entry);
void jd_tar_end(struct jl_buffer *out);
