/* SPDX-License-Identifier: Apache-2.0 */

/* Text as roff reads it, for the manual pages of daemons and of the command line. */

#include "runtime/roff.h"

void jd_put_roff(struct jl_buffer *out, const char *text)
{
    bool is_line_start = true;
    for (; *text; text++) {
        if (is_line_start && (*text == '.' || *text == '\''))
            jl_put_string(out, "\\&");
        if (*text == '\\')
            jl_put_string(out, "\\e");
        else if (*text == '-')
            jl_put_string(out, "\\-");
        else
            jl_put_char(out, *text);
        is_line_start = *text == '\n';
    }
}
