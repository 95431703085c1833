'use strict';

// Calls gRPC servers with Node's own implementation of gRPC, for 27-grpc-js.bats.
// Usage: NODE_PATH=build/npm/grpc-js/node_modules node grpc_client.js TEST NAME:PORT:PID...
// TEST is the name of a function of tests; it is run with each server.
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const TIMEOUT_MS = 20000;
const FIND_ONE = '/unpkg.Unpkg/FindOne';
const CITIES = '/cityinfo.GeoCity/GetCities';
const { status } = grpc;
const root = path.join(__dirname, '../..');

const definition = loader.loadSync(['unpkg.proto', 'city.proto', 'echo.proto'],
	{ includeDirs: [path.join(root, 'protos')], keepCase: true });
const { unpkg, cityinfo, echo } = grpc.loadPackageDefinition(definition);

const json = (file) => JSON.parse(fs.readFileSync(path.join(root, file)));
const plain = (message) => JSON.parse(JSON.stringify(message));
const deadline = (ms = TIMEOUT_MS) => ({ deadline: Date.now() + ms });

// Clients of all services that share one connection.
function connect(server, options = {}) {
	const address = `127.0.0.1:${server.port}`;
	const credentials = grpc.credentials.createInsecure();
	const first = new unpkg.Unpkg(address, credentials,
		{ 'grpc.max_receive_message_length': -1, ...options });
	const channelOverride = first.getChannel();
	return {
		unpkg: first,
		cities: new cityinfo.GeoCity(address, credentials, { channelOverride }),
		echo: new echo.Streams(address, credentials, { channelOverride }),
	};
}

// A call whose reply, or whose error, is awaited.
function call(client, method, request, metadata = new grpc.Metadata(), options = deadline()) {
	return new Promise((resolve, reject) => {
		client[method](request, metadata, options,
			(error, reply) => (error ? reject(error) : resolve(reply)));
	});
}

// A call of bytes that need not be a message.
function raw(client, method, bytes, metadata = new grpc.Metadata(), options = deadline()) {
	return new Promise((resolve, reject) => {
		client.makeUnaryRequest(method, (b) => b, (b) => b, bytes, metadata, options,
			(error, reply) => (error ? reject(error) : resolve(reply)));
	});
}

// The code that it ends with.
const code = (promise) => promise.then(() => status.OK, (error) => error.code);

async function expectCode(promise, expected) {
	assert.strictEqual(await code(promise), expected);
}

// What all later calls must still get.
async function checkAlive(clients) {
	assert.deepStrictEqual(plain(await call(clients.unpkg, 'FindOne', { name: 'a' })),
		json('protos/expect/find_one.json').reply);
}

// The server does nothing while body runs.
async function stopped(server, body) {
	process.kill(server.pid, 'SIGSTOP');
	try {
		return await body();
	} finally {
		process.kill(server.pid, 'SIGCONT');
	}
}

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

const tests = {
	async calls(server) {
		const clients = connect(server);
		const wanted = json('servers/common/cities-1500.json').cities
			.map((c) => ({ ...c, lat: Math.fround(c.lat), lng: Math.fround(c.lng) }));
		for (let i = 0; i < 3; i++) {
			await checkAlive(clients);
			assert.deepStrictEqual(
				plain(await call(clients.unpkg, 'Publish', { name: 'koa', version: -3 })),
				{ message: 'koa@-3' });
			assert.deepStrictEqual(plain((await call(clients.cities, 'GetCities', {})).cities),
				wanted);
			assert.strictEqual((await call(clients.echo, 'Call', { name: 'wörld' })).msg,
				'Hello wörld');
		}
		const payloads = [];
		for (let i = 0; i < 5; i++) {
			payloads.push((await call(clients.echo, 'Call', { name: '32byte' })).payload);
		}
		assert(payloads.every((p) => p.length === 32));
		assert.strictEqual(new Set(payloads.map((p) => p.toString('hex'))).size, 5);
	},

	// Many calls at once over one connection, each with its own reply, large ones among them.
	async many(server) {
		const clients = connect(server);
		const calls = [];
		for (let i = 0; i < 1500; i++) {
			calls.push(call(clients.unpkg, 'Publish', { name: 'a', version: i }));
			if (i % 50 === 0) calls.push(raw(clients.cities, CITIES, Buffer.alloc(0)));
		}
		const replies = await Promise.all(calls);
		const published = replies.filter((r) => !Buffer.isBuffer(r));
		published.forEach((r, i) => assert.strictEqual(r.message, `a@${i}`));
		const cities = replies.filter((r) => Buffer.isBuffer(r));
		assert.strictEqual(cities.length, 30);
		assert(cities.every((c) => c.equals(cities[0])));
	},

	async errors(server) {
		const clients = connect(server);
		const zipped = connect(server,
			{ 'grpc.default_compression_algorithm': grpc.compressionAlgorithms.gzip });
		await expectCode(raw(clients.unpkg, '/unpkg.Unpkg/Nope', Buffer.alloc(0)),
			status.UNIMPLEMENTED);
		await expectCode(raw(clients.unpkg, '/none.None/FindOne', Buffer.alloc(0)),
			status.UNIMPLEMENTED);
		for (const bad of ['\n\x09koa-suit', '\n', '\x0b', '\xff']) {
			await expectCode(raw(clients.unpkg, FIND_ONE, Buffer.from(bad, 'latin1')),
				status.INVALID_ARGUMENT);
		}
		await expectCode(call(zipped.unpkg, 'FindOne', { name: 'x'.repeat(1000) }),
			status.UNIMPLEMENTED);
		const failure = await call(clients.echo, 'Call', { name: 'error' }).catch((e) => e);
		assert(failure instanceof Error && failure.details.length > 0);
		assert(![status.OK, status.UNIMPLEMENTED, status.UNAVAILABLE].includes(failure.code));
		await checkAlive(clients);
	},

	// With --body-limit 1000: a message of that size fits, and no larger one.
	async body_limit(server) {
		const clients = connect(server);
		await call(clients.unpkg, 'FindOne', { name: 'x'.repeat(997) });
		for (const size of [998, 100000, 3000000]) {
			await expectCode(call(clients.unpkg, 'FindOne', { name: 'x'.repeat(size) }),
				status.RESOURCE_EXHAUSTED);
		}
		await checkAlive(clients);
	},

	async metadata(server) {
		const clients = connect(server);
		const metadata = new grpc.Metadata();
		metadata.add('text', 'a');
		metadata.add('text', 'b');
		metadata.add('some-bin', Buffer.from([0, 255, 13, 10]));
		metadata.add('long', 'x'.repeat(8000));
		const replies = [];
		for (let i = 0; i < 20; i++) {
			replies.push(call(clients.unpkg, 'Publish', { name: 'm', version: i }, metadata));
		}
		(await Promise.all(replies)).forEach((r, i) => assert.strictEqual(r.message, `m@${i}`));
		// Over 16 KiB, in one frame: gRPC core does not add up those of a block in two. And it
		// drops the connection then.
		metadata.add('longer', 'x'.repeat(9900));
		await expectCode(call(clients.unpkg, 'FindOne', { name: 'a' }, metadata),
			status.RESOURCE_EXHAUSTED);
		await checkAlive(connect(server, { 'grpc.use_local_subchannel_pool': 1 }));
	},

	// The time is over, or the client has lost interest, before the server looks at the calls; some
	// may get there before it stops.
	async given_up(server) {
		const clients = connect(server);
		await checkAlive(clients);
		await stopped(server, async () => {
			const late = Array.from({ length: 100 }, () => code(raw(clients.cities, CITIES,
				Buffer.alloc(0), new grpc.Metadata(), deadline(200))));
			const cancelled = Array.from({ length: 100 }, () => new Promise((resolve) => {
				const running = clients.cities.GetCities({}, deadline(),
					(error) => resolve(error ? error.code : status.OK));
				setTimeout(() => running.cancel(), 100);
			}));
			const lateCodes = await Promise.all(late);
			assert(lateCodes.includes(status.DEADLINE_EXCEEDED));
			for (const got of lateCodes) {
				assert([status.OK, status.DEADLINE_EXCEEDED].includes(got), `code ${got}`);
			}
			for (const got of await Promise.all(cancelled)) {
				assert([status.OK, status.CANCELLED].includes(got), `code ${got}`);
			}
		});
		await checkAlive(clients);
	},

	// Calls that were sent before SIGTERM end well; gRPC core refuses those that it has not read.
	async drain(server) {
		const clients = connect(server);
		await checkAlive(clients);
		const calls = await stopped(server, async () => {
			const begun = Array.from({ length: 100 },
				() => code(call(clients.unpkg, 'FindOne', { name: 'a' })));
			await sleep(100);
			process.kill(server.pid, 'SIGTERM');
			return begun;
		});
		const allowed = server.name === 'grpc-core'
			? [status.OK, status.CANCELLED, status.UNAVAILABLE] : [status.OK];
		for (const got of await Promise.all(calls)) assert(allowed.includes(got), `code ${got}`);
		while (await code(call(clients.unpkg, 'FindOne', { name: 'a' })) !== status.UNAVAILABLE) {
			await sleep(20);
		}
	},
};

(async () => {
	for (const words of process.argv.slice(3)) {
		const [name, port, pid] = words.split(':');
		await tests[process.argv[2]]({ name, port, pid: Number(pid) });
	}
	process.exit(0);
})().catch((error) => {
	console.error(error);
	process.exit(1);
});
