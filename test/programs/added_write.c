// A field that is written, and would be written once more under a condition only: it is written once, and not read, also where a compiler would write
// what it finds there.
// count: 1 w\(twice@4\)
// notext: r\(twice@4\)

struct pair {
	int left, right;
} twice;
struct pair *volatile to = &twice;
int seen;
static volatile int no;

__attribute__((noinline)) static void set(struct pair *p, int again)
{
	p->left = 1;
	seen = p->right;
	if (again)
		p->left = 2;
}

int main(void)
{
	set(to, no);
	return 0;
}
