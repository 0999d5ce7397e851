/*
 * From a NOP to turn_access. The NOP has become a call of a trampoline, which is
 *
 *	push	%rdi
 *	mov	cursor, %rdi		the record under construction
 *	push	%rsi
 *	mov	$element, %esi
 *	jmp	*patch_stub		through a word beside it: this library may be far away
 *
 * A call and not a jump: instrumented code has no red zone, the return address says where in the
 * program we are, one trampoline serves all NOPs with the same register and element, and a debugger
 * goes from here to the program's frame as from any function. Flags are not kept: the compiler was
 * told that the NOP clobbers them. Vector registers are, by not being used (see patch_call_saved).
 */
	.text
	.globl	patch_stub
	.hidden	patch_stub
	.type	patch_stub, @function
	.p2align 4
patch_stub:
	.cfi_startproc
	.cfi_def_cfa %rsp, 24
	.cfi_offset %rdi, -16
	.cfi_offset %rsi, -24
	push	%rbp
	.cfi_def_cfa_offset 32
	.cfi_offset %rbp, -32
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	push	%rax
	.cfi_offset %rax, -40
	push	%rcx
	.cfi_offset %rcx, -48
	push	%rdx
	.cfi_offset %rdx, -56
	push	%r8
	.cfi_offset %r8, -64
	push	%r9
	.cfi_offset %r9, -72
	push	%r10
	.cfi_offset %r10, -80
	push	%r11
	.cfi_offset %r11, -88
	and	$-16, %rsp
	call	turn_access
	lea	-56(%rbp), %rsp
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdx
	pop	%rcx
	pop	%rax
	pop	%rbp
	.cfi_def_cfa %rsp, 24
	pop	%rsi
	.cfi_def_cfa_offset 16
	pop	%rdi
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	patch_stub, . - patch_stub

/* void patch_call_saved(void (*call)(void *), void *argument): what is saved is as in refill.S. */
	.globl	patch_call_saved
	.hidden	patch_call_saved
	.type	patch_call_saved, @function
	.p2align 4
patch_call_saved:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	sub	refill_state_bytes(%rip), %rsp
	and	$-64, %rsp
	movq	$0, 512(%rsp)
	movq	$0, 520(%rsp)
	movq	$0, 528(%rsp)
	movq	$0, 536(%rsp)
	movq	$0, 544(%rsp)
	movq	$0, 552(%rsp)
	movq	$0, 560(%rsp)
	movq	$0, 568(%rsp)
	mov	%rdi, %rcx
	mov	%rsi, %rdi
	mov	refill_state_mask(%rip), %eax
	xor	%edx, %edx
	test	%eax, %eax
	jz	1f
	xsave64	(%rsp)
	call	*%rcx
	mov	refill_state_mask(%rip), %eax
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
	.size	patch_call_saved, . - patch_call_saved

	.section .note.GNU-stack, "", @progbits
