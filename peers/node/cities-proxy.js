'use strict';

// cities-proxy's two legs in express, fetch and grpc-js. Usage: node cities-proxy.js PORT HTTP GRPC,
// the last two being the ports of cities-data. fetch keeps connections alive; one gRPC channel.
const path = require('path');
const express = require('express');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [port, httpPort, grpcPort] = process.argv.slice(2);
const definition = loader.loadSync(path.join(__dirname, '../../protos/city.proto'));
const { GeoCity } = grpc.loadPackageDefinition(definition).cityinfo;
const client = new GeoCity(`127.0.0.1:${grpcPort}`, grpc.credentials.createInsecure());

// 32-bit floats come as doubles with digits that nobody sent. The cities have five decimals.
const decimals = (value) => Math.round(value * 1e5) / 1e5;

const app = express();
app.disable('etag'); // cities-proxy sends none either

app.get('/cities-rest', async (req, res) => {
	const upstream = await fetch(`http://127.0.0.1:${httpPort}/cities`);
	if (!upstream.ok) throw new Error(`the upstream answered with status ${upstream.status}`);
	res.json(await upstream.json());
});

app.get('/cities-grpc', (req, res, next) => {
	client.getCities({}, (error, reply) => {
		if (error) return next(error);
		for (const city of reply.cities) {
			city.lat = decimals(city.lat);
			city.lng = decimals(city.lng);
		}
		return res.json(reply);
	});
});

const server = app.listen(Number(port), '127.0.0.1', 65535, () => {
	console.log(`READY port=${server.address().port}`);
});
