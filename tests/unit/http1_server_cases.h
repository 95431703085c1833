#ifndef TESTS_UNIT_HTTP1_SERVER_CASES_H
#define TESTS_UNIT_HTTP1_SERVER_CASES_H

#include <stddef.h>

/**
 * struct http1_case - Bytes of a client and what the server must answer.
 *
 * The answer is a summary: a status for each reply; after it "(BODY)" when it is 200, "[ALLOW]"
 * when it is 405; '+' when it says Connection: keep-alive, '!' when it says close and the
 * connection ends; "..." at the end while the server waits for the rest of a message.
 */
struct http1_case {
	const char *request;
	const char *answer;
};

#define GET(target) "GET " target " HTTP/1.1\r\nHost: a\r\n"
#define POST(more)  "POST /echo HTTP/1.1\r\nHost: a\r\n" more "\r\n"
#define CHUNKED     POST("Transfer-Encoding: chunked\r\n")
#define HELLO       GET("/") "\r\n"

static const struct http1_case http1_cases[] = {
	/* replies */
	{HELLO, "200(Hello)"},
	{HELLO HELLO HELLO, "200(Hello) 200(Hello) 200(Hello)"},
	{GET("/many") "\r\n", "200(0123456789012345678901234567890123456789)"},
	{GET("/nothing") "\r\n", "200()"},
	{GET("/fails") "\r\n" HELLO, "500!"},
	{GET("/forgets") "\r\n", "500!"},
	{"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" HELLO, "200() 200(Hello)"},
	{"HEAD /many HTTP/1.1\r\nHost: a\r\n\r\n" HELLO, "200() 200(Hello)"},
	{"HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n" HELLO, "404 200(Hello)"},
	{"HEAD / HTTP/1.1\r\n\r\n", "400!"},
	{"HEAD /fails HTTP/1.1\r\nHost: a\r\n\r\n", "500!"},

	/* targets, RFC 9112 section 3.2 */
	{GET("/x") "\r\n" HELLO, "404 200(Hello)"},
	{GET("/man") "\r\n" GET("/manyy") "\r\n", "404 404"},
	{GET("/?a=b") "\r\n" GET("/query?") "\r\n" GET("/query?a=%20?/b") "\r\n",
		"200(Hello) 200() 200(a=%20?/b)"},
	{GET("/query?[\"|^]") "\r\n", "200([\"|^])"},
	{GET("/%71uer%79?x%") "\r\n" GET("/quer%59") "\r\n", "200(x%) 404"},
	{GET("/many%00") "\r\n" GET("/m%2fany") "\r\n", "404 404"},
	{GET("/%4g") "\r\n", "400!"},
	{GET("/%4") "\r\n", "400!"},
	{GET("/#a") "\r\n", "400!"},
	{GET("/?#a") "\r\n", "400!"},
	{GET("/<") "\r\n", "400!"},
	{GET("/\x80") "\r\n", "400!"},
	{GET("/a b") "\r\n", "400!"},
	{GET("http://a:80/query?q") "\r\n" GET("HTTPS://a/") "\r\n", "200(q) 200(Hello)"},
	{GET("http://[::1]") "\r\n" GET("http://a?q") "\r\n", "200(Hello) 200(Hello)"},
	{GET("http:///") "\r\n", "400!"},
	{GET("http://u@a/") "\r\n", "400!"},
	{GET("ftp://a/") "\r\n", "400!"},
	{GET("a/b") "\r\n", "400!"},
	{GET("*") "\r\n", "400!"},

	/* methods, RFC 9110 section 9 */
	{"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi" HELLO,
		"405[GET, HEAD] 200(Hello)"},
	{GET("/echo") "\r\n", "405[POST]"},
	{"HEAD /echo HTTP/1.1\r\nHost: a\r\n\r\n", "405[POST]"},
	{"DELETE /both HTTP/1.1\r\nHost: a\r\n\r\n", "405[GET, HEAD, POST]"},
	{"OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n", "405[GET, HEAD]"},
	{"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "405[GET, HEAD, POST]"},
	{"PUT /x HTTP/1.1\r\nHost: a\r\n\r\n", "404"},
	{"FOO / HTTP/1.1\r\nHost: a\r\n\r\n", "501!"},
	{"get / HTTP/1.1\r\nHost: a\r\n\r\n", "501!"},
	{"GETS / HTTP/1.1\r\nHost: a\r\n\r\n", "501!"},
	{"PROPFIND / HTTP/1.1\r\nHost: a\r\n\r\n", "501!"},
	{"DESCRIBE / HTTP/1.1\r\nHost: a\r\n\r\n", "501!"},
	{"CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "501!"},
	{"(GET) / HTTP/1.1\r\nHost: a\r\n\r\n", "400!"},
	{"G=T / HTTP/1.1\r\nHost: a\r\n\r\n", "400!"},

	/* request lines and versions, RFC 9112 sections 2.2, 2.3 and 3 */
	{"\r\n\r\n" HELLO "\r\n" HELLO, "200(Hello) 200(Hello)"},
	{"\n" HELLO, "400!"},
	{"\r" HELLO, "400!"},
	{" " HELLO, "400!"},
	{"\x16\x03\x01\x02", "400!"},
	{"GET /\r\n\r\n", "400!"},
	{"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "400!"},
	{"GET /  HTTP/1.1\r\nHost: a\r\n\r\n", "400!"},
	{"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", "400!"},
	{"GET / http/1.1\r\nHost: a\r\n\r\n", "400!"},
	{"GET / HTTP/1\r\nHost: a\r\n\r\n", "400!"},
	{"GET / HTTP/1.11\r\nHost: a\r\n\r\n", "400!"},
	{"GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505!"},
	{"GET / HTTP/3.0\r\nHost: a\r\n\r\n", "505!"},
	{"GET / HTTP/0.9\r\nHost: a\r\n\r\n", "505!"},
	{"GET / HTTP/1.2\r\nHost: a\r\n\r\n", "505!"},
	{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505!"},
	{"OPTIONS / RTSP/1.0\r\nHost: a\r\n\r\n", "400!"},
	{"SOURCE / ICE/1.0\r\nHost: a\r\n\r\n", "400!"},

	/* persistence, RFC 9112 section 9.3 */
	{GET("/") "Connection: close\r\n\r\n" HELLO, "200(Hello)!"},
	{GET("/") "connection: foo, CLOSE\r\n\r\n", "200(Hello)!"},
	{GET("/") "Connection: closed\r\n\r\n" HELLO, "200(Hello) 200(Hello)"},
	{GET("/x") "Connection: close\r\n\r\n", "404!"},
	{"GET / HTTP/1.0\r\n\r\n" HELLO, "200(Hello)!"},
	{"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" HELLO, "200(Hello)+ 200(Hello)"},
	{"HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" HELLO, "200()+ 200(Hello)"},
	{GET("/") "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: "
		  "A\r\n\r\n" HELLO,
		"200(Hello) 200(Hello)"},

	/* Host, RFC 9112 section 3.2 */
	{"GET / HTTP/1.1\r\n\r\n", "400!"},
	{GET("/") "Host: a\r\n\r\n", "400!"},
	{GET("/") "host:b\r\n\r\n", "400!"},
	{"GET http://a/ HTTP/1.1\r\n\r\n", "400!"},
	{"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "400!"},
	{"GET / HTTP/1.1\r\nHost:\r\n\r\n", "200(Hello)"},
	{"GET / HTTP/1.1\r\nhost: \t[::1]:80 \t\r\n\r\n", "200(Hello)"},
	{"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "400!"},
	{"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400!"},
	{"GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", "400!"},

	/* fields, RFC 9112 sections 2.2 and 5 */
	{GET("/") "A:\r\nB: \t c \t\r\nD: \x80\xff\r\n\r\n", "200(Hello)"},
	{GET("/") "A : b\r\n\r\n", "400!"},
	{GET("/") "A\t: b\r\n\r\n", "400!"},
	{GET("/") " A: b\r\n\r\n", "400!"},
	{GET("/") "A: b\r\n c\r\n\r\n", "400!"},
	{GET("/") "A: b\r\n\tc\r\n\r\n", "400!"},
	{GET("/") "A:\r\n b\r\n\r\n", "400!"},
	{GET("/") "A: b\r\n \r\n\r\n", "400!"},
	{GET("/") "A\r\n\r\n", "400!"},
	{GET("/") ": b\r\n\r\n", "400!"},
	{GET("/") "A: \x01\r\n\r\n", "400!"},
	{GET("/") "A: b\x7f\r\n\r\n", "400!"},
	{GET("/") "A: b\rc\r\n\r\n", "400!"},
	{GET("/") "A: b\nC: d\r\n\r\n", "400!"},
	{GET("/") "A: b\r\r\n\r\n", "400!"},
	{GET("/") "A: b\r\n\n", "400!"},
	{GET("/") "A\x80: b\r\n\r\n", "400!"},
	{GET("/") "A(b): c\r\n\r\n", "400!"},
	{"GET / HTTP/1.1\nHost: a\n\n", "400!"},
	{"GET / HTTP/1.1\rHost: a\r\n\r\n", "400!"},

	/* bodies by length, RFC 9112 section 6 */
	{POST("Content-Length: 5\r\n") "hello" HELLO, "200(hello) 200(Hello)"},
	{POST("Content-Length: 5  \r\n") "hello" HELLO, "200(hello) 200(Hello)"},
	{POST("Content-Length: 0\r\n") HELLO, "200() 200(Hello)"},
	{POST("") HELLO, "200() 200(Hello)"},
	{POST("Content-Length: 64\r\n") "0123456789012345678901234567890123456789012345678901234567"
					"890123",
		"200(0123456789012345678901234567890123456789012345678901234567890123)"},
	{POST("Content-Length: 65\r\n"), "413!"},
	{POST("Content-Length: 5\r\nConnection: close\r\n") "hello" HELLO, "200(hello)!"},
	{GET("/") "Content-Length: 5\r\n\r\nhello" HELLO, "200(Hello) 200(Hello)"},
	{"POST /echo?q HTTP/1.0\r\nContent-Length: 2\r\n\r\nhi", "200(hi)!"},
	{"POST /both?q HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi", "200(qhi)"},
	{"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi" HELLO, "404 200(Hello)"},
	{POST("Content-Length: 5\r\n") "hell", "..."},
	{POST("Content-Length: 5\r\nContent-Length: 5\r\n") "hello", "400!"},
	{POST("Content-Length: 5\r\nContent-Length: 6\r\n") "hello", "400!"},
	{POST("Content-Length: 5, 5\r\n") "hello", "400!"},
	{POST("Content-Length: 5 5\r\n") "hello", "400!"},
	{POST("Content-Length: +5\r\n") "hello", "400!"},
	{POST("Content-Length: -5\r\n") "hello", "400!"},
	{POST("Content-Length: 0x5\r\n") "hello", "400!"},
	{POST("Content-Length:\r\n") "hello", "400!"},
	{POST("Content-Length: 18446744073709551621\r\n") "hello", "400!"},
	{POST("Content-Length: 18446744073709551615\r\n") "hello", "413!"},
	{POST("Content-Length : 5\r\n") "hello", "400!"},

	/* chunked bodies, RFC 9112 section 7.1 */
	{CHUNKED "0\r\n\r\n" HELLO, "200() 200(Hello)"},
	{CHUNKED "5\r\nhello\r\n0\r\n\r\n" HELLO, "200(hello) 200(Hello)"},
	{CHUNKED "1\r\nh\r\n00004;a;b=c\r\nello\r\n00\r\n\r\n" HELLO, "200(hello) 200(Hello)"},
	{CHUNKED "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\nX: y\r\nHost: z\r\n\r\n" HELLO,
		"200(01234567890123456789) 200(Hello)"},
	{POST("transfer-encoding: \tChunked \r\n") "1\r\nx\r\n0\r\n\r\n", "200(x)"},
	{CHUNKED "41\r\n", "..."},
	{CHUNKED "40\r\n0123456789012345678901234567890123456789012345678901234567890123\r\n1\r\nx"
		 "\r\n",
		"413!"},
	{CHUNKED "5\nhello\r\n0\r\n\r\n", "400!"},
	{CHUNKED "5\r\nhello\n0\r\n\r\n", "400!"},
	{CHUNKED "5\r\nhello0\r\n\r\n", "400!"},
	{CHUNKED "5\r\nhello!\r\n0\r\n\r\n", "400!"},
	{CHUNKED "5 \r\nhello\r\n0\r\n\r\n", "400!"},
	{CHUNKED " 5\r\nhello\r\n0\r\n\r\n", "400!"},
	{CHUNKED "0x5\r\nhello\r\n0\r\n\r\n", "400!"},
	{CHUNKED "-5\r\nhello\r\n0\r\n\r\n", "400!"},
	{CHUNKED "\r\n0\r\n\r\n", "400!"},
	{CHUNKED ";a\r\n0\r\n\r\n", "400!"},
	{CHUNKED "g\r\n", "400!"},
	{CHUNKED "10000000000000005\r\nhello\r\n0\r\n\r\n", "400!"},
	{CHUNKED "5;a\nb\r\nhello\r\n0\r\n\r\n", "400!"},
	{CHUNKED "5;a\rb\r\nhello\r\n0\r\n\r\n", "400!"},
	{CHUNKED "0\n\r\n", "400!"},
	{CHUNKED "0\r\nA: b\n\n", "400!"},
	{CHUNKED "0\r\nA b\r\n\r\n", "400!"},
	{CHUNKED "0\r\nA : b\r\n\r\n", "400!"},

	/* lengths that could be read in two ways, RFC 9112 section 6.3 */
	{POST("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: chunked, identity\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: xchunked\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: chunkedx\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: \"chunked\"\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: \x0b"
	      "chunked\r\n") "0\r\n\r\n",
		"400!"},
	{POST("Transfer-Encoding: identity\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: gzip\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding:\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: chunked;a=b\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n") "0\r\n\r\n", "400!"},
	{POST("Transfer-Encoding: gzip, chunked\r\n") "0\r\n\r\n", "501!"},
	{POST("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n") "0\r\n\r\n", "501!"},
	{POST("Transfer_Encoding: chunked\r\n") HELLO, "200() 200(Hello)"},
	{"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400!"},

	/* Expect, RFC 9110 section 10.1.1 */
	{POST("Expect: 100-continue\r\nContent-Length: 2\r\n") "hi", "100 200(hi)"},
	{HELLO POST("expect: 100-Continue \r\nContent-Length: 2\r\n"), "200(Hello) 100 ..."},
	{POST("Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n") "2\r\nhi\r\n0\r\n\r\n",
		"100 200(hi)"},
	{POST("Expect: 100-continue\r\n") HELLO, "200() 200(Hello)"},
	{POST("Expect: 100-continue\r\nContent-Length: 65\r\n") "hi", "413!"},
	{POST("Expect: 200-maybe\r\nContent-Length: 2\r\n") "hi", "417!"},
	{POST("Expect: 100-continue\r\nExpect: x\r\n"), "417!"},
	{"POST /echo HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi", "200(hi)!"},
	{"POST /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
		"404!"},
	{"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
		"405[GET, HEAD]!"},

	/* messages that are not complete */
	{"", ""},
	{"\r", "..."},
	{"G", "..."},
	{"GET / HTTP/1.1\r\nHost: a\r\n", "..."},
	{HELLO HELLO "GET / HTTP/1.1\r\nHost: a\r\n\r", "200(Hello) 200(Hello) ..."},
	{CHUNKED "5\r\nhello\r\n0\r\n", "..."},
};

/* Files under tests/golden/http1, the bytes of clients that are not ours. */
static const struct http1_case http1_golden_cases[] = {
	{"ab-get", "200(Hello)!"},
	{"ab-get-keepalive", "200(Hello)+ 200(Hello)+"},
	{"ab-post", "200(hello)!"},
	{"curl-get", "200(Hello)"},
	{"curl-get-twice", "200(Hello) 200(0123456789012345678901234567890123456789)"},
	{"curl-h2c-upgrade", "200(Hello)"},
	{"curl-head", "200()"},
	{"curl-http1.0", "200(Hello)!"},
	{"curl-post", "200(hello)"},
	{"curl-post-chunked", "100 200(hello)"},
	{"curl-post-expect", "100 200(hello)"},
	{"curl-proxy", "200(a)"},
	{"curl-query", "200(a=%20b&c[]=d)"},
	{"node-fetch", "200(hello)"},
	{"python-chunked", "200(hello)"},
	{"python-urllib", "200(a=b)!"},
	{"wrk-get", "200(Hello) 200(Hello) 200(Hello)"},
};

#undef GET
#undef POST
#undef CHUNKED
#undef HELLO

#endif
