'use strict';

// UnpkgService in Node's Thrift, binary protocol. Usage: node thrift.js framed|buffered [PORT]
const path = require('path');
const thrift = require('thrift');
const data = require('./data');

const generated = path.join(__dirname, '../../build/gen/node');
const service = require(path.join(generated, 'UnpkgService'));
const types = require(path.join(generated, 'unpkg_types'));

const handler = {
	FindOne: (request, done) => {
		const found = data.findOne();
		found.repository = new types.Repository(found.repository);
		done(null, new types.FindOneResponse(found));
	},
	Publish: (request, done) => {
		const valid = request.name.length > 0 && request.name.length <= 256;
		done(null, new types.PublishResponse({
			code: valid ? 0 : 1,
			message: valid ? `${request.name}@${request.version}` : 'name must have 1 to 256 bytes',
		}));
	},
};

const transports = { framed: thrift.TFramedTransport, buffered: thrift.TBufferedTransport };
const transport = transports[process.argv[2]];
if (transport === undefined) {
	console.error('usage: thrift.js framed|buffered [PORT]');
	process.exit(2);
}
const server = thrift.createServer(service, handler, { transport, protocol: thrift.TBinaryProtocol });
server.on('error', (error) => {
	// Errors of connections come here, too: a client that is gone is none of ours.
	if (server.listening) return;
	console.error(`thrift.js: ${error.message}`);
	process.exit(1);
});
server.listen(Number(process.argv[3] || 0), '127.0.0.1', () => {
	console.log(`READY port=${server.address().port}`);
});
