/* What RFC 9110 and RFC 9112 ask of a header block beyond what llhttp checks. */
#include <string.h>

#include "servers/common/http1_head.h"
#include "servers/common/http1_target.h"

#define TARGET_MAX 8192 /* bytes; RFC 9112 section 3 asks for 8000 in a request line */

/* @text is in lower case. llhttp has refused the control characters that this takes for others. */
static inline bool equals(struct slice value, const char *text)
{
	size_t len = strlen(text);

	if (value.len != len)
		return false;
	while (len > 0 && (value.data[len - 1] | 0x20) == text[len - 1])
		len--;
	return len == 0;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\t';
}

/* llhttp joins folded lines, which RFC 9112 section 5.2 lets a server refuse: so each field must
 * begin behind the CR LF of the one before. */
void http1_head_field(struct http1_head *head, struct slice name)
{
	if (name.len == 0 || (head->end != NULL && name.data != head->end + 2))
		head->broken = true;
	head->end = name.data + name.len;
	head->field = HTTP1_FIELD_OTHER;
	if (equals(name, "host"))
		head->field = HTTP1_FIELD_HOST;
	else if (equals(name, "expect"))
		head->field = HTTP1_FIELD_EXPECT;
	else if (equals(name, "transfer-encoding"))
		head->field = HTTP1_FIELD_CODING;
	if (head->counts[head->field] < 2)
		head->counts[head->field]++;
}

void http1_head_value(struct http1_head *head, struct slice value)
{
	const char *at = head->end + 1;

	/* Between name and value are a colon and blanks; an empty value comes as the line's end. */
	while (at < value.data && is_blank(*at))
		at++;
	if (at != value.data && value.len > 0)
		head->broken = true;
	head->end = at + value.len;
	while (value.len > 0 && is_blank(value.data[value.len - 1]))
		value.len--;
	head->values[head->field] = value;
}

/* The request line has single spaces and is one of HTTP (llhttp knows RTSP and ICE too), RFC 9112
 * section 3. */
static bool is_request_line(const struct http1_head *head)
{
	const char *target = head->target.data;
	const char *version;

	if (head->target.len == 0)
		return false;
	version = target + head->target.len;
	return target[-1] == ' ' && target[-2] != ' ' && version[0] == ' ' && version[1] == 'H';
}

static bool is_end(const char *at)
{
	return at[0] == '\r' && at[1] == '\n' && at[2] == '\r' && at[3] == '\n';
}

/* RFC 9112 section 3.2: one Host, which only HTTP/1.0 may leave out. */
static bool is_host_right(const struct http1_head *head, const llhttp_t *parser)
{
	if (head->counts[HTTP1_FIELD_HOST] == 0)
		return parser->http_minor == 0;
	return head->counts[HTTP1_FIELD_HOST] == 1 &&
	       http1_host_valid(head->values[HTTP1_FIELD_HOST]);
}

/* RFC 9112 sections 6.1 and 6.3: the last coding must be chunked, and no other is known. */
static int check_coding(const struct http1_head *head, const llhttp_t *parser)
{
	if (head->counts[HTTP1_FIELD_CODING] == 0)
		return 0;
	if (!(parser->flags & F_CHUNKED) || parser->http_minor == 0)
		return 400;
	if (head->counts[HTTP1_FIELD_CODING] > 1 ||
		!equals(head->values[HTTP1_FIELD_CODING], "chunked"))
		return 501;
	return 0;
}

int http1_head_check(const struct http1_head *head, const llhttp_t *parser)
{
	if (head->target.len > TARGET_MAX)
		return 414;
	if (!is_request_line(head) || head->broken || (head->end != NULL && !is_end(head->end)))
		return 400;
	if (parser->http_major != 1)
		return 505;
	if (!is_host_right(head, parser))
		return 400;
	return check_coding(head, parser);
}

int http1_head_expects(const struct http1_head *head, const llhttp_t *parser)
{
	if (head->counts[HTTP1_FIELD_EXPECT] == 0 || parser->http_minor == 0)
		return 0;
	if (head->counts[HTTP1_FIELD_EXPECT] > 1 ||
		!equals(head->values[HTTP1_FIELD_EXPECT], "100-continue"))
		return -1;
	return 1;
}

static bool is_digit(char byte)
{
	return byte >= '0' && byte <= '9';
}

/* Return: the major version in "METHOD TARGET HTTP/N.N" CR LF, or -1 when it is no such line. */
static int major_version(const char *line, size_t len)
{
	const char *end = memchr(line, '\n', len);
	const char *target = memchr(line, ' ', len);
	const char *version = NULL;

	if (end != NULL && target != NULL && target < end)
		version = memchr(target + 1, ' ', (size_t)(end - target - 1));
	if (version == NULL || version == target + 1 || end - version != 10)
		return -1;
	for (; line < target && http1_is_token(*line); line++)
		;
	if (line != target || memcmp(version, " HTTP/", 6) != 0 || !is_digit(version[6]) ||
		version[7] != '.' || !is_digit(version[8]) || version[9] != '\r')
		return -1;
	return version[6] - '0';
}

int http1_head_explain(struct slice data, llhttp_errno_t error)
{
	int major = major_version(data.data, data.len);

	if (major < 0)
		return 400;
	if (major != 1 || error == HPE_INVALID_VERSION)
		return 505;
	/* An unknown method, or one of another protocol that llhttp knows. */
	return error == HPE_INVALID_METHOD || error == HPE_INVALID_CONSTANT ? 501 : 400;
}
