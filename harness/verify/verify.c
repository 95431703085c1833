#include <stddef.h>

#include "harness/manifest.h"
#include "harness/reason.h"
#include "harness/verify/verify.h"

int verify_call(const struct verify_params *params, struct buf *reference, char *reason)
{
	char why[REASON_MAX];
	int status = params->contestant->protocol == MANIFEST_HTTP1
			     ? verify_http(params, reference, why)
			     : verify_thrift(params, reference, why);

	if (status != 0)
		reason_set(reason, "%s: %s", params->call->name, why);
	return status;
}
