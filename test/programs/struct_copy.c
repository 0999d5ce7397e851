// Struct assignments of many sizes, through pointers, arrays and self: contents arrive whole.
// build: -pthread
// stdout: 3 7 16 40 200
// text: ^T1\|r\(from\.s3@3\)=196608\|
// text: ^T1\|w\(to\.s3@3\)=196608\|
// text: ^T1\|w\(to\.s7@7\)=1970324836974592\|
// text: ^T1\|w\(to\.s16@16\)=0x00000000000000100*\|
// text: ^T1\|w\(to\.s40@40\)=0x000000280*\|
// text: ^T1\|w\([^)]*@200\)=0x000000c80*\|
#include <pthread.h>
#include <stdio.h>

struct s3 {
	char at[3];
};
struct s7 {
	char at[7];
};
struct s16 {
	long at[2];
};
struct s40 {
	int at[10];
};
struct s200 {
	int at[50];
};

static struct all {
	struct s3 s3;
	struct s7 s7;
	struct s16 s16;
	struct s40 s40;
	struct s200 s200[2];
} from, to;

static void *copy(void *unused)
{
	to.s3 = from.s3;
	to.s7 = from.s7;
	to.s16 = from.s16;
	to.s40 = from.s40;
	to.s200[1] = from.s200[0];
	struct all *self = &to;
	*self = to;
	return unused;
}

int main(void)
{
	pthread_t thread;

	from.s3.at[2] = 3;
	from.s7.at[6] = 7;
	from.s16.at[1] = 16;
	from.s40.at[9] = 40;
	from.s200[0].at[49] = 200;
	pthread_create(&thread, NULL, copy, NULL);
	pthread_join(thread, NULL);
	printf("%d %d %ld %d %d\n", to.s3.at[2], to.s7.at[6], to.s16.at[1], to.s40.at[9],
	       to.s200[1].at[49]);
	return 0;
}
