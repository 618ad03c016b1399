/* SPDX-License-Identifier: Apache-2.0 */

/* <joulie/version.h>: which library was loaded, and what it can do. */

#include <stddef.h>
#include <stdio.h>

#include <joulie/version.h>

int main(void)
{
    static const char *const names[] = { "ask", "cluster", "twin", "teleportation" };
    printf("compiled with %d.%d\n", JOULIE_VERSION_MAJOR, JOULIE_VERSION_MINOR);
    printf("loaded %.3s\n", joulie_version());
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        printf("%s: %s\n", names[i], joulie_has_feature(names[i]) ? "yes" : "no");
    return 0;
}
