// SPDX-License-Identifier: MIT
#include "cli/parse.h"
#include "model/backend.h"

#define NAMES(table) const struct kv_enum kv_enum_##table[] = {
#define NAME(word, number) { word, number },
#define NAMES_END { NULL, 0 } };
#include "model/enum.def"
