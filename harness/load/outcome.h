#ifndef HARNESS_LOAD_OUTCOME_H
#define HARNESS_LOAD_OUTCOME_H

/**
 * enum outcome - How a request ended, or what befell a connection.
 *
 * The kinds up to OUT_REQUEST_KINDS end one request each; the sum of all but OUT_OK is `failed`.
 * The others are events of connections that carried no request, counted beside.
 */
enum outcome {
	OUT_OK,        /* a whole reply, verified */
	OUT_STATUS,    /* a whole reply with a status that is an error or differs */
	OUT_MISMATCH,  /* a whole reply whose length or bytes differ from the expected */
	OUT_PROTOCOL,  /* bytes that are no reply of this protocol */
	OUT_RESET,     /* the peer reset the connection */
	OUT_EOF,       /* the peer closed before the reply was whole */
	OUT_TIMEOUT,   /* no whole reply within --timeout */
	OUT_NO_LENGTH, /* likewise: a reply without a length, and the connection was left open */
	OUT_STALE,     /* a kept-alive connection was closed before a byte of the reply came */
	OUT_THRIFT_EXCEPTION, /* a TApplicationException, or an exception field in the reply */
	OUT_THRIFT_SEQID,     /* a reply to another call than the one that is due */
	OUT_THRIFT_FRAME,     /* a frame's length that is impossible or not its message's */
	OUT_GRPC,             /* a grpc-status other than OK, or the stream was reset */
	OUT_REQUEST_KINDS,
	OUT_CONNECT_REFUSED = OUT_REQUEST_KINDS, /* ECONNREFUSED */
	OUT_CONNECT_TIMEOUT,                     /* not connected within --timeout */
	OUT_CONNECT,                             /* any other error of connect() */
	OUT_ADDR_IN_USE,                         /* EADDRNOTAVAIL: no free local port */
	OUT_UNEXPECTED,                          /* a reply that no request was waiting for */
	OUT_KINDS
};

/** outcome_name() - The name used in records, e.g. "connect_refused"; never NULL. */
const char *outcome_name(enum outcome outcome);

#endif
