// A library with thread-local variables that the loader allocates when a thread first uses them.
__thread long large[1 << 14];

long *large_get(void)
{
	return large;
}
