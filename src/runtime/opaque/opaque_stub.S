/*
 * Where calls of opaque functions go first. The word of the global offset table through which an
 * instrumented module calls such a function leads to a stub (opaque_imports.c):
 *
 *	movabs	$function, %r11
 *	jmp	*opaque_stub		through a word near it
 *
 * Everything that a call may carry is kept: all registers but r11, which calls through the table
 * may change, and the stack. Vector registers are not used by opaque_called() (tools/vectors).
 * The function itself is jumped to, so its caller is the program as before: for variable
 * arguments, for exceptions, and for functions that look at their return address.
 */
	.text
	.globl	opaque_stub
	.hidden	opaque_stub
	.type	opaque_stub, @function
	.p2align 4
opaque_stub:
	.cfi_startproc
	.irp	register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
	push	%\register
	.cfi_adjust_cfa_offset 8
	.endr
	mov	%r11, %rdi
	mov	72(%rsp), %rsi
	call	opaque_called
	.irp	register, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	pop	%\register
	.cfi_adjust_cfa_offset -8
	.endr
	jmp	*%r11
	.cfi_endproc
	.size	opaque_stub, . - opaque_stub

/*
 * Where the code of a NOP at the start or end of a function goes (opaque_entries.c) if the function
 * was not called by its own module. rax has the return address of the function, or 0; the program's
 * rax and rcx are in the second and third word below the stack pointer, which points at the address
 * after the NOP. All registers but the flags are kept.
 */
	.macro	stub name, function
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	lea	-24(%rsp), %rsp
	.cfi_adjust_cfa_offset 24
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbp, -40
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	.irp	register, rdx, rsi, rdi, r8, r9, r10, r11
	push	%\register
	.endr
	and	$-16, %rsp
	mov	%rax, %rdi
	mov	32(%rbp), %rsi
	call	\function
	lea	-56(%rbp), %rsp
	.irp	register, r11, r10, r9, r8, rdi, rsi, rdx
	pop	%\register
	.endr
	pop	%rbp
	.cfi_def_cfa %rsp, 32
	pop	%rcx
	.cfi_adjust_cfa_offset -8
	pop	%rax
	.cfi_adjust_cfa_offset -8
	lea	8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm

	stub	opaque_entry, opaque_entered
	stub	opaque_exit, opaque_left

/*
 * Called by code of gcc's plugin before inline assembly, whose operands may be in any register: all
 * registers but the flags are kept.
 */
	.globl	__sooth_opaque_assembly
	.type	__sooth_opaque_assembly, @function
	.p2align 4
__sooth_opaque_assembly:
	.cfi_startproc
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	.irp	register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
	push	%\register
	.endr
	and	$-16, %rsp
	mov	8(%rbp), %rdi
	call	opaque_code_comes
	lea	-72(%rbp), %rsp
	.irp	register, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	pop	%\register
	.endr
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	__sooth_opaque_assembly, . - __sooth_opaque_assembly

	.section .note.GNU-stack, "", @progbits
