// SPDX-License-Identifier: MIT
/* Executes the mark that the plugin waits for (shares.c). */
#include "mark.h"

#define BYTES_OF(...) ".byte " TEXT_OF(__VA_ARGS__)
#define TEXT_OF(...) #__VA_ARGS__

int main(void)
{
	__asm__ volatile(BYTES_OF(KV_MARK));
	return 0;
}
