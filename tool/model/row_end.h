/* SPDX-License-Identifier: MIT */
/* The end of a list of rows: what model/as_struct.h and model/as_shape.h define. */

#undef STRUCT
#undef END
#undef U32
#undef S32
#undef U64
#undef BOOL
#undef ID
#undef ABOUT
#undef TEXT
#undef TEXT_AT
#undef HEX
#undef HEX_UPTO
#undef ADDRESS
#undef PART
#undef LIST
#undef LIST_AT
#undef NEST
#undef AGAIN
#undef PLAIN
