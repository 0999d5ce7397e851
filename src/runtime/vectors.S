/*
 * void vectors_call(void (*call)(void *), void *argument): see vectors.h.
 *
 * The area of XSAVE is 512 bytes of old state, 64 of header (which must be zero), and the rest.
 */
	.text
	.globl	vectors_call
	.hidden	vectors_call
	.type	vectors_call, @function
	.p2align 4
vectors_call:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	mov	%rdi, %rcx
	mov	%rsi, %rdi
	sub	vectors_bytes(%rip), %rsp
	and	$-64, %rsp
	xor	%edx, %edx
	mov	%rdx, 512(%rsp)
	mov	%rdx, 520(%rsp)
	mov	%rdx, 528(%rsp)
	mov	%rdx, 536(%rsp)
	mov	%rdx, 544(%rsp)
	mov	%rdx, 552(%rsp)
	mov	%rdx, 560(%rsp)
	mov	%rdx, 568(%rsp)
	mov	vectors_mask(%rip), %eax
	test	%eax, %eax
	jz	1f
	xsave64	(%rsp)
	call	*%rcx
	mov	vectors_mask(%rip), %eax
	xor	%edx, %edx
	xrstor64 (%rsp)
	leave
	.cfi_remember_state
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
1:	fxsave64 (%rsp)
	call	*%rcx
	fxrstor64 (%rsp)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	vectors_call, . - vectors_call

	.section .note.GNU-stack, "", @progbits
