/*
 * Calls point_hit() from a NOP that was turned into a call. The code of a point (point_code.c) ends
 * with
 *
 *	push	$number
 *	jmp	*point_stub
 *
 * All general registers are saved in the order of their numbers, so that operands can be found.
 * Flags are not preserved, because the compiler knows that the NOP clobbers them. The number is
 * removed from the stack at the end.
 */
	.macro	save
	push	%r15
	push	%r14
	push	%r13
	push	%r12
	push	%r11
	push	%r10
	push	%r9
	push	%r8
	push	%rdi
	push	%rsi
	push	%rbp
	.cfi_adjust_cfa_offset 88
	push	%rbp			/* room for rsp */
	push	%rbx
	push	%rdx
	push	%rcx
	push	%rax
	.cfi_adjust_cfa_offset 40
	.cfi_rel_offset %rbx, 24
	.cfi_rel_offset %rbp, 40
	.cfi_rel_offset %r12, 96
	.cfi_rel_offset %r13, 104
	.cfi_rel_offset %r14, 112
	.cfi_rel_offset %r15, 120
	lea	144(%rsp), %rax
	mov	%rax, 32(%rsp)
	mov	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	mov	128(%rbx), %rdi
	mov	%rbx, %rsi
	.endm

	.macro	restore
	mov	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	pop	%rax
	pop	%rcx
	pop	%rdx
	pop	%rbx
	.cfi_adjust_cfa_offset -32
	add	$16, %rsp		/* skips rsp, and rbp, which is unchanged */
	pop	%rsi
	pop	%rdi
	pop	%r8
	pop	%r9
	pop	%r10
	pop	%r11
	add	$40, %rsp		/* skips r12 to r15, which are unchanged, and the number */
	.cfi_adjust_cfa_offset -104
	ret
	.endm

	.text
	.globl	point_stub
	.hidden	point_stub
	.type	point_stub, @function
	.p2align 4
point_stub:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	save
	and	$-16, %rsp
	xor	%edx, %edx
	cld
	call	point_hit
	restore
	.cfi_endproc
	.size	point_stub, . - point_stub

	.globl	point_stub_vectors
	.hidden	point_stub_vectors
	.type	point_stub_vectors, @function
	.p2align 4
point_stub_vectors:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	save
	sub	$128, %rsp
	and	$-16, %rsp
	mov	%rsp, %rdx
	movq	%xmm0, (%rdx)
	movq	%xmm1, 8(%rdx)
	movq	%xmm2, 16(%rdx)
	movq	%xmm3, 24(%rdx)
	movq	%xmm4, 32(%rdx)
	movq	%xmm5, 40(%rdx)
	movq	%xmm6, 48(%rdx)
	movq	%xmm7, 56(%rdx)
	movq	%xmm8, 64(%rdx)
	movq	%xmm9, 72(%rdx)
	movq	%xmm10, 80(%rdx)
	movq	%xmm11, 88(%rdx)
	movq	%xmm12, 96(%rdx)
	movq	%xmm13, 104(%rdx)
	movq	%xmm14, 112(%rdx)
	movq	%xmm15, 120(%rdx)
	cld
	call	point_hit
	restore
	.cfi_endproc
	.size	point_stub_vectors, . - point_stub_vectors

	.section .note.GNU-stack, "", @progbits
