/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a client and joulie-capd say to each other over a socket of whole packets (SOCK_SEQPACKET):
 * structs of fixed size in the byte order of the machine, checked before anything of them is
 * believed. Each request but a beat has exactly one reply, in order
 * (docs/rules/enforcement.md#packets). Pure: no call here reads or writes a socket.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct joulie_error;

#define JL_WIRE_VERSION 1
#define JL_WIRE_KEY_BYTES 64 /* NUL padded: a key has 63 bytes at most */
#define JL_WIRE_OWNER_BYTES 72
#define JL_WIRE_TEXT_BYTES 256
#define JL_WIRE_ITEMS_MAX 512   /* of a packet */
#define JL_WIRE_ENTRIES_MAX 128 /* of the journal, in a packet */

enum jl_wire_kind {
    JL_WIRE_HELLO = 1, /* an owner; the reply has the terms */
    JL_WIRE_LIST,      /* what is open in the journal, from head.first on */
    JL_WIRE_APPLY,     /* values for controls */
    JL_WIRE_RESTORE,   /* keys to give back */
    JL_WIRE_ENERGY,    /* a zone; the reply comes with a descriptor of its energy counter */
    JL_WIRE_BEAT,      /* the client is alive; no reply */
    JL_WIRE_LEAVE,     /* what is in force stays when the connection ends */
};

/* Of an APPLY. */
enum jl_wire_flag {
    JL_WIRE_GROUP = 1,             /* all items or none */
    JL_WIRE_MAY_ENABLE = 2,        /* limits that are switched off are switched on */
    JL_WIRE_GIVE_BACK_MAXIMUM = 4, /* not a limit that was found below it */
};

struct jl_wire_head { /* both ways */
    uint32_t version;
    uint32_t kind;
    uint32_t flags; /* 0 in a reply */
    uint32_t count; /* of items behind it; of a reply that failed 0 */
    uint32_t first; /* LIST: of the first entry; else 0 */
    uint32_t reserved;
};

/* ---- items of requests ---- */

struct jl_wire_owner {
    char name[JL_WIRE_OWNER_BYTES];
};

struct jl_wire_key { /* of a control, or the name of an energy zone */
    char key[JL_WIRE_KEY_BYTES];
};

struct jl_wire_value {
    char key[JL_WIRE_KEY_BYTES];
    uint64_t value;
};

struct jl_wire_request {
    struct jl_wire_head head;

    union {
        struct jl_wire_owner owner;
        struct jl_wire_key keys[JL_WIRE_ITEMS_MAX];
        struct jl_wire_value values[JL_WIRE_ITEMS_MAX];
    };
};

/* ---- items of replies ---- */

enum jl_wire_terms_flag { JL_WIRE_RAMPS = 1, JL_WIRE_ENABLES = 2 };

struct jl_wire_terms { /* what no client gets around */
    double floor_pct;
    uint32_t flags; /* jl_wire_terms_flag */
    uint32_t pid;   /* of the one who answers */
};

enum jl_wire_open_has {
    JL_WIRE_OPEN_WRITTEN = 1,
    JL_WIRE_OPEN_HAS_ENABLED = 2,
    JL_WIRE_OPEN_ENABLED = 4,
    JL_WIRE_OPEN = 8, /* the key is open; without it the rest is 0 */
};

struct jl_wire_open { /* as struct jl_journal_entry */
    uint64_t value;
    uint64_t written;
    int64_t since_ms;
    uint32_t unit; /* enum jl_journal_unit */
    uint32_t has;  /* jl_wire_open_has */
};

struct jl_wire_entry {
    char key[JL_WIRE_KEY_BYTES];
    char owner[JL_WIRE_OWNER_BYTES]; /* "" = unknown */
    struct jl_wire_open open;
};

enum jl_wire_made_has {
    JL_WIRE_MADE_BEFORE = 1,
    JL_WIRE_MADE_TAKEN = 2,
    JL_WIRE_MADE_SWITCHED = 4,
    JL_WIRE_MADE_WENT_BACK = 8, /* or tried to: the numbers of going back count */
    JL_WIRE_MADE_BACK_BEFORE = 16,
    JL_WIRE_MADE_BACK_TAKEN = 32,
    JL_WIRE_MADE_TRIED = 64,
};

struct jl_wire_made { /* of an item of APPLY, as struct jl_keep_item */
    uint64_t value;   /* that was really written: within bounds, one step of the ramp */
    uint64_t before;
    uint64_t read_back;
    uint64_t back_before;
    uint64_t back_read_back;
    struct jl_wire_open open; /* what the journal has of it now */
    uint32_t wrote;           /* what became of it: enum jl_wrote */
    uint32_t tried_wrote;     /* of the write itself, before its group went back */
    uint32_t back_wrote;
    uint32_t has; /* jl_wire_made_has */
};

enum jl_wire_given_has {
    JL_WIRE_GIVEN_FOUND = 1, /* the machine has the control */
    JL_WIRE_GIVEN_TRIED = 2,
    JL_WIRE_GIVEN_BACK = 4,
    JL_WIRE_GIVEN_BEFORE = 8,
    JL_WIRE_GIVEN_TAKEN = 16,
};

struct jl_wire_given { /* of an item of RESTORE, as struct jl_gift */
    uint64_t value;
    uint64_t before;
    uint64_t read_back;
    uint32_t wrote; /* when it was tried */
    uint32_t has;   /* jl_wire_given_has */
};

struct jl_wire_reply {
    struct jl_wire_head head;
    int32_t code;   /* 0 or JOULIE_E_* */
    uint32_t total; /* LIST: how many are open */
    char message[JL_WIRE_TEXT_BYTES];

    union {
        struct jl_wire_terms terms;
        struct jl_wire_entry entries[JL_WIRE_ENTRIES_MAX];
        struct jl_wire_made made[JL_WIRE_ITEMS_MAX];
        struct jl_wire_given given[JL_WIRE_ITEMS_MAX];
    };
};

/* Bytes of a packet with so many items. */
size_t jl_wire_request_bytes(enum jl_wire_kind kind, uint32_t count);
size_t jl_wire_reply_bytes(enum jl_wire_kind kind, uint32_t count);

/* NUL pads; false: the text has no room, or is no word of printable ASCII, and nothing is put. */
bool jl_wire_put(char *out, size_t room, const char *text);

/* Whether len bytes are one whole packet of which everything can be believed: 0, or
 * JOULIE_E_UNSUPPORTED (version, kind, flags), JOULIE_E_PARSE (length, count, a text without an
 * end). A reply without a code must be of this kind. Packets may be
 * shorter than the struct. */
int jl_wire_check_request(const struct jl_wire_request *packet, size_t len,
                          struct joulie_error *err);
int jl_wire_check_reply(const struct jl_wire_reply *packet, size_t len, enum jl_wire_kind kind,
                        struct joulie_error *err);
