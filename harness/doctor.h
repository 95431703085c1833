#ifndef HARNESS_DOCTOR_H
#define HARNESS_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>

/** struct doctor_rule - One thing that makes numbers worse. */
struct doctor_rule {
	/* True when the machine that @environment tells of has it; unknown values never have. */
	bool (*ails)(const json_t *environment);
	const char *name;   /* of the value in the environment that shows it */
	const char *effect; /* what it does to numbers */
	const char *remedy; /* how to mend it; rpcbench changes nothing itself */
};

/** doctor_rules - All of them, the worst first, ended by one without a name. */
extern const struct doctor_rule doctor_rules[];

#endif
