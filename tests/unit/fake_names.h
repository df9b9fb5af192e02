/* SPDX-License-Identifier: MIT */
#pragma once

/* errno with which the names can't be read or written; 0: they can be. */
extern int fake_names_error;

void fake_names_clear(void);
