/* SPDX-License-Identifier: MIT */
#pragma once

/* The commit that the tool was built from, as git describes it; "": it was not built in a clone. */
extern const char kv_commit[];
