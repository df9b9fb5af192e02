// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"
#include "fail.h"

bool fail_verb_loaded(void)
{
	return !access(FAIL_VERB "verb", W_OK);
}

void fail_verb_set(const char *parameter, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), FAIL_VERB "%s", parameter);
	if (!write_text(path, text))
		bail_out("%s: %s: %s", path, text, strerror(errno));
}
