/* Writes replies: each head is put together from its parts, and the body follows in place. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/buf.h"
#include "servers/common/http1_reply.h"

#define HEAD_MAX   512 /* bytes; more than the longest head with the longest media type */
#define TYPE_MAX   128 /* bytes of a media type */
#define DIGITS_MAX 20  /* of a size_t */
#define DATE_LEN   29  /* bytes of an IMF-fixdate, RFC 9110 section 5.6.7 */

struct status {
	int code;
	const char *line;
	size_t len;
};

#define STATUS(number, reason)                                                                     \
	{                                                                                          \
		.code = (number), .line = "HTTP/1.1 " #number " " reason,                          \
		.len = sizeof("HTTP/1.1 " #number " " reason) - 1                                  \
	}
#define STATUS_TEXT_AT (sizeof("HTTP/1.1 ") - 1)

/* RFC 9110 section 15. The first is by far the most frequent, the last stands for any other. */
static const struct status statuses[] = {
	STATUS(200, "OK"),
	STATUS(400, "Bad Request"),
	STATUS(404, "Not Found"),
	STATUS(405, "Method Not Allowed"),
	STATUS(408, "Request Timeout"),
	STATUS(413, "Content Too Large"),
	STATUS(414, "URI Too Long"),
	STATUS(417, "Expectation Failed"),
	STATUS(431, "Request Header Fields Too Large"), /* RFC 6585 section 5 */
	STATUS(501, "Not Implemented"),
	STATUS(502, "Bad Gateway"),
	STATUS(504, "Gateway Timeout"),
	STATUS(505, "HTTP Version Not Supported"),
	STATUS(500, "Internal Server Error"),
};

static const struct status *find_status(int code)
{
	const struct status *status = statuses;
	const struct status *last = &statuses[sizeof(statuses) / sizeof(*statuses) - 1];

	while (status < last && status->code != code)
		status++;
	return status;
}

/* The text of a Date header, made once a second by each thread. */
static const char *date_text(int64_t unix_time)
{
	static _Thread_local int64_t made_for = INT64_MIN;
	static _Thread_local char text[DATE_LEN + 1];

	if (unix_time != made_for) {
		time_t seconds = (time_t)unix_time;
		struct tm tm;

		gmtime_r(&seconds, &tm);
		strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &tm);
		made_for = unix_time;
	}
	return text;
}

static inline char *put(char *to, const char *bytes, size_t len)
{
	memcpy(to, bytes, len);
	return to + len;
}

#define PUT(to, literal) put(to, literal, sizeof(literal) - 1)

static char *put_allow(char *to, unsigned methods)
{
	to = PUT(to, "Allow: ");
	if (methods & HTTP1_GET)
		to = PUT(to, "GET, HEAD");
	if ((methods & HTTP1_GET) && (methods & HTTP1_POST))
		to = PUT(to, ", ");
	if (methods & HTTP1_POST)
		to = PUT(to, "POST");
	return PUT(to, "\r\n");
}

static size_t count_digits(size_t n)
{
	size_t digits = 1;

	for (; n >= 10; n /= 10)
		digits++;
	return digits;
}

static void put_number(char *to, size_t digits, size_t n)
{
	for (; digits > 0; n /= 10)
		to[--digits] = (char)('0' + n % 10);
}

struct buf *http1_reply_begin(
	struct http1_reply *reply, int code, const char *type, size_t expected_len)
{
	const struct status *status = find_status(code);
	struct buf *out = reply->out;
	size_t type_len = strnlen(type, TYPE_MAX);
	char *to;

	if (buf_reserve(out, HEAD_MAX + expected_len) != 0)
		return NULL;
	to = buf_tail(out);
	to = put(to, status->line, status->len);
	to = PUT(to, "\r\nServer: rpcbench\r\nDate: ");
	to = put(to, date_text(reply->unix_time), DATE_LEN);
	to = PUT(to, "\r\n");
	if (code == 405)
		to = put_allow(to, reply->allow);
	to = PUT(to, "Content-Type: ");
	to = put(to, type, type_len);
	to = PUT(to, "\r\nContent-Length: ");
	reply->length_at = (size_t)(to - buf_head(out));
	reply->digits = count_digits(expected_len);
	to += reply->digits;
	if (reply->persistence == HTTP1_CLOSES)
		to = PUT(to, "\r\nConnection: close");
	else if (reply->persistence == HTTP1_PERSISTS_SAID)
		to = PUT(to, "\r\nConnection: keep-alive");
	to = PUT(to, "\r\n\r\n");
	reply->body_at = (size_t)(to - buf_head(out));
	out->end = (size_t)(to - out->data);
	return out;
}

int http1_reply_body(struct http1_reply *reply, int status, const char *type, struct slice body)
{
	struct buf *out = http1_reply_begin(reply, status, type, body.len);

	return out != NULL ? buf_append(out, body.data, body.len) : -1;
}

/* Gives the length @digits places, where another number was guessed. */
static int move_tail(struct http1_reply *reply, size_t digits)
{
	struct buf *out = reply->out;
	size_t from = reply->length_at + reply->digits;
	size_t len = buf_len(out) - from;

	if (buf_reserve(out, DIGITS_MAX) != 0)
		return -1;
	memmove(buf_head(out) + reply->length_at + digits, buf_head(out) + from, len);
	out->end = out->end - reply->digits + digits;
	reply->body_at = reply->body_at - reply->digits + digits;
	reply->digits = digits;
	return 0;
}

int http1_reply_end(struct http1_reply *reply)
{
	struct buf *out = reply->out;
	size_t body_len = buf_len(out) - reply->body_at;
	size_t digits = count_digits(body_len);

	if (digits != reply->digits && move_tail(reply, digits) != 0)
		return -1;
	put_number(buf_head(out) + reply->length_at, digits, body_len);
	if (reply->head_only)
		out->end = out->start + reply->body_at;
	return 0;
}

int http1_reply_error(struct http1_reply *reply, int code)
{
	const struct status *status = find_status(code);
	struct slice text = {status->line + STATUS_TEXT_AT, status->len - STATUS_TEXT_AT};
	struct buf *out = reply->out;

	out->end = out->start + reply->start;
	if (http1_reply_begin(reply, code, "text/plain", text.len + 1) == NULL)
		return -1;
	if (buf_append(out, text.data, text.len) != 0 || buf_append(out, "\n", 1) != 0)
		return -1;
	return http1_reply_end(reply);
}
