/*
 * A text for the code of a point (point_code.c): its pointer, its length and its bytes, a word at a
 * time.
 *
 *	in	rdi the text, rcx where it goes
 *	out	rcx behind it, eax 1; or eax 0: it is longer than POINT_CODE_TEXT, it may not be
 *		there, or the memory that is known to be there ends soon: the long way looks again
 *	uses	rax rsi rdi r8 r9 r10 r11; the stack pointer stays, and what is below it
 *
 * What is known to be there (point_read.h): the heap of the break, the image and the heap for threads
 * that had a text last, and from here to the end of the thread's own stack.
 */
	.text
	.globl	point_text
	.hidden	point_text
	.type	point_text, @function
	.p2align 4
point_text:
	.cfi_startproc
	mov	%rdi, (%rcx)
	mov	__curbrk@GOTPCREL(%rip), %rax
	mov	(%rax), %rsi
	cmp	point_break_start(%rip), %rdi
	jb	1f
	cmp	%rsi, %rdi
	jb	3f
1:	mov	point_near@GOTTPOFF(%rip), %rax
	add	%fs:0, %rax
	mov	16(%rax), %r8		/* image */
	test	%r8, %r8
	je	2f
	mov	8(%r8), %rsi
	cmp	(%r8), %rdi
	jb	2f
	cmp	%rsi, %rdi
	jb	3f
2:	cmp	(%rax), %rsp		/* stack */
	jb	6f
	mov	8(%rax), %rsi
	cmp	%rsp, %rdi
	jb	6f
	cmp	%rsi, %rdi
	jb	3f
6:	mov	24(%rax), %rax		/* arena */
	mov	%rdi, %rsi
	and	$-0x4000000, %rsi
	cmp	%rsi, %rax
	jne	9f
	test	%rax, %rax
	je	9f
	add	24(%rax), %rsi
	cmp	%rsi, %rdi
	jae	9f

3:	sub	%rdi, %rsi		/* so many bytes are there */
	movabs	$0x0101010101010101, %r8
	movabs	$0x8080808080808080, %r9
	xor	%r10d, %r10d
4:	sub	$8, %rsi
	jb	9f
	mov	(%rdi,%r10), %rax
	mov	%rax, 10(%rcx,%r10)
	mov	%rax, %r11
	sub	%r8, %rax		/* its lowest byte that is 0 is the lowest with a high bit */
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
	mov	%ax, 8(%rcx)
	lea	10(%rcx,%rax), %rcx
	mov	$1, %eax
	ret
	.cfi_endproc
	.size	point_text, . - point_text

	.section .note.GNU-stack, "", @progbits
