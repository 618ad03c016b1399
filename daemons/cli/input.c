/* SPDX-License-Identifier: Apache-2.0 */

/* The inputs of commands as whole texts: a file, or standard input. */

#include <unistd.h>

#include "base/limits.h"
#include "cli.h"
#include "runtime/file.h"

static int read_input(const char *file, size_t most_bytes, struct jl_buffer *out,
                      struct joulie_error *err)
{
    return !file || jl_same(file, "-")
               ? jd_read_descriptor(STDIN_FILENO, "standard input", most_bytes, out, err)
               : jd_read_file(file, most_bytes, out, err);
}

int jd_read(const char *file, struct jl_buffer *out, struct joulie_error *err)
{
    return read_input(file, JL_LIMIT_DOCUMENT_BYTES, out, err);
}

int jd_read_object(const char *file, struct jl_buffer *out, struct joulie_error *err)
{
    return read_input(file, JL_LIMIT_OBJECT_BYTES, out, err);
}
