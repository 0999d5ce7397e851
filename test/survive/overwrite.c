/*
 * A library that others need, so that it is loaded before them: what the environment calls NEW then takes
 * the place of the file OLD, as an upgrade may while a program starts.
 */
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void overwrite(void)
{
	if (getenv("NEW") && getenv("OLD") && rename(getenv("NEW"), getenv("OLD")))
		perror("rename");
}

int overwrite_nothing;
