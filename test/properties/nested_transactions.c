// The inner transaction fails and is left without a rollback: the outer one is rolled back inside of it.
// property: nested-transactions
// violates: observed NestedTransactions done@ROLLBACK
#include "pair.h"

struct transaction {
	int tried;
};
static int money = 100;

EVENT static void transaction_begin(struct transaction *t)
{
	t->tried++;
}

EVENT static void transaction_commit(struct transaction *t)
{
	t->tried--;
}

EVENT static void transaction_rollback(struct transaction *t) // ROLLBACK
{
	t->tried--;
}

static int pay(int much)
{
	struct transaction inner = { 0 };

	transaction_begin(&inner);
	if (money < much) {
#ifdef FIXED
		transaction_rollback(&inner);
#endif
		return -1;
	}
	money -= much;
	transaction_commit(&inner);
	return 0;
}

static void order(int much)
{
	struct transaction outer = { 0 };

	enter();
	transaction_begin(&outer);
	if (pay(much))
		transaction_rollback(&outer);
	else
		transaction_commit(&outer);
	leave();
}

static void *first(void *unused)
{
	order(10);
	return unused;
}

static void *second(void *unused)
{
	order(500);
	return unused;
}
