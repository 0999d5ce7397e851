// Each access to a bit-field touches the bytes of its own memory location only: not a member after
// it, not what lies beyond a field of width 0, and not what lies between two fields that are tested
// together.
// build: -pthread
// stdout: 15 9 3 1
// predict: silent
#include <pthread.h>
#include <stdio.h>

static struct {
	unsigned long bits : 24;
	unsigned char after;
} three;
static struct __attribute__((packed)) {
	char before;
	unsigned long bits : 62;
	unsigned more : 2;
	char after;
} nine;
static struct {
	unsigned a : 7;
	char between;
	unsigned b : 3;
} tested, *pointed = &tested;

static void *bits(void *unused)
{
	three.bits += 5;
	nine.bits += 3;
	nine.more++;
	if (tested.a == 0 && tested.b == 0)
		three.bits += 10;
	if (pointed->a == 1 && pointed->b == 2)
		three.bits += 20;
	return unused;
}

static void *others(void *unused)
{
	three.after += 9;
	nine.before++;
	nine.after++;
	tested.between++;
	return unused;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, bits, NULL);
	pthread_create(&second, NULL, others, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("%u %u %u %u\n", (unsigned)three.bits, three.after, (unsigned)nine.bits, nine.more);
	return 0;
}
