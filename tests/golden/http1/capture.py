#!/usr/bin/python3
"""Makes the files beside it: the bytes that HTTP clients send, one file for each command.

Each client talks to a listener that answers 200 after a request; what it sent is kept until it
closes, or is ended. The versions of the clients go to README.
"""
import os
import socket
import subprocess
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
PORT = 8080
URL = f"http://127.0.0.1:{PORT}"
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nHello"
NODE = f"fetch('{URL}/echo', {{method: 'POST', body: 'hello'}}).then(r => r.text())"
PYTHON = f"import urllib.request as u; u.urlopen('{URL}/query?a=b').read()"
CHUNKED = f"""import http.client as c
h = c.HTTPConnection('127.0.0.1', {PORT})
h.request('POST', '/echo', iter([b'he', b'llo']))
h.getresponse().read()"""

COMMANDS = {
    "curl-get": ["curl", "-s", URL + "/"],
    "curl-get-twice": ["curl", "-s", URL + "/", URL + "/many"],
    "curl-head": ["curl", "-sI", URL + "/"],
    "curl-query": ["curl", "-s", URL + "/query?a=%20b&c[]=d", "-g"],
    "curl-http1.0": ["curl", "-s", "--http1.0", URL + "/"],
    "curl-h2c-upgrade": ["curl", "-s", "--http2", URL + "/"],
    "curl-proxy": ["curl", "-s", "-x", URL, "http://example.org/query?a"],
    "curl-post": ["curl", "-s", "-d", "hello", URL + "/echo"],
    "curl-post-chunked": ["sh", "-c", f"printf hello | curl -sT - -X POST {URL}/echo"],
    "curl-post-expect": ["curl", "-s", "-H", "Expect: 100-continue", "-d", "hello", URL + "/echo"],
    "wrk-get": ["timeout", "-s", "INT", "1", "wrk", "-c1", "-t1", "-d2", URL + "/"],
    "ab-get": ["ab", "-q", "-n1", URL + "/"],
    "ab-get-keepalive": ["ab", "-q", "-k", "-n2", URL + "/"],
    "ab-post": ["sh", "-c", f"printf hello >/tmp/b.$$; ab -q -n1 -p /tmp/b.$$ {URL}/echo; rm /tmp/b.$$"],
    "python-urllib": ["/usr/bin/python3", "-c", PYTHON],
    "python-chunked": ["/usr/bin/python3", "-c", CHUNKED],
    "node-fetch": ["node", "-e", NODE],
}
VERSIONS = ["curl --version", "wrk -v", "ab -V", "/usr/bin/python3 --version", "node --version"]


def complete(data):
    """The number of whole requests in data, which has lengths or chunks as the clients send them."""
    count = 0
    while b"\r\n\r\n" in data:
        head, data = data.split(b"\r\n\r\n", 1)
        lower = head.lower()
        if b"content-length: 5" in lower:
            if len(data) < 5:
                break
            data = data[5:]
        elif b"transfer-encoding" in lower:
            if b"0\r\n\r\n" not in data:
                break
            data = data.split(b"0\r\n\r\n", 1)[1]
        count += 1
    return count


def serve(listener, received):
    """Keeps the first connection that sends something; wrk and ab try another one before."""
    while True:
        try:
            peer, _ = listener.accept()
        except OSError:
            return
        data = b""
        answered = 0
        while True:
            try:
                more = peer.recv(65536)
            except ConnectionError:
                break
            if not more:
                break
            data += more
            if answered < 2 and complete(data) > answered:
                answered += 1
                peer.sendall(REPLY)
                if b" HTTP/1.0\r\n" in data and b"eep-" not in data:
                    break
        peer.close()
        if data:
            received.append(data)


def capture(command):
    listener = socket.create_server(("127.0.0.1", PORT))
    received = []
    threading.Thread(target=serve, args=(listener, received), daemon=True).start()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=10)
    threading.Event().wait(0.2)
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    return received[0]


def main():
    for name, command in COMMANDS.items():
        with open(os.path.join(HERE, name), "wb") as file:
            file.write(capture(command))
    with open(os.path.join(HERE, "README"), "w", encoding="ascii") as file:
        file.write("Requests as clients sent them to capture.py, of these versions:\n\n")
        for command in VERSIONS:
            done = subprocess.run(command.split(), capture_output=True, text=True)
            text = (done.stdout + done.stderr).splitlines()[0]
            file.write(f"{command.split()[0].rsplit('/')[-1]}: {text}\n")


main()
