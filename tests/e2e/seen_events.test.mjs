// Every server event that the C++ tests of runtime and server saw (they write them down, see tests/seen_events.hpp), and
// those of the recorded conversation, against the declarations of the openai package.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { check } from './lib/schema.mjs';

const folder = process.env.PARLEY_EVENTS_DIR;
const jsonLines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));

/** Counts the events by type and collects what is wrong with them, each fault once with an example. */
function judge(events, dialect, counts) {
  const faults = new Map();
  for (const event of events) {
    counts[event.type] = (counts[event.type] ?? 0) + 1;
    for (const fault of check(event, dialect)) if (!faults.has(fault)) faults.set(fault, `${fault}\n    in ${JSON.stringify(event).slice(0, 600)}`);
  }
  return [...faults.values()];
}

function report(counts, what) {
  const types = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
  console.log(`${what}: ${types.reduce((sum, [, count]) => sum + count, 0)} events\n${types.map(([type, count]) => `  ${count} ${type}`).join('\n')}`);
}

for (const dialect of ['ga', 'beta'])
  test(`what the C++ tests saw in ${dialect} is declared`, () => {
    const files = readdirSync(folder).filter((name) => name.endsWith(`-${dialect}.jsonl`));
    assert.ok(files.length > 0, `nothing was written to ${folder}`);
    const counts = {};
    const faults = files.flatMap((name) => judge(jsonLines(readFileSync(join(folder, name), 'utf8')), dialect, counts));
    report(counts, dialect);
    assert.ok(Object.keys(counts).length > 10);
    assert.equal(faults.length, 0, faults.join('\n'));
  });

test('what the recorded conversation holds is declared', () => {
  const lines = jsonLines(gunzipSync(readFileSync(new URL('../data/local_conversation.jsonl.gz', import.meta.url))).toString());
  const from = (side) => lines.filter((line) => line.from === side).map(({ event }) => event);
  const faults = [...judge(from('server'), 'ga', {}), ...from('client').flatMap((event) => check(event, 'ga', 'client'))];
  assert.equal(faults.length, 0, faults.join('\n'));
});
