/*
 * __sooth_refill: called from inline code when a lane has no room for a segment. The compiler
 * does not know of this call, so every register but the flags must come back as it was, vector
 * registers included. (Instrumented code is compiled without a red zone.)
 *
 * Nearly always only a new page has to be opened (thread_buffer_page, compiled to use general registers
 * only); the vector state is saved just for the rest.
 */
	.text
	.globl	__sooth_refill
	.type	__sooth_refill, @function
	.p2align 4
__sooth_refill:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	and	$-64, %rsp
	cld
	call	thread_buffer_page
	test	%al, %al
	jnz	1f

	lea	thread_buffer_refill(%rip), %rdi
	call	save_vectors_call
1:
	lea	-72(%rbp), %rsp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	__sooth_refill, . - __sooth_refill

	.section .note.GNU-stack, "", @progbits
