/* SPDX-License-Identifier: MIT */
/* To be included before a list of rows (model/structs.def): it makes shapes of them. */

#define STRUCT(name) static const struct kv_member members_##name[] = {
#define END(name, ...)									\
	};										\
	const struct kv_shape kv_shape_##name =						\
		KV_SHAPE(struct kv_##name, members_##name, ##__VA_ARGS__);
#define U32(of, member, most, ...)							\
	{ KV_AT(of, member), .type = KV_MEMBER_U32, .max = most, ##__VA_ARGS__ },
#define S32(of, member, least, most, ...)						\
	{ KV_AT(of, member), .type = KV_MEMBER_S32, .min = least, .max = most, ##__VA_ARGS__ },
#define U64(of, member, most, ...)							\
	{ KV_AT(of, member), .type = KV_MEMBER_U64, .max = most, ##__VA_ARGS__ },
#define BOOL(of, member, ...) { KV_AT(of, member), .type = KV_MEMBER_BOOL, ##__VA_ARGS__ },
#define ID(of, member, what, ...)							\
	{ KV_AT(of, member), .type = KV_MEMBER_U32, .max = UINT32_MAX,			\
	  .refers = 1U + (what), ##__VA_ARGS__ },
#define ABOUT(of)									\
	{ KV_AT(of, id), .type = KV_MEMBER_U32, .max = UINT32_MAX,			\
	  .attr = KV_ATTR_BEYOND, .refers = KV_REFERS_ABOUT, .tell = KV_TELL_NEVER },
#define TEXT(of, member, room, ...)							\
	{ KV_AT(of, member), .type = KV_MEMBER_TEXT, .size = room, ##__VA_ARGS__ },
#define TEXT_AT(of, member, room, ...)							\
	{ KV_AT(of, member), .type = KV_MEMBER_TEXT_AT, .size = room, ##__VA_ARGS__ },
#define HEX(of, member, room, ...)							\
	{ KV_AT(of, member), .type = KV_MEMBER_HEX, .size = room, ##__VA_ARGS__ },
#define HEX_UPTO(of, member, counter, room, ...)					\
	{ KV_AT(of, member), .type = KV_MEMBER_HEX_UPTO, .size = room,			\
	  .count = offsetof(struct kv_##of, counter), ##__VA_ARGS__ },
#define ADDRESS(of, member, ...)							\
	{ KV_AT(of, member), .type = KV_MEMBER_ADDRESS, .size = KV_ROOM(of, member), \
	  ##__VA_ARGS__ },
#define PART(of, member, part, sh, ...)							\
	{ KV_AT(of, member), .type = KV_MEMBER_STRUCT, .shape = &kv_shape_##sh, ##__VA_ARGS__ },
#define LIST(of, member, counter, most, part, ...)					\
	{ KV_AT(of, member), .type = KV_MEMBER_LIST, .shape = &kv_shape_##part, .size = most,	\
	  .count = offsetof(struct kv_##of, counter), ##__VA_ARGS__ },
#define LIST_AT(of, member, counter, most, part, ...)					\
	LIST(of, member, counter, most, part, .elsewhere = true, ##__VA_ARGS__)
#define NEST(of, member, ...) { KV_AT(of, member), .type = KV_MEMBER_NEST, ##__VA_ARGS__ },
#define AGAIN(type, ...) type(__VA_ARGS__)
#define PLAIN(declaration)
