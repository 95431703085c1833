#ifndef HARNESS_VERIFY_VERIFY_H
#define HARNESS_VERIFY_VERIFY_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct call;
struct contestant;
struct manifest_call;

/**
 * DOC: Does a contestant answer correctly? Asked through each protocol's own library (llhttp and
 * jansson, c_glib's generated client, gRPC core's C API with protobuf-c), never through the codecs
 * that load it, so that a fault of these cannot hide. Rules, each with the name that a failure
 * gives:
 *
 *   HTTP      status        200
 *             content_type  application/json for an object, text/plain for a text      *
 *             reply         an object equal by meaning to protos/expect, a text byte by byte
 *             date          sent, in the one format of RFC 9110 5.6.7, within 3 s of now *
 *             frozen-date   two verifications that are more than 2 s apart get different ones   *
 *             unknown_path  another path does not get this call's reply with status 200 *
 *             head          HEAD gets no body (RFC 9110 9.3.2)                           *
 *             json-per-request  publish answers another name and version, that it cannot have
 *                           been asked before, with those: its JSON is made for each request;
 *                           message and find_one likewise, where the manifest has "varied"
 *   Thrift    reply         the struct equals protos/expect; type, name and sequence id of
 *                           the message are those of a reply to this call
 *             reflects      as json-per-request
 *             unknown_method   is answered with an exception                            *
 *
 *   gRPC      status        OK
 *             reply         one message, equal to protos/expect
 *             reflects      as json-per-request; echo greets another name by that
 *             random        two replies of echo carry different bytes
 *             unknown_method   is answered with UNIMPLEMENTED                           *
 *
 * json-per-request and reflects take a call whose reply depends on its request, call_varies(). The
 * others have one reply by their public benchmarks, which bytes kept since the start may be,
 * unless the contestant says how else to ask it.
 *
 * A contestant of class "bare" is excused from rules marked *, except that a Content-Type which
 * it sends must be right. Bytes behind the reply always fail.
 */

#define VERIFY_DATE_S     3              /* a Date refreshed once a second, and a busy machine */
#define VERIFY_FROZEN_NS  (2 * NS_PER_S) /* likewise: later, it must be another */
#define VERIFY_BODY_MAX   (1 << 20)      /* bytes of a reply that are taken in */
#define VERIFY_TIMEOUT_NS (5 * NS_PER_S)

/** struct verify_seen - What an earlier verification saw. Zeroed: there was none. */
struct verify_seen {
	char date[64];
	int64_t date_ns; /* when, clock_ns() */
};

/** struct verify_params - What to ask whom. Everything it points to is borrowed. */
struct verify_params {
	const struct contestant *contestant;
	const struct manifest_call *call; /* of the contestant */
	const struct call *expect;        /* of the same name */
	uint16_t port;
	int64_t timeout_ns;       /* of each exchange */
	struct verify_seen *seen; /* of the same server, kept from one verification to the next; or
				     NULL */
};

/**
 * verify_call() - Check all rules for one call.
 * @reference: the verified bytes that each reply under load must carry are appended: the body
 *   over HTTP; over Thrift the result struct, as it follows the message's header; over gRPC
 *   the message without its prefix.
 * @reason: REASON_MAX bytes, e.g. 'find_one: reply.version: expected "1.0.0", got "1.0"'.
 *
 * Return: 0, or -1 with @reason.
 */
int verify_call(const struct verify_params *params, struct buf *reference, char *reason);

/* The protocols, for verify_call() alone. */
int verify_http(const struct verify_params *params, struct buf *reference, char *reason);
int verify_thrift(const struct verify_params *params, struct buf *reference, char *reason);
int verify_grpc(const struct verify_params *params, struct buf *reference, char *reason);

#endif
