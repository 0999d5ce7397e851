/*
 * Switches from one stack to another. A switch is a function call, so it only saves what a function
 * must preserve: six registers, and the modes of SSE and x87.
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
1:	mov	(%rdi), %rax		/* modes are nearly always the same; loading them is slow */
	mov	(%rax), %ecx
	cmp	%ecx, (%rsp)
	jne	3f
	movzwl	4(%rax), %ecx
	cmp	%cx, 4(%rsp)
	jne	3f
4:	add	$8, %rsp
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
2:	mov	%rdi, %r8
	mov	$SYS_arch_prctl, %eax
	mov	$ARCH_SET_FS, %edi
	mov	%rdx, %rsi
	syscall
	mov	%r8, %rdi
	jmp	1b
3:	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	jmp	4b
	.cfi_endproc
	.size	fiber_switch, . - fiber_switch

/*
 * The first code that runs on a new stack. fiber_prepare_stack() has put the function into %r12 and
 * its argument into %r13. Unwinding ends here.
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
 * void *fiber_call(void *(*routine)(void *), void *argument, void *stack): calls the routine on the
 * stack, with its return address just below `stack`.
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
