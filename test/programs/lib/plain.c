/* The half of partly.c that is not recorded. */
int hidden;

void hide(int n);

void hide(int n)
{
	hidden = n;
}
