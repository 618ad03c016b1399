/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOULIE_VERSION_H
#define JOULIE_VERSION_H
#pragma once

/**
 * @file
 * Version of libjoulie, and the macros that every public header uses.
 */

#include <stddef.h>

#define JOULIE_VERSION_MAJOR 0
#define JOULIE_VERSION_MINOR 3
#define JOULIE_VERSION_PATCH 0
#define JOULIE_VERSION_SUFFIX "~dev" /**< "~dev" until the release, then "" */

/** Version as one number that compares in order: 0.3.0 is 300. */
#define JOULIE_VERSION \
    (JOULIE_VERSION_MAJOR * 10000 + JOULIE_VERSION_MINOR * 100 + JOULIE_VERSION_PATCH)

#if defined(__GNUC__)
#define JOULIE_API __attribute__((visibility("default")))
#else
#define JOULIE_API
#endif

/* A zeroed struct with its struct_size filled, such as JOULIE_INIT(struct joulie_error). In C it is
 * no constant expression: for a static variable write { .struct_size = sizeof name }. */
#ifndef __cplusplus
#define JOULIE_INIT(type) ((type){ .struct_size = sizeof(type) })
#endif

#ifdef __cplusplus
template <typename joulie_type> inline joulie_type joulie_init()
{
    joulie_type value = joulie_type();
    value.struct_size = sizeof value;
    return value;
}

#define JOULIE_INIT(type) joulie_init<type>()

extern "C" {
#endif

/**
 * Version of the library that is loaded, such as "0.3.0", or "0.3.0~dev" before that release.
 *
 * @return static text
 * @threads any
 * @since 0.1
 */
JOULIE_API const char *joulie_version(void);

/**
 * Whether the loaded library has a feature that a program may want to ask for at run time.
 *
 * @param name  "ask", "autoscale", "caps", "classify", "cluster", "host", "node", "object",
 *              "place", "remote", "sim", "tensor_fusion", "twin", "twin.columns", "twin.rack",
 *              "twin.slowdown", "twin.trend" or "twin.zone"; NULL and unknown names are 0.
 *              "autoscale" and "tensor_fusion" came with 0.2, "remote" with 0.3
 * @return 1 or 0
 * @threads any
 * @since 0.1
 */
JOULIE_API int joulie_has_feature(const char *name);

/**
 * The features that the loaded library has, in the order of their names.
 *
 * @param index  from 0
 * @return static text, or NULL behind the last one
 * @threads any
 * @since 0.3
 */
JOULIE_API const char *joulie_feature_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
