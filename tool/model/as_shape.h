/* SPDX-License-Identifier: MIT */
/* To be included before a list of rows (model/structs.def): it makes shapes of them. */

#define STRUCT(name) static const struct kv_member members_##name[] = {
#define END(name, ...)									\
	};										\
	const struct kv_shape kv_shape_##name =						\
		KV_SHAPE(struct kv_##name, members_##name, ##__VA_ARGS__);
#define U32(of, member, ...) KV_U32(struct kv_##of, member, __VA_ARGS__),
#define S32(of, member, ...) KV_S32(struct kv_##of, member, __VA_ARGS__),
#define U64(of, member, ...) KV_U64(struct kv_##of, member, __VA_ARGS__),
#define BOOL(of, member, ...) KV_BOOL(struct kv_##of, member, ##__VA_ARGS__),
#define ID(of, member, ...) KV_ID(struct kv_##of, member, __VA_ARGS__),
#define ABOUT(of) KV_ID_ABOUT(struct kv_##of, id),
#define TEXT(of, member, size, ...) KV_TEXT(struct kv_##of, member, ##__VA_ARGS__),
#define TEXT_AT(of, member, ...) KV_TEXT_AT(struct kv_##of, member, __VA_ARGS__),
#define HEX(of, member, size, ...) KV_HEX(struct kv_##of, member, ##__VA_ARGS__),
#define HEX_UPTO(of, member, count, size, ...)						\
	KV_HEX_UPTO(struct kv_##of, member, count, ##__VA_ARGS__),
#define ADDRESS(of, member, ...) KV_ADDRESS(struct kv_##of, member, ##__VA_ARGS__),
#define PART(of, member, part, shape, ...)						\
	KV_STRUCT(struct kv_##of, member, kv_shape_##shape, ##__VA_ARGS__),
#define LIST(of, member, count, size, part, ...)					\
	KV_LIST(struct kv_##of, member, count, kv_shape_##part, ##__VA_ARGS__),
#define LIST_AT(of, member, count, max, part, ...)					\
	KV_LIST_AT(struct kv_##of, member, count, max, kv_shape_##part, ##__VA_ARGS__),
#define NEST(of, member, ...) KV_NEST(struct kv_##of, member, ##__VA_ARGS__),
#define AGAIN(type, ...) type(__VA_ARGS__)
#define PLAIN(declaration)
