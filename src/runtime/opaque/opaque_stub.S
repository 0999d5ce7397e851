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

	.section .note.GNU-stack, "", @progbits
