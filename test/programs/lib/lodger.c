/* A library that moves in and out; used by predict_load.c. Nothing but the loader orders what is done here. */
static int rooms;

__attribute__((constructor)) static void move_in(void)
{
	rooms = 3;
}

__attribute__((destructor)) static void move_out(void)
{
	rooms = 0;
}

int lodger_rooms(void);
int lodger_rooms(void)
{
	return rooms;
}
