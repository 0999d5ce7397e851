/* Constants that point_text.S shares with C code. point_code.c checks them. */
#ifndef RUNTIME_POINT_POINT_LAYOUT_H
#define RUNTIME_POINT_POINT_LAYOUT_H

#define POINT_CODEC_PC 32 /* offset in struct thread_buffer_self */
#define POINT_CODEC_ADDRESS 40
#define POINT_POINTEE_FLAG 32  /* EF_LOOK */
#define POINT_POINTEE_MOST 120 /* longest text whose READ has a short header and a one-byte size */

#endif
