/* Finds sections in an ELF file, which is mapped for this purpose: see sections.h. */
#include "runtime/host/sections.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool lies_in(const struct sections *file, uint64_t at, uint64_t bytes)
{
	return at <= file->size && bytes <= file->size - at;
}

static bool read_head(struct sections *file)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)file->bytes;

	if (file->size < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    !lies_in(file, head->e_phoff, head->e_phnum * sizeof(Elf64_Phdr)) ||
	    !lies_in(file, head->e_shoff, head->e_shnum * sizeof(Elf64_Shdr)) ||
	    head->e_shstrndx >= head->e_shnum)
		return false;
	file->segments = (const Elf64_Phdr *)(file->bytes + head->e_phoff);
	file->segment_count = head->e_phnum;
	return true;
}

bool sections_open(const char *path, struct sections *file)
{
	struct stat about;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = MAP_FAILED;

	if (fd < 0)
		return false;
	if (fstat(fd, &about) == 0 && about.st_size > 0)
		map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return false;
	*file = (struct sections){ .bytes = map, .size = (size_t)about.st_size };
	if (read_head(file))
		return true;
	sections_close(file);
	return false;
}

void sections_close(struct sections *file)
{
	munmap((void *)file->bytes, file->size);
}

const void *sections_find(const struct sections *file, const char *wanted, size_t *bytes)
{
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)file->bytes;
	const Elf64_Shdr *all = (const Elf64_Shdr *)(file->bytes + head->e_shoff);
	const Elf64_Shdr *names = &all[head->e_shstrndx];
	size_t length = strlen(wanted) + 1;

	if (!lies_in(file, names->sh_offset, names->sh_size))
		return NULL;
	for (unsigned i = 0; i < head->e_shnum; i++) {
		const Elf64_Shdr *s = &all[i];
		const char *name = (const char *)file->bytes + names->sh_offset + s->sh_name;
		if (s->sh_name > names->sh_size || names->sh_size - s->sh_name < length ||
		    memcmp(name, wanted, length) || s->sh_type != SHT_PROGBITS ||
		    s->sh_flags & SHF_COMPRESSED || !lies_in(file, s->sh_offset, s->sh_size))
			continue;
		*bytes = s->sh_size;
		return file->bytes + s->sh_offset;
	}
	return NULL;
}
