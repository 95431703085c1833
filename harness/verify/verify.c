#include <stddef.h>

#include "harness/manifest.h"
#include "harness/reason.h"
#include "harness/verify/verify.h"

int verify_call(const struct verify_params *params, struct buf *reference, char *reason)
{
	static int (*const verify[])(const struct verify_params *, struct buf *, char *) = {
		[MANIFEST_HTTP1] = verify_http,
		[MANIFEST_THRIFT] = verify_thrift,
		[MANIFEST_GRPC] = verify_grpc,
	};
	char why[REASON_MAX];
	int status = verify[params->contestant->protocol](params, reference, why);

	if (status != 0)
		reason_set(reason, "%s: %s", params->call->name, why);
	return status;
}
