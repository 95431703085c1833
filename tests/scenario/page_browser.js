// The page of results in headless Chromium, driven over its debugging pipe.
//
//   node page_browser.js PAGE.html TEST…           these of the tests below, in one browser
//   node page_browser.js PAGE.html shots FOLDER    screenshots, wide and narrow, light and dark
"use strict";
const assert = require("assert");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { spawn } = require("child_process");
const { pathToFileURL } = require("url");

const PATIENCE_MS = 30000; // for one answer of the browser

class Browser {
	constructor() {
		this.home = fs.mkdtempSync(path.join(os.tmpdir(), "page-"));
		this.process = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu",
			"--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
			`--user-data-dir=${this.home}`, "about:blank"], {
			stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
			detached: true,
			env: { ...process.env, HOME: this.home },
		});
		this.last = 0;
		this.waiting = new Map();
		this.complaints = [];
		this.requests = [];
		let text = "";
		this.process.stdio[4].setEncoding("utf8").on("data", (chunk) => {
			const messages = (text + chunk).split("\0");

			text = messages.pop();
			messages.forEach((message) => this.take(JSON.parse(message)));
		});
	}

	take(message) {
		const { method, params } = message;

		if (message.id !== undefined)
			this.waiting.get(message.id)(message);
		else if (method === "Runtime.exceptionThrown")
			this.complaints.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
		else if (method === "Runtime.consoleAPICalled")
			this.complaints.push(`console.${params.type}: ${JSON.stringify(params.args)}`);
		else if (method === "Log.entryAdded")
			this.complaints.push(params.entry.text);
		else if (method === "Network.requestWillBeSent")
			this.requests.push(params.request.url);
		else if (method === "Page.javascriptDialogOpening")
			this.complaints.push(`a dialog: ${params.message}`);
		else if (method === "Page.loadEventFired")
			this.loaded?.();
	}

	send(method, params = {}) {
		const id = ++this.last;

		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), PATIENCE_MS);

			this.waiting.set(id, (message) => {
				clearTimeout(timer);
				this.waiting.delete(id);
				if (message.error)
					reject(new Error(`${method}: ${message.error.message}`));
				else
					resolve(message.result);
			});
			this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId: this.session }) + "\0");
		});
	}

	// In a tab of its own, the only one.
	async open(file, { width = 1280, dark = false, scripts = true } = {}) {
		this.session = undefined;
		const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });

		if (this.target !== undefined)
			await this.send("Target.closeTarget", { targetId: this.target });
		this.target = targetId;
		this.complaints = [];
		this.requests = [];
		this.session = (await this.send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
		for (const domain of ["Page", "Runtime", "Log", "Network"])
			await this.send(`${domain}.enable`);
		await this.send("Emulation.setDeviceMetricsOverride",
			{ width, height: 900, deviceScaleFactor: 1, mobile: width < 600 });
		await this.send("Emulation.setEmulatedMedia",
			{ features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
		await this.send("Emulation.setScriptExecutionDisabled", { value: !scripts });
		const loaded = new Promise((resolve) => { this.loaded = resolve; });
		await this.send("Page.navigate", { url: pathToFileURL(path.resolve(file)).href });
		await loaded;
		if (scripts)
			await this.settle();
	}

	// Until the charts that an action asks for are drawn.
	settle() {
		return this.run(() => new Promise((resolve) => setTimeout(resolve, 200)));
	}

	async run(f, ...args) {
		const { result, exceptionDetails } = await this.send("Runtime.evaluate",
			{ expression: `(${f})(...${JSON.stringify(args)})`, awaitPromise: true, returnByValue: true });

		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
		return result.value;
	}

	async press(key, text) {
		const code = { Tab: 9, Enter: 13 }[key];

		await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, code: key, windowsVirtualKeyCode: code, text });
		await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode: code });
	}

	async choose(id, value) {
		await this.run((picker, chosen) => {
			const control = document.getElementById(picker);

			control.value = chosen;
			control.dispatchEvent(new Event("input", { bubbles: true }));
		}, id, value);
		await this.settle();
	}

	// Names of the rows that are shown, from top to bottom.
	names() {
		return this.run(() => [...document.querySelectorAll("#rows tr[data-row]")]
			.filter((row) => row.offsetParent !== null && row.getClientRects().length > 0)
			.map((row) => row.querySelector("th").textContent));
	}

	async shot(file) {
		const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true });

		fs.writeFileSync(file, Buffer.from(data, "base64"));
	}

	async close() {
		const ended = new Promise((resolve) => this.process.on("exit", resolve));

		try {
			process.kill(-this.process.pid, "SIGKILL");
		} catch (error) {
			assert.strictEqual(error.code, "ESRCH");
		}
		await ended;
		fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
	}
}

// How many pixels of each canvas are not transparent.
const painted = () => [...document.querySelectorAll("canvas")].map((canvas) => canvas.getContext("2d")
	.getImageData(0, 0, canvas.width, canvas.height).data.filter((byte, i) => i % 4 === 3 && byte > 0).length);

// The page is wider than the window.
const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

// Press the button of the column called @title.
const sortBy = (title) => [...document.querySelectorAll("#rows thead button")]
	.find((button) => button.textContent === title).click();

const tests = {
	// Loads without a complaint or a request, and draws four charts.
	async draws(browser, file) {
		await browser.open(file);
		const pixels = await browser.run(painted);
		assert.strictEqual(pixels.length, 4);
		pixels.forEach((count) => assert(count > 2000, `${count} pixels painted`));
		assert.strictEqual(await browser.run(() => document.querySelectorAll("#charts details table").length), 4);
		assert(await browser.run(() => document.querySelector("#chart-latency table").rows.length) > 3);
		assert.deepStrictEqual(browser.requests.filter((url) => !/^(file|data):/.test(url)), []);
		assert.strictEqual(browser.requests.filter((url) => url.startsWith("file:")).length, 1);
	},

	// Point at a bar: the chart tells its interval.
	async tooltips(browser, file) {
		await browser.open(file);
		const told = await browser.run(() => {
			const chart = Chart.getChart(document.querySelector("#chart-rps canvas"));

			chart.tooltip.setActiveElements([{ datasetIndex: 0, index: 0 }], { x: 0, y: 0 });
			chart.update();
			return [...chart.tooltip.title, ...chart.tooltip.body[0].lines];
		});
		assert.deepStrictEqual(told, ["http-c", "Requests per second: 499,500 (95 % interval 498,000–501,000)"]);
	},

	async sorts(browser, file) {
		await browser.open(file);
		await browser.choose("round", "limited.json");
		const ranked = await browser.names();
		assert.strictEqual(ranked[0], "http-c");
		const state = () => [...document.querySelectorAll("#rows th[aria-sort]")]
			.map((head) => [head.textContent, head.getAttribute("aria-sort")]);
		await browser.run(sortBy, "Requests/s");
		assert.deepStrictEqual(await browser.names(), ["http-a", "http-c", "http-b"]);
		assert.deepStrictEqual(await browser.run(state), [["Requests/s", "descending"]]);
		await browser.run(sortBy, "Requests/s");
		assert.deepStrictEqual(await browser.names(), ["http-b", "http-c", "http-a"]);
		assert.deepStrictEqual(await browser.run(state), [["Requests/s", "ascending"]]);
		await browser.run(sortBy, "Requests/s");
		assert.deepStrictEqual(await browser.run(state), []);
		assert.deepStrictEqual(await browser.names(), ranked);
		await browser.run(sortBy, "Contestant");
		assert.deepStrictEqual(await browser.names(), ["http-a", "http-b", "http-c"]);
	},

	// Rows without numbers stay below those that have some, either way round.
	async failures_last(browser, file) {
		await browser.open(file);
		await browser.choose("round", "round.json");
		await browser.choose("load", "10 × 1");
		for (let i = 0; i < 2; i++) {
			await browser.run(sortBy, "p99");
			assert.deepStrictEqual((await browser.names()).slice(4),
				["http-wrong", "http-half", "thrift-crash", await browser.run(() => document
					.querySelectorAll("#rows td.reason")[3].parentElement.querySelector("th").textContent),
				"node-koa"]);
		}
	},

	// By keys alone: to the button of a column, and Enter.
	async keyboard(browser, file) {
		await browser.open(file);
		await browser.choose("round", "limited.json");
		for (let i = 0; i < 30; i++) {
			await browser.press("Tab");
			if (await browser.run(() => document.activeElement.textContent === "Requests/s"))
				break;
		}
		assert.strictEqual(await browser.run(() => document.activeElement.tagName), "BUTTON");
		assert.notStrictEqual(await browser.run(() => getComputedStyle(document.activeElement).outlineStyle), "none");
		await browser.press("Enter", "\r");
		assert.deepStrictEqual(await browser.names(), ["http-a", "http-c", "http-b"]);
		assert.strictEqual(await browser.run(() => document.activeElement.textContent), "Requests/s");
	},

	async filters(browser, file) {
		await browser.open(file);
		const told = () => document.getElementById("count").textContent;
		await browser.choose("round", "");
		assert.strictEqual(await browser.run(told), "16 of 16 rows shown");
		await browser.choose("class", "bare");
		assert.deepStrictEqual(await browser.names(), ["http-a", "http-a"]);
		await browser.choose("class", "");
		await browser.choose("protocol", "thrift");
		await browser.choose("text", "UN seen");
		assert.deepStrictEqual(await browser.names(), ["thrift-unseen"]);
		assert.strictEqual(await browser.run(told), "1 of 16 rows shown");
		assert.strictEqual(await browser.run(() =>
			[...document.querySelectorAll("[data-notes]")].filter((notes) => !notes.hidden).length), 1);
		await browser.choose("text", "nobody");
		assert.match(await browser.run(told), /^0 of 16 rows shown/);
		assert.strictEqual(await browser.run(() =>
			[...document.querySelectorAll("canvas")].filter((canvas) => canvas.offsetParent !== null).length), 0);
		await browser.run(() => document.getElementById("reset").click());
		await browser.settle();
		assert.strictEqual(await browser.run(told), "16 of 16 rows shown");
		await browser.choose("round", "limited.json");
		assert.deepStrictEqual(await browser.run(() => [...document.getElementById("load").options]
			.map((option) => option.text)), ["all", "20 × 50"]);
	},

	// A narrow window scrolls the table in its box, and nothing else sideways.
	async narrow(browser, file) {
		await browser.open(file, { width: 360 });
		await browser.choose("round", "");
		assert.strictEqual(await browser.run(overflow), 0);
		await browser.run(() => document.querySelectorAll("details").forEach((part) => { part.open = true; }));
		assert.strictEqual(await browser.run(overflow), 0);
		assert(await browser.run(() => {
			const box = document.querySelector(".scroll");

			return box.scrollWidth > box.clientWidth;
		}));
	},

	// Colours follow the reader's choice, also while the page is open.
	async dark(browser, file) {
		const back = () => getComputedStyle(document.body).backgroundColor;
		const axis = () => Chart.getChart(document.querySelector("#chart-rps canvas")).options.scales.x.ticks.color;

		await browser.open(file, { dark: true });
		assert.strictEqual(await browser.run(back), "rgb(21, 24, 28)");
		assert.strictEqual(await browser.run(axis), "#e8e8e8");
		await browser.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "light" }] });
		await browser.settle();
		assert.strictEqual(await browser.run(back), "rgb(255, 255, 255)");
		assert.strictEqual(await browser.run(axis), "#1b1b1b");
	},

	// Without scripts: all rows, and no controls that do nothing.
	async plain(browser, file) {
		await browser.open(file, { scripts: false });
		const { root } = await browser.send("DOM.getDocument", { depth: -1 });
		const found = async (selector) => (await browser.send("DOM.querySelectorAll",
			{ nodeId: root.nodeId, selector })).nodeIds.length;

		assert.strictEqual(await found("#rows tr[data-row]"), 16);
		assert.strictEqual(await found("[hidden] tr"), 0);
		assert.strictEqual(await found("#controls:not([hidden])"), 0);
		assert.strictEqual(await found("#charts:not([hidden])"), 0);
		assert(await found("noscript p") > 0);
	},

	// What strangers wrote is text.
	async hostile(browser, file) {
		await browser.open(file);
		assert.strictEqual(await browser.run(() => document.scripts.length), 3);
		assert.deepStrictEqual(await browser.run(() => [...document.querySelectorAll("*")].flatMap((each) =>
			[...each.attributes].map((attribute) => attribute.name).filter((name) => name.startsWith("on")))), []);
		assert.strictEqual((await browser.names())[0], "</script><script>alert(1)</script>"
			.slice(0, 32) + "…");
		assert.strictEqual(await browser.run(() => document.querySelector("#chart-rps tbody th").textContent),
			`${(await browser.names())[0]}, 10 × 1`);
	},

	// Names for readers of screens.
	async labelled(browser, file) {
		await browser.open(file);
		const { nodes } = await browser.send("Accessibility.getFullAXTree");
		const named = (role) => nodes.filter((node) => !node.ignored && node.role?.value === role)
			.map((node) => node.name?.value);

		for (const role of ["combobox", "searchbox", "button", "image", "region"]) {
			assert(named(role).length > 0, `no ${role}`);
			named(role).forEach((name) => assert(name, `a ${role} without a name`));
		}
		assert.deepStrictEqual(named("combobox"), ["Round", "Load", "Class", "Protocol"]);
		assert.strictEqual(named("columnheader").filter((name) => name === "Contestant").length, 1);
		assert(named("rowheader").includes("http-a"));
		assert.strictEqual(named("status").length, 1);
	},
};

async function shots(browser, file, folder) {
	for (const width of [1280, 360]) {
		for (const dark of [false, true]) {
			await browser.open(file, { width, dark });
			await browser.shot(path.join(folder, `${width}-${dark ? "dark" : "light"}.png`));
		}
	}
}

async function main([file, ...names]) {
	const browser = new Browser();

	try {
		if (names[0] === "shots")
			return await shots(browser, file, names[1]);
		for (const name of names) {
			console.log(name);
			await tests[name](browser, file);
			assert.deepStrictEqual(browser.complaints, []);
		}
	} finally {
		await browser.close();
	}
}

main(process.argv.slice(2)).catch((error) => {
	console.error(error);
	process.exitCode = 1;
});
