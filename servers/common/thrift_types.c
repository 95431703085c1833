#include <thrift/c_glib/thrift_application_exception.h>

#include "servers/common/thrift_types.h"
#include "unpkg_unpkg_service.h"

typedef void (*finalizer)(GObject *object);

/* The library's own finalizer of a type, by this name in the type's data. */
static GQuark own_finalizer(void)
{
	return g_quark_from_static_string("rpcbench-own-finalizer");
}

static void finalize_whole(GObject *object)
{
	finalizer own = (finalizer)g_type_get_qdata(G_OBJECT_TYPE(object), own_finalizer());
	GObjectClass *base = g_type_class_peek(G_TYPE_OBJECT);

	own(object);
	base->finalize(object);
}

void thrift_types_mend(GType type)
{
	GObjectClass *class = g_type_class_ref(type);

	g_type_set_qdata(type, own_finalizer(), (gpointer) class->finalize);
	class->finalize = finalize_whole;
}

void thrift_types_register(void)
{
	static GType (*const types[])(void) = {
		unpkg_unpkg_service_if_get_type,
		unpkg_publish_request_get_type,
		unpkg_publish_response_get_type,
		unpkg_find_one_request_get_type,
		unpkg_repository_get_type,
		unpkg_find_one_response_get_type,
		unpkg_unpkg_service_publish_args_get_type,
		unpkg_unpkg_service_publish_result_get_type,
		unpkg_unpkg_service_find_one_args_get_type,
		unpkg_unpkg_service_find_one_result_get_type,
	};

	for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
		types[i]();
	thrift_types_mend(THRIFT_TYPE_APPLICATION_EXCEPTION);
}
