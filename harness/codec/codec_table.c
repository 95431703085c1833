#include <string.h>

#include "harness/codec/codec.h"

extern const struct codec_ops codec_http1;
extern const struct codec_ops codec_h2c;
extern const struct codec_ops codec_grpc;
extern const struct codec_ops codec_thrift;
extern const struct codec_ops codec_null;

static const struct codec_ops *const table[] = {
	&codec_http1,
	&codec_h2c,
	&codec_grpc,
	&codec_thrift,
	&codec_null,
};

const struct codec_ops *codec_by_scheme(const char *scheme)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i]->scheme, scheme) == 0)
			return table[i];
	return NULL;
}

const char *codec_schemes(void)
{
	return "http://, h2c://, grpc://, thrift:// or null://";
}
