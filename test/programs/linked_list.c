// Pointers to pointers, fields of fields, a list built by one thread and walked by another.
// build: -pthread
// stdout: 3 2 1 sum 6 name c
// text: ^T1\|w\(0x[0-9a-f]*8@4\)=1\|
// text: ^T1\|w\(0x[0-9a-f]*c@1\)=97\|
// count: 3 ^T1\|w\(list\.head\)=
// text: ^T1\|w\(list\.count@4\)=3\|
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *next;
	struct {
		int value;
		char name[4];
	} data;
};

static struct {
	pthread_mutex_t lock;
	struct node *head;
	int count;
} list = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void *build(void *unused)
{
	for (int i = 1; i <= 3; i++) {
		struct node *node = malloc(sizeof(*node));
		node->data.value = i;
		node->data.name[0] = (char)('a' + i - 1);
		pthread_mutex_lock(&list.lock);
		node->next = list.head;
		list.head = node;
		list.count++;
		pthread_mutex_unlock(&list.lock);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	int sum = 0;

	pthread_create(&thread, NULL, build, NULL);
	pthread_join(thread, NULL);
	char name = list.head->data.name[0];
	while (list.head) {
		struct node *node = list.head;
		sum += node->data.value;
		printf("%d ", node->data.value);
		list.head = node->next;
		free(node);
	}
	printf("sum %d name %c\n", sum, name);
	return 0;
}
