// SPDX-License-Identifier: MIT
#include <stdio.h>
int main(void) { puts("kverbs"); return 0; }
