/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The refusal that the exported functions of this room share. */

#include "base/error.h"

static inline int jl_remote_refuse_abi(struct joulie_error *err)
{
    return jl_refuse(err, JOULIE_E_ABI, "",
                     "struct_size is impossible, or a field of a newer release is set");
}
