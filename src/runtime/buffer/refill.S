/*
 * __sooth_refill: instrumented code calls this when the thread buffer has no room for a segment.
 * The compiler does not know of the call, so every register except the flags must be preserved,
 * including vector registers. (Instrumented code is compiled without a red zone.)
 *
 * Almost always it is enough to open a new page (thread_buffer_page, compiled to use general
 * registers only). The vector registers are saved only for the rest.
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
