'use strict';

// What every server answers.
exports.hello = 'Hello world';
exports.plaintext = 'Hello, World!';
exports.message = () => ({ message: 'Hello, World!' });
exports.findOne = () => ({
	name: 'rpc-server-benchmark',
	version: '1.0.0',
	description: 'The same reply from every protocol.',
	main: 'index.js',
	repository: {
		type: 'git',
		url: 'git+https://example.org/rpcbench/rpc-server-benchmark.git#v1',
	},
	author: 'rpcbench-dev',
	license: 'MIT',
});
