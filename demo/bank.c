/* Two tellers, one account, no lock: sometimes a deposit is lost. */
#include <pthread.h>
#include <stdio.h>

static int balance;

static void *teller(void *unused)
{
	for (int i = 0; i < 3; i++) {
		int seen = balance;
		balance = seen + 10;
	}
	return unused;
}

int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, teller, NULL);
	pthread_create(&second, NULL, teller, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("balance %d, expected 60\n", balance);
	return 0;
}
