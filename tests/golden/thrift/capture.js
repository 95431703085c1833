'use strict';

// Prints the lines of node.txt. Needs build/npm/node (scripts/setup-npm) and build/gen/node.
const fs = require('fs');
const path = require('path');

const root = path.join(__dirname, '../../..');
const thrift = require('thrift');
const service = require(path.join(root, 'build/gen/node/UnpkgService'));
const types = require(path.join(root, 'build/gen/node/unpkg_types'));

const expected = (call) => JSON.parse(fs.readFileSync(path.join(root, 'protos/expect', `${call}.json`)));
const encodings = { binary: thrift.TBinaryProtocol, compact: thrift.TCompactProtocol };

for (const [encoding, Protocol] of Object.entries(encodings)) {
	const print = (name) => (bytes) => console.log(encoding, name, bytes.toString('hex'));
	const write = (name, send) => {
		const output = new thrift.TBufferedTransport(undefined, print(name));
		send(output);
	};
	write('find_one', (output) => {
		const client = new service.Client(output, Protocol);
		client.FindOne(new types.FindOneRequest(expected('find_one').request), () => {});
	});
	write('publish', (output) => {
		const client = new service.Client(output, Protocol);
		client.Publish(new types.PublishRequest(expected('publish').request), () => {});
	});
}
