// Sorts and filters the rows that the page has, and draws charts of those it shows.
"use strict";
(function () {
	const BARS = 40; // rows in a chart of bars
	const LINES = 12; // rows in a chart of lines
	const BAR_PX = 26;
	const COLORS = 7; // --series-0 … in page.css
	const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
	const POINTS = ["circle", "triangle", "rect", "star"];

	const byId = (id) => document.getElementById(id);
	const data = JSON.parse(byId("data").textContent);
	const table = byId("rows");
	const bodies = [...table.tBodies];
	const heads = [...table.tHead.rows[0].cells];
	const pickers = { round: byId("round"), load: byId("load"), class: byId("class"), protocol: byId("protocol") };
	const text = byId("text");
	const rows = [...table.querySelectorAll("tr[data-row]")].map((tr, place) => {
		const row = data.rows[Number(tr.dataset.row)];
		const name = tr.querySelector("th").textContent;

		return { ...row, tr, place, name, words: `${name} ${row.description || ""}`.toLowerCase() };
	});
	const names = [...new Set(rows.map((row) => row.name))];
	const sorting = { column: -1, descending: false };
	const charts = new Map();
	let timer = 0;

	/* ---------------------------------------------------------------- texts */

	const count = (number) => Math.round(number).toLocaleString("en-US");

	function duration(ns) {
		const [unit, size] = ns < 1e3 ? ["ns", 1] : ns < 1e6 ? ["us", 1e3] : ns < 1e9 ? ["ms", 1e6] : ["s", 1e9];

		return Number((ns / size).toPrecision(3)) + unit;
	}

	function element(name, content, attributes) {
		const made = document.createElement(name);

		made.textContent = content;
		for (const [key, value] of Object.entries(attributes || {}))
			made.setAttribute(key, value);
		return made;
	}

	/* ---------------------------------------------------------------- rows */

	function fill(picker, all, values) {
		const before = picker.value;

		picker.replaceChildren(new Option(all, ""), ...values.map(([value, title]) => new Option(title, value)));
		picker.value = values.some(([value]) => value === before) ? before : "";
	}

	// Each value once, in the order of the rows.
	const distinct = (values) => [...new Set(values)].map((value) => [value, value]);

	const inRound = (group) => pickers.round.value === "" || group.file === pickers.round.value;

	function fillLoads() {
		fill(pickers.load, "all", distinct(data.groups.filter(inRound).map((group) => group.load)));
	}

	function fillPickers() {
		const rounds = new Map(data.groups.map((group) => [group.file, group.title]));

		fill(pickers.round, "all", [...rounds]);
		fill(pickers.class, "all", distinct(rows.map((row) => row.class)));
		fill(pickers.protocol, "all", distinct(rows.map((row) => row.protocol)));
	}

	function isChosen(row) {
		const group = data.groups[row.group];

		return inRound(group) && ["", group.load].includes(pickers.load.value) &&
			["", row.class].includes(pickers.class.value) &&
			["", row.protocol].includes(pickers.protocol.value) &&
			text.value.toLowerCase().split(/\s+/).every((word) => row.words.includes(word));
	}

	const shown = () => rows.filter((row) => !row.tr.hidden);

	function filter() {
		let visible;

		rows.forEach((row) => { row.tr.hidden = !isChosen(row); });
		visible = shown();
		bodies.forEach((body, group) => { body.hidden = !visible.some((row) => row.group === group); });
		document.querySelectorAll("[data-notes]").forEach((notes) => {
			notes.hidden = bodies[Number(notes.dataset.notes)].hidden;
		});
		byId("count").textContent = `${visible.length} of ${rows.length} rows shown` +
			(visible.length === 0 ? "; Show all brings them back" : "");
		draw();
	}

	// Numbers before texts; what is absent comes last in either direction.
	function compare(a, b) {
		const x = a.sort[sorting.column];
		const y = b.sort[sorting.column];
		let order;

		if (x === null || y === null)
			return (x === null) - (y === null) || a.place - b.place;
		order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), "en");
		return (sorting.descending ? -order : order) || a.place - b.place;
	}

	// Within each load: rows of different ones are not ranked against each other.
	function sort() {
		rows.sort(sorting.column < 0 ? (a, b) => a.place - b.place : (a, b) => a.group - b.group || compare(a, b));
		rows.forEach((row) => bodies[row.group].append(row.tr));
		heads.forEach((head, column) => {
			if (column === sorting.column)
				head.setAttribute("aria-sort", sorting.descending ? "descending" : "ascending");
			else
				head.removeAttribute("aria-sort");
		});
	}

	// First the better way round, then the other, then the order of the ranks again.
	function turn(column) {
		const first = heads[column].dataset.first === "descending";

		if (sorting.column !== column)
			Object.assign(sorting, { column, descending: first });
		else if (sorting.descending === first)
			sorting.descending = !first;
		else
			sorting.column = -1;
		sort();
		draw();
	}

	/* ---------------------------------------------------------------- charts */

	const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

	// A contestant looks the same in every chart.
	function look(row) {
		const number = names.indexOf(row.name);
		const turns = Math.floor(number / COLORS);

		return {
			borderColor: color(`--series-${number % COLORS}`),
			backgroundColor: color(`--series-${number % COLORS}`),
			borderDash: DASHES[turns % DASHES.length],
			pointStyle: POINTS[turns % POINTS.length],
		};
	}

	// With the load, when rows of several are shown.
	function labels(list) {
		const several = new Set(list.map((row) => row.group)).size > 1;
		const rounds = new Set(list.map((row) => data.groups[row.group].file)).size > 1;

		return list.map((row) => {
			const group = data.groups[row.group];

			return row.name + (rounds ? `, ${group.round}` : "") + (several ? `, ${group.load}` : "");
		});
	}

	const whiskers = {
		id: "whiskers",
		afterDatasetsDraw(chart) {
			const context = chart.ctx;
			const { x, y } = chart.scales;

			context.save();
			context.beginPath();
			chart.data.datasets[0].intervals.forEach(([, low, high], i) => {
				const middle = y.getPixelForValue(i);
				const [from, to] = [x.getPixelForValue(low), x.getPixelForValue(high)];

				if (low === null || high === null)
					return;
				context.moveTo(from, middle);
				context.lineTo(to, middle);
				for (const end of [from, to]) {
					context.moveTo(end, middle - 5);
					context.lineTo(end, middle + 5);
				}
			});
			// With a rim, to be seen on every bar.
			for (const [style, width] of [[color("--back"), 4], [color("--text"), 1.5]]) {
				context.strokeStyle = style;
				context.lineWidth = width;
				context.stroke();
			}
			context.restore();
		},
	};

	function axis(title, more) {
		return {
			title: { display: true, text: title, color: color("--text") },
			ticks: { color: color("--text") },
			grid: { color: color("--line") },
			...more,
		};
	}

	// The numbers of a chart, for those who cannot see or point at it.
	function numbers(figure, head, lines) {
		const list = document.createElement("table");
		const box = element("div", "", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Numbers of this chart" });
		const titles = list.createTHead().insertRow();
		const body = list.createTBody();

		head.forEach((title) => titles.append(element("th", title, { scope: "col" })));
		lines.forEach(([name, ...values]) => {
			const line = body.insertRow();

			line.append(element("th", name, { scope: "row" }));
			values.forEach((value) => line.append(element("td", value, { class: "right" })));
		});
		box.append(list);
		figure.querySelector("details").replaceChildren(element("summary", "Show the numbers"), box);
	}

	// Puts a chart into its figure, or says why there is none.
	function put(id, list, height, most, config) {
		const figure = byId(id);
		const canvas = figure.querySelector("canvas");
		const remark = figure.querySelector("p");
		const drawn = Math.min(list.length, most);

		charts.get(id)?.destroy();
		charts.delete(id);
		remark.textContent = list.length === 0 ? "No row that is shown has these numbers."
			: list.length > most ? `The first ${most} of ${list.length} rows.` : "";
		figure.querySelector(".plot").hidden = list.length === 0;
		figure.querySelector("details").hidden = list.length === 0;
		if (list.length === 0)
			return;
		canvas.parentElement.style.height = `${height}px`;
		canvas.setAttribute("aria-label", `${figure.querySelector("figcaption").textContent.trim()} ${drawn} contestants; the numbers follow.`);
		config.options = {
			animation: false,
			responsive: true,
			maintainAspectRatio: false,
			...config.options,
		};
		charts.set(id, new Chart(canvas, config));
	}

	function drawBars(id, field, title, visible) {
		const list = visible.filter((row) => row[field] !== null);
		const some = list.slice(0, BARS);
		const intervals = some.map((row) => row[field]);
		const looks = some.map(look);
		const told = ([median, low, high]) => count(median) +
			(low === null || high === null ? "" : ` (95 % interval ${count(low)}–${count(high)})`);

		put(id, list, 80 + BAR_PX * some.length, BARS, {
			type: "bar",
			plugins: [whiskers],
			data: {
				labels: labels(some),
				datasets: [{
					data: intervals.map(([median]) => median),
					intervals,
					backgroundColor: looks.map((each) => each.backgroundColor),
					borderColor: color("--text"),
					borderWidth: 1,
					maxBarThickness: BAR_PX,
				}],
			},
			options: {
				indexAxis: "y",
				scales: {
					x: axis(title, {
						beginAtZero: true,
						suggestedMax: Math.max(0, ...intervals.map((each) => Math.max(...each))),
					}),
					y: axis("", { title: { display: false }, grid: { display: false } }),
				},
				plugins: {
					legend: { display: false },
					tooltip: { callbacks: { label: (item) => `${title}: ${told(intervals[item.dataIndex])}` } },
				},
			},
		});
		numbers(byId(id), ["Contestant", "Median", "95 % interval"], some.map((row, i) => [labels(some)[i],
			count(intervals[i][0]),
			intervals[i][1] === null ? "—" : `${count(intervals[i][1])}–${count(intervals[i][2])}`]));
	}

	// @points: the values of a row, one for each of @places, and @format for people.
	function drawLines(id, list, lines) {
		const some = list.slice(0, LINES);
		const titles = labels(some);

		put(id, list, 380 + 14 * some.length, LINES, {
			type: "line",
			data: {
				labels: lines.places,
				datasets: some.map((row, i) => ({
					...look(row),
					label: titles[i],
					data: lines.points(row),
					borderWidth: 2,
					pointRadius: 3,
				})),
			},
			options: {
				interaction: { mode: "nearest", intersect: false },
				scales: { x: axis(lines.across), y: axis(lines.up, lines.scale) },
				plugins: {
					legend: { position: "bottom", align: "start", labels: { color: color("--text"), usePointStyle: true, boxHeight: 7 } },
					tooltip: {
						callbacks: {
							title: ([item]) => `${lines.across} ${item.label}`,
							label: (item) => `${item.dataset.label}: ${lines.format(item.parsed.y)}`,
						},
					},
				},
			},
		});
		numbers(byId(id), [lines.across, ...lines.places], some.map((row, i) => [titles[i],
			...lines.points(row).map((value) => value === null ? "—" : lines.format(value))]));
	}

	function drawLatency(visible) {
		const list = visible.filter((row) => row.latency_ns !== null);

		drawLines("chart-latency", list, {
			places: data.percentiles.map(({ name, share }) => /^m/.test(name) ? name : String(share)),
			points: (row) => row.latency_ns,
			format: duration,
			across: "Percentile",
			up: "Latency",
			scale: {
				type: "logarithmic",
				ticks: {
					color: color("--text"),
					callback: (value) => /^[125]/.test(value.toExponential()) && Number.isInteger(Number(value.toPrecision(1)) / value) ? duration(value) : null,
				},
			},
		});
	}

	function drawTime(visible) {
		const list = visible.filter((row) => row.series.length > 0);
		const seconds = Math.max(0, ...list.slice(0, LINES).map((row) => row.series.length));

		drawLines("chart-time", list, {
			places: Array.from({ length: seconds }, (_, i) => String(i + 1)),
			points: (row) => row.series,
			format: count,
			across: "Second",
			up: "Requests per second",
			scale: { beginAtZero: true },
		});
	}

	function drawAll() {
		const visible = shown();

		drawBars("chart-rps", "rps", "Requests per second", visible);
		drawBars("chart-cpu", "rps_per_server_cpu_s", "Requests per server CPU-second", visible);
		drawLatency(visible);
		drawTime(visible);
	}

	// Once for several changes in a row, such as letters being typed.
	function draw() {
		clearTimeout(timer);
		timer = setTimeout(drawAll, 50);
	}

	/* ---------------------------------------------------------------- the page */

	function save() {
		const link = document.createElement("a");

		link.href = URL.createObjectURL(new Blob([byId("data").textContent], { type: "application/json" }));
		link.download = "rpcbench.json";
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10000);
	}

	function prepare() {
		heads.forEach((head, column) => {
			const button = element("button", head.textContent.trim(), { type: "button" });

			button.addEventListener("click", () => turn(column));
			head.replaceChildren(button);
		});
		document.querySelectorAll("#charts figure").forEach((figure) => {
			const plot = element("div", "", { class: "plot" });

			plot.append(element("canvas", "", { role: "img" }));
			figure.append(plot, element("p", "", { class: "quiet" }), element("details", ""));
		});
		byId("controls").addEventListener("submit", (event) => event.preventDefault());
		byId("controls").addEventListener("reset", () => setTimeout(() => { fillLoads(); filter(); }));
		pickers.round.addEventListener("input", fillLoads);
		for (const control of [...Object.values(pickers), text])
			control.addEventListener("input", filter);
		byId("save").addEventListener("click", save);
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
		for (const id of ["controls", "charts", "download"])
			byId(id).hidden = false;
	}

	prepare();
	fillPickers();
	pickers.round.value = data.groups.length > 0 ? data.groups[0].file : "";
	fillLoads();
	filter();
})();
