'use strict';

// The routes of http-hello and http-json in koa. Usage: node koa.js [PORT]
const Koa = require('koa');
const data = require('./data');

// Fields of replies that a query may set: see "varied" in contestant.json.
const varied = { '/json': 'message', '/test': 'name' };
const routes = {
	'/': () => data.hello,
	'/plaintext': () => data.plaintext,
	'/json': data.message,
	'/test': data.findOne,
};

const app = new Koa();
app.use((ctx) => {
	const route = routes[ctx.path];
	if (route === undefined || ctx.method !== 'GET') return;
	const body = route();
	const text = ctx.querystring && ctx.query[varied[ctx.path]];
	if (text) body[varied[ctx.path]] = text;
	ctx.body = body;
});
const server = app.listen(Number(process.argv[2] || 0), '127.0.0.1', 65535, () => {
	console.log(`READY port=${server.address().port}`);
});
