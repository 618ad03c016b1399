/* SPDX-License-Identifier: Apache-2.0 */

/* Nothing that predicts allocates, whatever the layout of its columns. */

#include <stdlib.h>

#include <joulie/twin.h>

#include "support/test.h"

#define ROWS 1000

static unsigned long allocations;

#if defined(__SANITIZE_ADDRESS__)

/* sanitizer/allocator_interface.h, which GCC's package does not have */
extern int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *memory,
                                                                       size_t size),
                                                     void (*on_free)(const volatile void *memory));

static void count_allocation(const volatile void *memory, size_t size)
{
    (void)memory;
    (void)size;
    allocations++;
}

static void ignore_release(const volatile void *memory)
{
    (void)memory;
}

static void count_allocations(void)
{
    assert_true(__sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_release) > 0);
}

#else

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}

static void count_allocations(void)
{
}

#endif

struct node {
    double max_w;
    double power_w;
    double headroom;
    uint64_t has;
    int64_t t_ms;
    int32_t code;
    int32_t reserved;
};

static void predicting_allocates_nothing(void **state)
{
    (void)state;
    static struct node nodes[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        nodes[i] = (struct node){ .max_w = 200, .power_w = (double)(i % 190), .t_ms = (int64_t)i };
    count_allocations();
    void *volatile memory = malloc(1);
    free(memory);
    assert_true(allocations > 0); /* they are counted */

    const int64_t stride = sizeof(struct node);
    struct joulie_twin_columns in = JOULIE_INIT(struct joulie_twin_columns);
    struct joulie_twin_columns_out out = JOULIE_INIT(struct joulie_twin_columns_out);
    struct joulie_twin_trend_input samples = JOULIE_INIT(struct joulie_twin_trend_input);
    struct joulie_twin_trend_output trend = JOULIE_INIT(struct joulie_twin_trend_output);
    struct joulie_twin_input one = JOULIE_INIT(struct joulie_twin_input);
    struct joulie_twin_output prediction = JOULIE_INIT(struct joulie_twin_output);
    struct joulie_slowdown_input work = JOULIE_INIT(struct joulie_slowdown_input);
    struct joulie_slowdown_output slowdown = JOULIE_INIT(struct joulie_slowdown_output);
    in.cpu_max_w = (struct joulie_column){ &nodes->max_w, stride };
    in.measured_node_power_w = (struct joulie_column){ &nodes->power_w, stride };
    out.power_headroom_score = (struct joulie_column_out){ &nodes->headroom, stride };
    out.has = (struct joulie_column_bits_out){ &nodes->has, stride };
    out.code = (struct joulie_column_int_out){ &nodes->code, stride };
    samples.at_ms = (struct joulie_column_ms){ &nodes->t_ms, stride };
    samples.power_w = in.measured_node_power_w;
    nodes[17].power_w = -1; /* a row that fails */

    const unsigned long before = allocations;
    const int codes[] = {
        joulie_twin_predict_columns(&in, ROWS, &out, NULL, NULL),
        joulie_twin_trend(&samples, ROWS, &trend, NULL),
        joulie_twin_predict(&one, &prediction, NULL),
        joulie_slowdown_predict(&work, &slowdown, NULL),
    };
    const unsigned long after = allocations;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        assert_int_equal(codes[i], JOULIE_OK);
    assert_int_equal(nodes[17].code, JOULIE_E_RANGE);
    assert_int_equal(after - before, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicting_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
