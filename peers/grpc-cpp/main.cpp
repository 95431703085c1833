// Unpkg.FindOne over gRPC C++'s asynchronous API: a completion queue and a thread for each of
// --threads, with posted calls, as its documentation has it.
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "cpp/unpkg.grpc.pb.h"

extern "C" {
#include "lib/fail.h"
#include "lib/opt.h"
#include "servers/common/app.h"
#include "servers/common/srv.h"
}

#define CALLS_POSTED 64 // on each queue, as in grpc-core

using Service = unpkg::Unpkg::AsyncService;

// One call: waits for a request, answers it, and ends.
class Call
{
	Service *service;
	grpc::ServerCompletionQueue *queue;
	grpc::ServerContext context;
	unpkg::FindOneRequest request;
	grpc::ServerAsyncResponseWriter<unpkg::FindOneResponse> writer;
	bool answered = false;

	void answer()
	{
		unpkg::FindOneResponse reply;
		app_package found;

		app_find_one(request.name().c_str(), &found);
		reply.set_name(found.name);
		reply.set_version(found.version);
		reply.set_description(found.description);
		reply.set_main(found.main);
		reply.mutable_repository()->set_type(found.repository.type);
		reply.mutable_repository()->set_url(found.repository.url);
		reply.set_author(found.author);
		reply.set_license(found.license);
		answered = true;
		writer.Finish(reply, grpc::Status::OK, this);
	}

      public:
	Call(Service *service, grpc::ServerCompletionQueue *queue)
		: service(service), queue(queue), writer(&context)
	{
		service->RequestFindOne(&context, &request, &writer, queue, queue, this);
	}

	void proceed(bool ok)
	{
		if (answered || !ok) {
			delete this;
			return;
		}
		new Call(service, queue);
		answer();
	}
};

static void serve(Service *service, grpc::ServerCompletionQueue *queue)
{
	void *tag;
	bool ok;

	for (int i = 0; i < CALLS_POSTED; i++)
		new Call(service, queue);
	while (queue->Next(&tag, &ok))
		static_cast<Call *>(tag)->proceed(ok);
}

struct options {
	int64_t port;
	int64_t threads;
};

static const struct opt options_table[] = {
	{.name = "port",
		.type = OPT_INT,
		.offset = offsetof(struct options, port),
		.arg = "PORT",
		.help = "port on 127.0.0.1, 0 = any free (0)",
		.max = 65535},
	{.name = "threads",
		.type = OPT_INT,
		.offset = offsetof(struct options, threads),
		.arg = "N",
		.help = "completion queues, each a thread (1)",
		.min = 1,
		.max = 256},
	{},
};

int main(int argc, char **argv)
{
	struct options options = {.threads = 1};
	std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> queues;
	std::vector<std::thread> threads;
	std::unique_ptr<grpc::Server> server;
	grpc::ServerBuilder builder;
	Service service;
	int port = 0;
	int first;
	opt_result parsed;

	fail_set_program("grpc-cpp");
	parsed = opt_parse(options_table, &options, "grpc-cpp [OPTIONS]", argc, argv, &first);
	if (parsed != OPT_OK)
		return parsed == OPT_HELP ? 0 : 2;
	builder.AddListeningPort("127.0.0.1:" + std::to_string(options.port),
		grpc::InsecureServerCredentials(), &port);
	builder.RegisterService(&service);
	for (int64_t i = 0; i < options.threads; i++)
		queues.push_back(builder.AddCompletionQueue());
	server = builder.BuildAndStart();
	if (server == nullptr || port == 0) {
		fail_msg("cannot listen on 127.0.0.1 port %d", (int)options.port);
		return 1;
	}
	for (auto &queue : queues)
		threads.emplace_back(serve, &service, queue.get());
	srv_ready((uint16_t)port);
	for (auto &thread : threads)
		thread.join();
	return 0;
}
