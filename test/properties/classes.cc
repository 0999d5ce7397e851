// What C++ adds: a field that is inherited, behind another base class; a lock that the library takes; an
// element of an array in an object that another event names.
// property: classes.prop
// violates: Inherited look@LOOK gone@GONE
// violates: ThroughBase look@LOOK gone@GONE
// violates: Locked end@CLOSE lock@LOCK
// violates: Element end@CLOSE set@SET
#include <mutex>
#include <thread>

struct Named {
	long name = 0;
};

struct Owned {
	int owner = 1;
};

struct Account : Named, Owned {
	std::mutex guard;
	int slots[4] = {};
	int seen = 0;
};

#ifdef FIXED
static std::mutex all;
static bool closed;
#endif

__attribute__((noipa)) void close_account(Account *a) // CLOSE
{
	a->owner = 0; // GONE
}

static void end(Account *a)
{
#ifdef FIXED
	std::lock_guard<std::mutex> outer(all);
	closed = true;
#endif
	close_account(a);
}

static void use(Account *a)
{
#ifdef FIXED
	std::lock_guard<std::mutex> outer(all);
	if (closed)
		return;
#endif
	a->seen = a->owner;			      // LOOK
	pthread_mutex_lock(a->guard.native_handle()); // LOCK
	a->slots[1] = 1;			      // SET
	pthread_mutex_unlock(a->guard.native_handle());
}

int main()
{
	static Account account;
	std::thread user(use, &account), closer(end, &account);

	user.join();
	closer.join();
	return 0;
}
