/* SPDX-License-Identifier: Apache-2.0 */

/*
 * As schema/record.h, for a record of a header: its struct, and its table as `extern`. The .c file
 * that defines RECORD_TABLES before it includes that header gets the table itself.
 */
#define RECORD_IS_SHARED
#include "schema/record.h"
#undef RECORD_IS_SHARED
