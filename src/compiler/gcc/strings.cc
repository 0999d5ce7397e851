/*
 * Assigns a label to each string of the unit's tables and prints all strings at the end of the
 * unit, in the section sooth_str.
 */
#include "compiler/gcc/gcc.h"

#include "compiler/gcc/strings.h"

#include <map>

bool strings_module_needed;

static std::map<std::string, unsigned> labels;

std::string strings_ref(const std::string &text)
{
	if (text.empty())
		return "0";
	unsigned label = labels.emplace(text, labels.size()).first->second;
	return ".LSOOTH" + std::to_string(label) + "-.";
}

static void print_quoted(FILE *out, const std::string &text)
{
	fputc('"', out);
	for (unsigned char c : text) {
		if (c < ' ' || c >= 127 || c == '"' || c == '\\')
			fprintf(out, "\\%03o", c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

/*
 * Code that announces the module's tables to the runtime. It is called by an entry of the earliest
 * priority in the table of constructors. It is in a section group, so that a module has one copy,
 * however many units it is linked from. The first two section directives are empty; they make sure
 * that both sections exist.
 */
static const char module_text[] = R"(
	.section sooth_seg,"a",@progbits
	.balign 8
	.section sooth_str,"aMS",@progbits,1
	.section .text.__sooth_module,"axG",@progbits,__sooth_module,comdat
	.weak	__sooth_module
	.hidden	__sooth_module
	.hidden	__start_sooth_seg
	.hidden	__stop_sooth_seg
	.hidden	__start_sooth_str
	.hidden	__stop_sooth_str
	.type	__sooth_module, @function
__sooth_module:
	leaq	__start_sooth_seg(%rip), %rdi
	leaq	__stop_sooth_seg(%rip), %rsi
	leaq	__start_sooth_str(%rip), %rdx
	leaq	__stop_sooth_str(%rip), %rcx
	jmp	*__sooth_module_add@GOTPCREL(%rip)
	.size	__sooth_module, .-__sooth_module
	.section .init_array.00000,"awG",@init_array,__sooth_module,comdat
	.balign 8
	.quad	__sooth_module
	.text
)";

void strings_finish_unit(FILE *out)
{
	if (!strings_module_needed)
		return;
	fputs("\t.section sooth_str,\"aMS\",@progbits,1\n", out);
	for (const auto &entry : labels) {
		fprintf(out, ".LSOOTH%u:\t.asciz ", entry.second);
		print_quoted(out, entry.first);
		fputc('\n', out);
	}
	/*
	 * `module_text` contains instructions, in AT&T syntax. The directives above are the same in
	 * both syntaxes.
	 */
	if (ix86_asm_dialect == ASM_INTEL)
		fputs("\t.att_syntax prefix\n", out);
	fputs(module_text, out);
	if (ix86_asm_dialect == ASM_INTEL)
		fputs("\t.intel_syntax noprefix\n", out);
}
