/*
 * The way from a NOP to sched_access(). The NOP has been replaced by a call of a trampoline:
 *
 *	push	%rdi
 *	mov	cursor, %rdi		the record under construction
 *	push	%rsi
 *	mov	$element, %esi
 *	jmp	*access_patch_stub	through a word near it: this library may be far away
 *
 * The NOP becomes a call and not a jump. A call may overwrite the stack below the program's frame,
 * because instrumented code has no red zone. The return address says which NOP was reached. So one
 * trampoline serves all NOPs with the same register and element, and a debugger unwinds from here
 * to the program's frame as from any function. Flags are not preserved: the compiler knows that the
 * NOP clobbers them. Vector registers are preserved because they are not used (see save_vectors.h).
 */
	.text
	.globl	access_patch_stub
	.hidden	access_patch_stub
	.type	access_patch_stub, @function
	.p2align 4
access_patch_stub:
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
	call	sched_access
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
	.size	access_patch_stub, . - access_patch_stub

	.section .note.GNU-stack, "", @progbits
