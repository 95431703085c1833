#include <signal.h>
#include <stddef.h>

#include "harness/interrupt.h"

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	caught = number;
}

void interrupt_install(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

int interrupt_signal(void)
{
	return caught;
}
