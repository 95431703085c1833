// Compares FOLDER/trial.hdr, as tests/stream wrote it, with what hdr-histogram-js, another
// implementation of HdrHistogram, makes of the same values: check_hdr.js FOLDER
'use strict';
const assert = require('assert');
const fs = require('fs');
const hdr = require('hdr-histogram-js');

const folder = process.argv[2];
const histogram = hdr.build({
  lowestDiscernibleValue: 1,
  highestTrackableValue: 4e12,
  numberOfSignificantValueDigits: 4,
});
for (const line of fs.readFileSync(`${folder}/values`, 'utf8').trim().split('\n'))
  histogram.recordValue(Number(line));

// A reader of such files takes what follows the header, and skips what begins with #.
function parse(text) {
  const [header, ...lines] = text.split('\n');
  const titles = ['Value', 'Percentile', 'TotalCount', '1/(1-Percentile)'];
  assert.deepStrictEqual(header.trim().split(/\s+/), titles);
  const rows = lines
    .filter((line) => line.trim() && !line.startsWith('#'))
    .map((line) => line.trim().split(/\s+/).map(Number));
  const footer = {};
  for (const [, name, value] of text.matchAll(/[[,]\s*([\w ]+?)\s*=\s*([\d.]+)/g))
    footer[name] = Number(value);
  return { rows, footer };
}

function near(found, truth, share, what) {
  const off = Math.abs(found - truth);
  assert.ok(off <= share * Math.abs(truth) + 1e-6, `${what}: ${found}, expected ${truth}`);
}

const ours = parse(fs.readFileSync(`${folder}/trial.hdr`, 'utf8'));
const theirs = parse(histogram.outputPercentileDistribution(5, 1e6, false));

let last = [0, 0, 0];
for (const row of ours.rows) {
  const [value, percentile, count, inverse] = row;
  const truth = histogram.getValueAtPercentile(100 * percentile) / 1e6;
  near(value, truth, 0.01, `value at ${percentile}`);
  const rises = value >= last[0] && percentile > last[1] - 1e-12 && count >= last[2];
  assert.ok(rises, `row ${row} after ${last}`);
  assert.ok(count >= Math.floor(percentile * histogram.totalCount), `count at ${percentile}`);
  if (row.length === 4) near(inverse, 1 / (1 - percentile), 0.01, `inverse at ${percentile}`);
  last = row;
}
assert.strictEqual(last.length, 3);
assert.strictEqual(last[1], 1);
assert.strictEqual(last[2], histogram.totalCount);
// The same rows as theirs, until no more values are above, which is sooner with wider buckets.
const rows = Math.min(ours.rows.length, theirs.rows.length) - 1;
for (let i = 0; i < rows; i++)
  near(ours.rows[i][1], theirs.rows[i][1], 1e-9, `percentile of row ${i}`);
near(ours.footer.Mean, theirs.footer.Mean, 0.005, 'mean');
near(ours.footer.StdDeviation, theirs.footer.StdDeviation, 0.01, 'standard deviation');
near(ours.footer.Max, theirs.footer.Max, 0.001, 'maximum');
assert.strictEqual(ours.footer['Total count'], theirs.footer['Total count']);
