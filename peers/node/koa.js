'use strict';

// The routes of http-hello and http-json in koa. Usage: node koa.js [PORT]
const Koa = require('koa');
const data = require('./data');

const routes = {
	'/': () => data.hello,
	'/plaintext': () => data.plaintext,
	'/json': data.message,
	'/test': data.findOne,
};

const app = new Koa();
app.use((ctx) => {
	const route = routes[ctx.path];
	if (route !== undefined && ctx.method === 'GET') ctx.body = route();
});
const server = app.listen(Number(process.argv[2] || 0), '127.0.0.1', 65535, () => {
	console.log(`READY port=${server.address().port}`);
});
