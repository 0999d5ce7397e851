/*
 * void save_vectors_call(void (*call)(void *), void *argument): see save_vectors.h.
 *
 * XSAVE and XRSTOR take 360 cycles. Almost always only the lower halves of the vector registers are
 * in use. XGETBV with argument 1 reports that: it returns the components that are not in their
 * initial state. In that case the lower halves are saved by moves, and afterwards the other
 * components are reset to their initial state. That takes 76 cycles.
 *
 * The area of XSAVE consists of 512 bytes of legacy state (MXCSR at offset 24, the lower halves
 * from offset 160 on), a header of 64 bytes, which must be zero, and the other components.
 */
#define SSE 2
#define AVX 4
#define MODES 24
#define LOWER 160
#define HEADER 512

	.macro each_lower do
	\do	0
	\do	1
	\do	2
	\do	3
	\do	4
	\do	5
	\do	6
	\do	7
	\do	8
	\do	9
	\do	10
	\do	11
	\do	12
	\do	13
	\do	14
	\do	15
	.endm
	.macro save n
	movaps	%xmm\n, LOWER+16*\n(%rsp)
	.endm
	.macro restore n
	movaps	LOWER+16*\n(%rsp), %xmm\n
	.endm
	.macro clear_header
	xor	%edx, %edx
	mov	%rdx, HEADER(%rsp)
	mov	%rdx, HEADER+8(%rsp)
	mov	%rdx, HEADER+16(%rsp)
	mov	%rdx, HEADER+24(%rsp)
	mov	%rdx, HEADER+32(%rsp)
	mov	%rdx, HEADER+40(%rsp)
	mov	%rdx, HEADER+48(%rsp)
	mov	%rdx, HEADER+56(%rsp)
	.endm

	.text
	.globl	save_vectors_call
	.hidden	save_vectors_call
	.type	save_vectors_call, @function
	.p2align 4
save_vectors_call:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	mov	%rdi, %r8
	mov	%rsi, %rdi
	cmpb	$0, save_vectors_tells(%rip)
	je	whole
	mov	$1, %ecx
	xgetbv
	and	save_vectors_mask(%rip), %eax
	test	$~SSE, %eax
	jnz	whole

	sub	$HEADER+64, %rsp
	and	$-64, %rsp
	stmxcsr	MODES(%rsp)
	each_lower save
	call	*%r8
	mov	$1, %ecx
	xgetbv
	and	save_vectors_mask(%rip), %eax
	vzeroupper
	and	$~(SSE|AVX), %eax
	jnz	2f
1:	each_lower restore
	ldmxcsr	MODES(%rsp)
	leave
	.cfi_remember_state
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
2:	clear_header		/* an empty header: XRSTOR resets everything to its initial state */
	xrstor64 (%rsp)
	jmp	1b

whole:	sub	save_vectors_bytes(%rip), %rsp
	and	$-64, %rsp
	clear_header
	mov	save_vectors_mask(%rip), %eax
	test	%eax, %eax
	jz	3f
	xsave64	(%rsp)
	call	*%r8
	mov	save_vectors_mask(%rip), %eax
	xor	%edx, %edx
	xrstor64 (%rsp)
	leave
	.cfi_remember_state
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_restore_state
3:	fxsave64 (%rsp)
	call	*%r8
	fxrstor64 (%rsp)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	save_vectors_call, . - save_vectors_call

	.section .note.GNU-stack, "", @progbits
