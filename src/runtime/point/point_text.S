/*
 * Writes a text for the code of a point (point_code.c): pointer, length, and bytes, word by word.
 *
 *	in	rdi the text, rcx the address to write to
 *	out	rcx the end of what was written, eax 1; or eax 0 if the text is longer than
 *		POINT_CODE_TEXT, or may not be mapped, or the memory that is known to be mapped
 *		ends soon after its start; then the code of the point jumps to point_stub
 *	uses	rax rsi rdi r8 r9 r10 r11; does not change the stack pointer or the memory below it
 *
 * Memory that is known to be mapped (point_read.h): the heap below the break, the image and the
 * heap for threads in which the last text was, and the thread's own stack from the stack pointer
 * upwards.
 */
#include "runtime/point/point_layout.h"

	.text
	.globl	point_text
	.hidden	point_text
	.type	point_text, @function
	.p2align 4
point_text:
	.cfi_startproc
	mov	%rdi, (%rcx)
copy_text:				/* entry that does not write the pointer */
	mov	__curbrk@GOTPCREL(%rip), %rax
	mov	(%rax), %rsi
	cmp	point_break_start(%rip), %rdi
	jb	1f
	cmp	%rsi, %rdi
	jb	3f
1:	mov	point_near@GOTTPOFF(%rip), %rax
	add	%fs:0, %rax
	mov	16(%rax), %r8		/* point_near.image */
	test	%r8, %r8
	je	2f
	mov	8(%r8), %rsi
	cmp	(%r8), %rdi
	jb	2f
	cmp	%rsi, %rdi
	jb	3f
2:	cmp	(%rax), %rsp		/* point_near.stack */
	jb	6f
	mov	8(%rax), %rsi
	cmp	%rsp, %rdi
	jb	6f
	cmp	%rsi, %rdi
	jb	3f
6:	mov	24(%rax), %rax		/* point_near.arena */
	mov	%rdi, %rsi
	and	$-0x4000000, %rsi
	cmp	%rsi, %rax
	jne	9f
	test	%rax, %rax
	je	9f
	add	24(%rax), %rsi
	cmp	%rsi, %rdi
	jae	9f

3:	sub	%rdi, %rsi		/* rsi: number of bytes that are mapped */
copy_bytes:
	movabs	$0x0101010101010101, %r8
	movabs	$0x8080808080808080, %r9
	xor	%r10d, %r10d
4:	sub	$8, %rsi
	jb	9f
	mov	(%rdi,%r10), %rax
	mov	%rax, 10(%rcx,%r10)
	mov	%rax, %r11
	sub	%r8, %rax		/* its lowest high bit belongs to the first zero byte */
	not	%r11
	and	%r9, %rax
	and	%r11, %rax
	jne	5f
	add	$8, %r10
	cmp	$128, %r10		/* POINT_CODE_TEXT */
	jb	4b
9:	xor	%eax, %eax
	ret

5:	bsf	%rax, %rax
	shr	$3, %eax
	add	%r10d, %eax
	mov	%eax, %r10d		/* the length, which point_pointee_text_code uses */
	mov	%ax, 8(%rcx)
	lea	10(%rcx,%rax), %rcx
	mov	$1, %eax
	ret
	.cfi_endproc
	.size	point_text, . - point_text

/*
 * Writes a look (event/point.h): a READ of the text, encoded as in record.c, but without its first
 * byte.
 *
 *	in	rdi the text, rsi the pc, rcx and (rdx) the address to write to
 *	out	rcx the end of the record, rsi the address of its bytes, which end with a NUL,
 *		eax 1; or eax 0, as above
 */
	.macro	number			/* writes rax as LEB128 to r11 */
1:	cmp	$127, %rax
	jbe	2f
	mov	%eax, %r8d
	or	$-128, %r8d
	mov	%r8b, (%r11)
	inc	%r11
	shr	$7, %rax
	jmp	1b
2:	mov	%al, (%r11)
	inc	%r11
	.endm

	.macro	difference		/* zigzag-codes rax and writes it */
	lea	(%rax,%rax), %r8
	sar	$63, %rax
	xor	%r8, %rax
	number
	.endm

	.globl	point_pointee_text_code
	.hidden	point_pointee_text_code
	.type	point_pointee_text_code, @function
	.p2align 4
point_pointee_text_code:
	.cfi_startproc
	mov	thread_buffer_self@GOTTPOFF(%rip), %r10
	add	%fs:0, %r10
	lea	2(%rcx), %r11
	mov	%rsi, %rax
	sub	POINT_CODEC_PC(%r10), %rax
	difference
	mov	%rdi, %rax
	sub	POINT_CODEC_ADDRESS(%r10), %rax
	difference
	lea	-8(%r11), %rcx		/* size and flags are where copy_text writes the length */
	call	copy_text
	test	%eax, %eax
	je	9f
	cmp	$POINT_POINTEE_MOST, %r10d
	ja	8f
	mov	%rcx, %rsi
	sub	%r10, %rsi
	lea	1(%r10), %eax		/* the terminating NUL was read, too */
	mov	%al, -2(%rsi)
	movb	$POINT_POINTEE_FLAG, -1(%rsi)
	movb	$0, (%rcx)
	inc	%rcx
	mov	(%rdx), %rdi
	lea	-2(%rcx), %rax
	sub	%rdi, %rax
	mov	%al, 1(%rdi)
	mov	$1, %eax
	ret
8:	xor	%eax, %eax
9:	ret
	.cfi_endproc
	.size	point_pointee_text_code, . - point_pointee_text_code

/* The same as point_text, for bytes that a look has read already: they are at rsi. */
	.globl	point_text_looked
	.hidden	point_text_looked
	.type	point_text_looked, @function
	.p2align 4
point_text_looked:
	.cfi_startproc
	mov	%rdi, (%rcx)
	mov	%rsi, %rdi
	mov	$4096, %esi
	jmp	copy_bytes
	.cfi_endproc
	.size	point_text_looked, . - point_text_looked

	.section .note.GNU-stack, "", @progbits
