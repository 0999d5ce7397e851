// One location at different sizes, and unaligned through a packed struct.
// build: -pthread
// stdout: 44332211 3322 11
// stdout: deadbeef cafe
// text: ^T1\|w\([^)]*@1\)=17\|
// text: ^T1\|w\([^)]*@1\)=-120\|
// text: ^T0\|r\([^)]*@4\)=1144201745\|
// text: ^T0\|r\([^)]*@2\)=13090\|
// text: ^T1\|w\(packed\.word@4\)=-559038737\|
// text: ^T1\|w\(packed\.half@2\)=-13570\|
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static union {
	uint8_t bytes[8];
	uint16_t halves[4];
	uint32_t words[2];
	uint64_t whole;
} u;
static struct __attribute__((packed)) {
	char odd;
	uint32_t word;
	uint16_t half;
} packed;

static void *write_bytes(void *unused)
{
	for (int i = 0; i < 8; i++)
		u.bytes[i] = (uint8_t)((i + 1) * 0x11);
	packed.word = 0xdeadbeef;
	packed.half = 0xcafe;
	return unused;
}

int main(void)
{
	pthread_t thread;

	u.whole = 0;
	pthread_create(&thread, NULL, write_bytes, NULL);
	pthread_join(thread, NULL);
	uint16_t middle;
	__builtin_memcpy(&middle, &u.bytes[1], 2);
	printf("%x %x %x\n", u.words[0], middle, u.bytes[0]);
	printf("%x %x\n", packed.word, packed.half);
	return 0;
}
