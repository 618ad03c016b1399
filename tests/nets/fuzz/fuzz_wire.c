/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Packets of joulie-capd: any bytes can be checked, as a request and as a reply of any kind,
 * without a look behind their end; what is believed has ends in all its texts; and what answers
 * them, over a machine that has nothing, gives a reply that can be believed or ends the connection.
 */

#include <errno.h>
#include <string.h>

#include <joulie/error.h>

#include "enforce/keeper.h"
#include "fuzz/fuzz.h"

static struct jl_wire_reply reply;

static void require_end(const char *text, size_t room)
{
    FUZZ_REQUIRE(memchr(text, '\0', room) != NULL);
}

static void check_request(const struct jl_wire_request *packet, size_t size)
{
    struct joulie_error err = JOULIE_INIT(struct joulie_error);
    const int rc = jl_wire_check_request(packet, size, &err);
    FUZZ_REQUIRE(rc == 0 || (rc == err.code && err.message[0] != '\0'));
    if (rc < 0)
        return;
    const enum jl_wire_kind kind = (enum jl_wire_kind)packet->head.kind;
    FUZZ_REQUIRE(size == jl_wire_request_bytes(kind, packet->head.count));
    FUZZ_REQUIRE(size <= sizeof *packet);
    for (uint32_t i = 0; i < packet->head.count; i++) {
        if (kind == JL_WIRE_HELLO)
            require_end(packet->owner.name, sizeof packet->owner.name);
        else if (kind == JL_WIRE_APPLY)
            require_end(packet->values[i].key, JL_WIRE_KEY_BYTES);
        else
            require_end(packet->keys[i].key, JL_WIRE_KEY_BYTES);
    }
}

static void check_reply(const struct jl_wire_reply *packet, size_t size)
{
    for (enum jl_wire_kind kind = JL_WIRE_HELLO; kind <= JL_WIRE_LEAVE; kind++) {
        if (jl_wire_check_reply(packet, size, kind, NULL) < 0)
            continue;
        FUZZ_REQUIRE(size <= sizeof *packet);
        require_end(packet->message, sizeof packet->message);
        for (uint32_t i = 0; i < packet->head.count && packet->head.kind == JL_WIRE_LIST; i++) {
            require_end(packet->entries[i].key, JL_WIRE_KEY_BYTES);
            require_end(packet->entries[i].owner, JL_WIRE_OWNER_BYTES);
        }
    }
}

/* ---- a machine that has nothing ---- */

static int no_open(void *user, int dir_fd, const char *name, unsigned flags)
{
    (void)user, (void)dir_fd, (void)name, (void)flags;
    return -ENOENT;
}

static int no_close(void *user, int fd)
{
    (void)user, (void)fd;
    return 0;
}

static int no_stat(void *user, int dir_fd, const char *name, struct jl_os_file *out)
{
    (void)user, (void)dir_fd, (void)name, (void)out;
    return -ENOENT;
}

static int no_fstat(void *user, int fd, struct jl_os_file *out)
{
    (void)user, (void)fd, (void)out;
    return -EBADF;
}

static void check_answer(const struct jl_wire_request *packet, size_t size)
{
    struct jl_keeper keeper = jl_keeper_new();
    keeper.root.os =
        (struct jl_os){ .open = no_open, .close = no_close, .stat = no_stat, .fstat = no_fstat };
    keeper.state_name = "state";
    const struct jl_keeper_answer answer =
        jl_keeper_answer(&keeper, packet, size, (struct jl_keeper_time){ 0, 0 }, &reply);
    FUZZ_REQUIRE(answer.fd < 0 && answer.bytes > 0 && reply.code < 0);
    FUZZ_REQUIRE(
        answer.ends ||
        jl_wire_check_reply(&reply, answer.bytes, (enum jl_wire_kind)packet->head.kind, NULL) == 0);
    require_end(reply.message, sizeof reply.message);
    jl_keeper_close(&keeper);
}

/* As long as what came, so that a look behind its end is seen. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1);
    FUZZ_REQUIRE(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    check_request(copy, size);
    check_reply(copy, size);
    check_answer(copy, size);
    free(copy);
    return 0;
}
