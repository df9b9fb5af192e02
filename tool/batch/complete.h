/* SPDX-License-Identifier: MIT */
#pragma once

char **kv_complete(const char *before, const char *word, void *session);
