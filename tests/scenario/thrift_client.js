'use strict';

// Calls the Thrift servers with Node's Thrift library, for 20-thrift-servers.bats.
// Usage: NODE_PATH=build/npm/node/node_modules node thrift_client.js VARIANT:PORT:PID...
const assert = require('assert');
const fs = require('fs');
const path = require('path');

const root = path.join(__dirname, '../..');
const thrift = require('thrift');
const service = require(path.join(root, 'build/gen/node/UnpkgService'));
const types = require(path.join(root, 'build/gen/node/unpkg_types'));

const variants = {
	binary: [thrift.TBinaryProtocol, thrift.TBufferedTransport],
	framed: [thrift.TBinaryProtocol, thrift.TFramedTransport],
	compact: [thrift.TCompactProtocol, thrift.TFramedTransport],
	simple: [thrift.TBinaryProtocol, thrift.TBufferedTransport],
};

function expected(call) {
	return JSON.parse(fs.readFileSync(path.join(root, 'protos/expect', `${call}.json`)));
}

const plain = (struct) => JSON.parse(JSON.stringify(struct));

async function check(variant, port) {
	const [protocol, transport] = variants[variant];
	const connection = thrift.createConnection('127.0.0.1', port, { protocol, transport });
	const client = thrift.createClient(service, connection);
	const found = expected('find_one');
	const published = expected('publish');
	const call = (method, request) => new Promise((resolve, reject) => {
		client[method](request, (error, reply) => (error ? reject(error) : resolve(reply)));
	});
	// Many at once, so that several calls share a read.
	const replies = await Promise.all(Array.from({ length: 20 }, () => [
		call('FindOne', new types.FindOneRequest(found.request)),
		call('Publish', new types.PublishRequest(published.request)),
	]).flat());
	for (let i = 0; i < replies.length; i += 2) {
		assert.deepStrictEqual(plain(replies[i]), found.reply);
		assert.deepStrictEqual(plain(replies[i + 1]), published.reply);
	}
	connection.end();
}

(async () => {
	for (const server of process.argv.slice(2)) {
		const [variant, port] = server.split(':');
		await check(variant, port);
	}
})().catch((error) => {
	console.error(error);
	process.exit(1);
});
