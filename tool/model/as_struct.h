/* SPDX-License-Identifier: MIT */
/*
 * To be included before a list of rows (model/structs.def): it makes structs of them, and
 * declares their shapes.
 */

#define STRUCT(name) extern const struct kv_shape kv_shape_##name; struct kv_##name {
#define END(name, ...) };
#define U32(of, member, ...) uint32_t member;
#define S32(of, member, ...) int32_t member;
#define U64(of, member, ...) uint64_t member;
#define BOOL(of, member, ...) bool member;
#define ID(of, member, ...) uint32_t member;
#define ABOUT(of) uint32_t id;
#define TEXT(of, member, size, ...) char member[size];
#define TEXT_AT(of, member, ...) const char *member;
#define HEX(of, member, size, ...) uint8_t member[size];
#define HEX_UPTO(of, member, count, size, ...) uint32_t count; uint8_t member[size];
#define ADDRESS(of, member, ...) struct sockaddr_storage member;
#define PART(of, member, part, ...) struct kv_##part member;
#define LIST(of, member, count, size, part, ...) uint32_t count; struct kv_##part member[size];
#define LIST_AT(of, member, count, max, part, ...) uint32_t count; const struct kv_##part *member;
#define NEST(of, member, ...) struct nlattr *member;
#define AGAIN(...)
#define PLAIN(declaration) declaration;
