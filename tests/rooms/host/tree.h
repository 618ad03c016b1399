/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Small machines for tests: folders below a temporary one. */

#include "host/root.h"
#include "host/scan.h"
#include "support/test.h"

#define ZONES "sys/devices/virtual/powercap/intel-rapl"
#define CPU "sys/devices/system/cpu"

struct tree {
    char path[64];
    struct jl_root root;
    struct jl_os_counts counts;
    struct jl_arena arena;
    struct jl_host_facts facts; /* of tree_scan */
};

void tree_new(struct tree *tree);
void tree_free(struct tree *tree);

/* Each makes the folders above it; paths are below the root. */
void tree_put(struct tree *tree, const char *path, const char *text);
void tree_put_bytes(struct tree *tree, const char *path, const void *bytes, size_t len);
void tree_putf(struct tree *tree, const char *text, const char *path, ...)
    __attribute__((format(printf, 3, 4)));
void tree_folder(struct tree *tree, const char *path);
void tree_link(struct tree *tree, const char *path, const char *target);
void tree_fifo(struct tree *tree, const char *path);
void tree_socket(struct tree *tree, const char *path);
void tree_size(struct tree *tree, const char *path, uint64_t bytes); /* a sparse file */
void tree_mode(struct tree *tree, const char *path, unsigned mode);
void tree_remove(struct tree *tree, const char *path);

/* From now on a file of this name cannot be opened, whoever the test runs as. */
void tree_refuse(struct tree *tree, const char *name, int sys_errno);
/* A folder that holds something named "endless" lists names without end. */
void tree_endless(struct tree *tree);

/* A package zone with long_term 205 W and short_term 246 W, below a folder of zones. */
void tree_package(struct tree *tree, const char *folder, const char *name);
/* A zone without limits: AMD's, or a core. */
void tree_meter(struct tree *tree, const char *folder, const char *name);
void tree_policy(struct tree *tree, unsigned number, const char *driver);
void tree_cpu(struct tree *tree, unsigned number, unsigned package, unsigned die, unsigned core);
/* Two sockets with DRAM, four CPUs, without PCI. */
void tree_intel_2s(struct tree *tree);

void tree_scan(struct tree *tree);
const struct jl_zone *tree_zone(const struct tree *tree, const char *dir);
/* The message at a path, NULL = none. */
const char *tree_warning(const struct tree *tree, const char *where);
