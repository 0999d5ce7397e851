/*
 * Leaving one stack for another. A switch is a function call, so only what a function must keep is
 * kept: six registers, the modes of SSE and of the x87.
 */
#define SYS_arch_prctl 158
#define ARCH_SET_FS 0x1002

	.text

/* void fiber_switch(void **save, void *load, uint64_t thread_pointer) */
	.globl	fiber_switch
	.hidden	fiber_switch
	.type	fiber_switch, @function
	.p2align 4
fiber_switch:
	.cfi_startproc
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	push	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	push	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	push	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	push	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r14, 0
	push	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r15, 0
	sub	$8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	mov	%rsp, (%rdi)
	mov	%rsi, %rsp
	cmpb	$0, fiber_writes_fs(%rip)
	je	2f
	wrfsbase %rdx
1:	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	add	$8, %rsp
	.cfi_adjust_cfa_offset -8
	pop	%r15
	.cfi_adjust_cfa_offset -8
	pop	%r14
	.cfi_adjust_cfa_offset -8
	pop	%r13
	.cfi_adjust_cfa_offset -8
	pop	%r12
	.cfi_adjust_cfa_offset -8
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 56
2:	mov	$SYS_arch_prctl, %eax
	mov	$ARCH_SET_FS, %edi
	mov	%rdx, %rsi
	syscall
	jmp	1b
	.cfi_endproc
	.size	fiber_switch, . - fiber_switch

/*
 * The same where vector registers are live, in front of an access: puts them away first. The area of
 * XSAVE is 512 bytes of old state, 64 of header (which must be zero), and the rest.
 */
	.globl	fiber_switch_saved
	.hidden	fiber_switch_saved
	.type	fiber_switch_saved, @function
	.p2align 4
fiber_switch_saved:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	mov	%rdx, %r8
	sub	refill_state_bytes(%rip), %rsp
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
	mov	refill_state_mask(%rip), %eax
	test	%eax, %eax
	jz	1f
	xsave64	(%rsp)
	mov	%r8, %rdx
	call	fiber_switch
	mov	refill_state_mask(%rip), %eax
	xor	%edx, %edx
	xrstor64 (%rsp)
	leave
	.cfi_remember_state
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
1:	fxsave64 (%rsp)
	mov	%r8, %rdx
	call	fiber_switch
	fxrstor64 (%rsp)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	fiber_switch_saved, . - fiber_switch_saved

/*
 * Where a new stack starts: fiber_prepare_stack left the function in %r12 and its argument in %r13.
 * Unwinding ends here.
 */
	.globl	fiber_first
	.hidden	fiber_first
	.type	fiber_first, @function
	.p2align 4
fiber_first:
	.cfi_startproc
	.cfi_undefined %rip
	xor	%ebp, %ebp
	mov	%r13, %rdi
	call	*%r12
	ud2
	.cfi_endproc
	.size	fiber_first, . - fiber_first

/*
 * void *fiber_call(void *(*routine)(void *), void *argument, void *stack): the routine's return
 * address is written just below `stack`, wherever on this stack that is.
 */
	.globl	fiber_call
	.hidden	fiber_call
	.type	fiber_call, @function
	.p2align 4
fiber_call:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	mov	%rdx, %rsp
	mov	%rdi, %rax
	mov	%rsi, %rdi
	call	*%rax
	mov	%rbp, %rsp
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	fiber_call, . - fiber_call

	.section .note.GNU-stack, "", @progbits
