#include "servers/common/app.h"
#include "servers/common/thrift_handler.h"
#include "unpkg_unpkg_service.h"

typedef struct {
	UnpkgUnpkgServiceHandler parent;
} ThriftHandler;

typedef struct {
	UnpkgUnpkgServiceHandlerClass parent;
} ThriftHandlerClass;

static GType thrift_handler_get_type(void);

G_DEFINE_TYPE(ThriftHandler, thrift_handler, UNPKG_TYPE_UNPKG_SERVICE_HANDLER)

/* The replies' fields are set as the generated reader sets them: a property takes a look-up by
 * name and a GValue for each. */
#define SET(object, field, text)                                                                   \
	((object)->field = g_strdup(text), (object)->__isset_##field = TRUE)

static gboolean find_one(UnpkgUnpkgServiceIf *iface, UnpkgFindOneResponse **reply,
	const UnpkgFindOneRequest *request, GError **error)
{
	struct app_package package;
	UnpkgFindOneResponse *r = *reply;

	(void)iface;
	(void)error;
	app_find_one(request->name, &package);
	SET(r, name, package.name);
	SET(r, version, package.version);
	SET(r, description, package.description);
	SET(r, main, package.main);
	SET(r->repository, type, package.repository.type);
	SET(r->repository, url, package.repository.url);
	r->__isset_repository = TRUE;
	SET(r, author, package.author);
	SET(r, license, package.license);
	return TRUE;
}

static gboolean publish(UnpkgUnpkgServiceIf *iface, UnpkgPublishResponse **reply,
	const UnpkgPublishRequest *request, GError **error)
{
	struct app_publish_reply published;
	UnpkgPublishResponse *r = *reply;

	(void)iface;
	(void)error;
	app_publish(request->name, request->version, &published);
	r->code = published.code;
	SET(r, message, published.message);
	return TRUE;
}

static void thrift_handler_class_init(ThriftHandlerClass *class)
{
	class->parent.find_one = find_one;
	class->parent.publish = publish;
}

static void thrift_handler_init(ThriftHandler *handler)
{
	(void)handler;
}

ThriftProcessor *thrift_handler_processor(void)
{
	ThriftHandler *handler = g_object_new(thrift_handler_get_type(), NULL);
	ThriftProcessor *processor =
		g_object_new(UNPKG_TYPE_UNPKG_SERVICE_PROCESSOR, "handler", handler, NULL);

	g_object_unref(handler);
	return processor;
}
