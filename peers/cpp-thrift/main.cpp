// UnpkgService in C++ Thrift, binary protocol: framed over one event loop (TNonblockingServer),
// or buffered with a thread for each connection (TThreadedServer).
#include <cstddef>
#include <memory>
#include <string>

#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/server/TNonblockingServer.h>
#include <thrift/server/TThreadedServer.h>
#include <thrift/transport/TBufferTransports.h>
#include <thrift/transport/TNonblockingServerSocket.h>
#include <thrift/transport/TServerSocket.h>

#include "cpp/UnpkgService.h"

extern "C" {
#include "lib/fail.h"
#include "lib/opt.h"
#include "servers/common/app.h"
#include "servers/common/srv.h"
}

using namespace apache::thrift;

class Handler : public UnpkgServiceIf
{
	void Publish(PublishResponse &reply, const PublishRequest &request) override
	{
		app_publish_reply out;

		app_publish(request.name.c_str(), request.version, &out);
		reply.code = out.code;
		reply.__set_message(out.message);
	}

	void FindOne(FindOneResponse &reply, const FindOneRequest &request) override
	{
		app_package found;
		Repository repository;

		app_find_one(request.name.c_str(), &found);
		repository.__set_type(found.repository.type);
		repository.__set_url(found.repository.url);
		reply.__set_name(found.name);
		reply.__set_version(found.version);
		reply.__set_description(found.description);
		reply.__set_main(found.main);
		reply.__set_repository(repository);
		reply.__set_author(found.author);
		reply.__set_license(found.license);
	}
};

// Says READY once the socket listens.
template <class Socket> class Ready : public server::TServerEventHandler
{
	std::shared_ptr<Socket> socket;

      public:
	explicit Ready(std::shared_ptr<Socket> socket) : socket(socket)
	{
	}

	void preServe() override
	{
		srv_ready(srv_port(socket->getSocketFD()));
	}
};

static void serve_nonblocking(int port)
{
	using Socket = transport::TNonblockingServerSocket;
	auto socket = std::make_shared<Socket>("127.0.0.1", port);
	server::TNonblockingServer server(
		std::make_shared<UnpkgServiceProcessor>(std::make_shared<Handler>()),
		std::make_shared<protocol::TBinaryProtocolFactory>(), socket);

	server.setServerEventHandler(std::make_shared<Ready<Socket>>(socket));
	server.serve();
}

static void serve_threaded(int port)
{
	using Socket = transport::TServerSocket;
	auto socket = std::make_shared<Socket>("127.0.0.1", port);
	server::TThreadedServer server(
		std::make_shared<UnpkgServiceProcessor>(std::make_shared<Handler>()), socket,
		std::make_shared<transport::TBufferedTransportFactory>(),
		std::make_shared<protocol::TBinaryProtocolFactory>());

	server.setServerEventHandler(std::make_shared<Ready<Socket>>(socket));
	server.serve();
}

struct options {
	int server;
	int64_t port;
};

static const char *const servers[] = {"nonblocking", "threaded", nullptr};

static const struct opt options_table[] = {
	{.name = "server",
		.type = OPT_CHOICE,
		.offset = offsetof(struct options, server),
		.arg = "NAME",
		.help = "nonblocking: framed; threaded: buffered (nonblocking)",
		.choices = servers},
	{.name = "port",
		.type = OPT_INT,
		.offset = offsetof(struct options, port),
		.arg = "PORT",
		.help = "port on 127.0.0.1, 0 = any free (0)",
		.max = 65535},
	{},
};

int main(int argc, char **argv)
{
	struct options options = {};
	int first;
	opt_result parsed;

	fail_set_program("cpp-thrift");
	parsed = opt_parse(options_table, &options, "cpp-thrift [OPTIONS]", argc, argv, &first);
	if (parsed != OPT_OK)
		return parsed == OPT_HELP ? 0 : 2;
	try {
		if (options.server == 0)
			serve_nonblocking((int)options.port);
		else
			serve_threaded((int)options.port);
	} catch (const TException &error) {
		fail_msg("%s", error.what());
		return 1;
	}
	return 0;
}
