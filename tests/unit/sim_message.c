// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rpmsg wire format: exact bytes, round trips, and every length of buffer.
 * Buffers are allocated to size, so that a byte too far is an ASan report.
 */
#include <stdio.h>

#include "check.h"
#include "message.h"

static void numbers(void **state)
{
	u8 raw[8];
	u32 i;

	(void)state;
	for (i = 0; i < 65536; i++) {
		msg_put16(raw, i);
		assert_int_equal(raw[0], i & 255);
		assert_int_equal(raw[1], i >> 8);
		assert_int_equal(msg_get16(raw), i);
		msg_put32(raw, i * 65537u);
		assert_int_equal(msg_get32(raw), i * 65537u);
	}
	msg_put32(raw, 0x04030201);
	assert_memory_equal(raw, "\1\2\3\4", 4);
	msg_put64(raw, 0x0807060504030201ull);
	assert_memory_equal(raw, "\1\2\3\4\5\6\7\10", 8);
	msg_put32(raw, UINT32_MAX);
	assert_int_equal(msg_get32(raw), UINT32_MAX);
}

static void header_bytes(void **state)
{
	static const u8 want[MSG_HDR_LEN] = {
		1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 9, 10, 11, 12,
	};
	struct msg_hdr h = { 0x04030201, 0x08070605, 0x0a09, 0x0c0b }, back;
	u8 raw[MSG_HDR_LEN];

	(void)state;
	memset(raw, 0xee, sizeof(raw));
	msg_hdr_encode(raw, &h);
	assert_memory_equal(raw, want, sizeof(raw));
	assert_int_equal(msg_hdr_decode(&back, raw, 16 + 0x0a09), 0);
	assert_int_equal(back.src, h.src);
	assert_int_equal(back.dst, h.dst);
	assert_int_equal(back.len, h.len);
	assert_int_equal(back.flags, h.flags);
}

/* Every length in the header against every length of buffer around it. */
static void header_lengths(void **state)
{
	struct msg_hdr h = { .src = 1, .dst = 2 }, back;
	u32 bytes, len;

	(void)state;
	for (bytes = 0; bytes <= 600; bytes++) {
		u8 *raw = calloc(1, bytes ? bytes : 1);

		for (len = 0; len < 700; len += bytes < MSG_HDR_LEN ? 100 : 1) {
			h.len = len;
			if (bytes >= MSG_HDR_LEN)
				msg_hdr_encode(raw, &h);
			assert_int_equal(msg_hdr_decode(&back, raw, bytes),
					 bytes >= 16 + len ? 0 : -EPROTO);
		}
		free(raw);
	}
}

static void name_service(void **state)
{
	static const char *const name[] = {
		"", "a", "rpmsg-raw", "abcdefghijklmnopqrstuvwxyz01234",
	};
	struct msg_ns ns, back;
	u8 raw[MSG_NS_LEN];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(name) * 2; i++) {
		memset(&ns, 0xee, sizeof(ns));
		snprintf(ns.name, sizeof(ns.name), "%s", name[i / 2]);
		ns.addr = 0x04030201;
		ns.destroy = i & 1;
		memset(raw, 0xee, sizeof(raw));
		msg_ns_encode(raw, &ns);
		assert_memory_equal(raw + 32, "\1\2\3\4", 4);
		assert_int_equal(raw[36], i & 1);
		assert_memory_equal(raw + 37, "\0\0\0", 3);
		/* No byte of the kernel's stack behind the name's end. */
		assert_int_equal(raw[31], 0);
		assert_int_equal(msg_ns_decode(&back, raw, sizeof(raw)), 0);
		assert_string_equal(back.name, name[i / 2]);
		assert_int_equal(back.addr, ns.addr);
		assert_int_equal(back.destroy, i & 1);
	}
}

static void name_padding(void **state)
{
	struct msg_ns ns;
	u8 raw[MSG_NS_LEN];
	size_t i;

	(void)state;
	memset(&ns, 'x', sizeof(ns));
	ns.destroy = false;
	ns.name[3] = '\0';
	msg_ns_encode(raw, &ns);
	for (i = 3; i < MSG_NAME_LEN; i++)
		assert_int_equal(raw[i], 0);
}

/* A name from the other side without an end. */
static void name_unterminated(void **state)
{
	struct msg_ns ns;
	u8 raw[MSG_NS_LEN];

	(void)state;
	memset(raw, 'x', sizeof(raw));
	assert_int_equal(msg_ns_decode(&ns, raw, sizeof(raw)), 0);
	assert_int_equal(strlen(ns.name), 31);
}

static void name_service_lengths(void **state)
{
	struct msg_ns ns;
	u32 bytes;

	(void)state;
	for (bytes = 0; bytes <= 496; bytes++) {
		u8 *raw = calloc(1, bytes ? bytes : 1);

		assert_int_equal(msg_ns_decode(&ns, raw, bytes),
				 bytes == 40 ? 0 : -EPROTO);
		free(raw);
	}
}

static void fill(void **state)
{
	u64 seq = 0xf1f2f3f4f5f6f7f8ull;
	size_t bytes, i;

	(void)state;
	for (bytes = 0; bytes <= 496; bytes++) {
		u8 *buf = malloc(bytes ? bytes : 1);

		msg_fill(buf, bytes, seq);
		for (i = 0; i < bytes; i++)
			assert_int_equal(buf[i], i < 8 ? (seq >> 8 * i) & 255 :
					 i & 255);
		free(buf);
	}
}

int main(void)
{
	const struct unit_case tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(header_bytes),
		cmocka_unit_test(header_lengths),
		cmocka_unit_test(name_service),
		cmocka_unit_test(name_padding),
		cmocka_unit_test(name_unterminated),
		cmocka_unit_test(name_service_lengths),
		cmocka_unit_test(fill),
	};

	return UNIT_MAIN(tests);
}
