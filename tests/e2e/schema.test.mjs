// The validator itself: it lets good events pass and catches planted faults, each with its path.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { check, eventTypes } from './lib/schema.mjs';

const at = { event_id: 'event_1', response_id: 'resp_1', item_id: 'item_1', output_index: 0, content_index: 0 };
const assistant = { id: 'item_1', object: 'realtime.item', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hi.' }] };
const good = {
  delta: { type: 'response.output_text.delta', ...at, delta: 'Hi' },
  heard: { type: 'conversation.item.input_audio_transcription.completed', event_id: 'event_1', item_id: 'item_1', content_index: 0, transcript: 'hi', usage: { type: 'duration', seconds: 1.5 } },
  added: {
    type: 'conversation.item.added', event_id: 'event_1', previous_item_id: null,
    item: { id: 'item_1', object: 'realtime.item', type: 'message', role: 'user', status: 'completed', content: [{ type: 'input_audio', transcript: null }] },
  },
  done: {
    type: 'response.done', event_id: 'event_1',
    response: { id: 'resp_1', object: 'realtime.response', status: 'cancelled', status_details: { type: 'cancelled', reason: 'turn_detected' }, output: [assistant], metadata: { topic: 'x' }, max_output_tokens: 'inf' },
  },
  updated: {
    type: 'session.updated', event_id: 'event_1',
    session: {
      id: 'sess_1', object: 'realtime.session', type: 'realtime', tracing: null, prompt: null, include: null, tool_choice: { type: 'function', name: 'look' },
      tools: [{ type: 'function', name: 'look', parameters: { type: 'object' } }], playback_commit_policy: 'estimate',
      audio: { input: { format: { type: 'audio/pcm', rate: 16000 }, transcription: null, turn_detection: { type: 'semantic_vad', eagerness: 'low' } } },
    },
  },
  transcribing: { type: 'session.updated', event_id: 'event_1', session: { id: 'sess_1', type: 'transcription', audio: { input: { transcription: { model: 'x' } } } } },
  error: { type: 'error', event_id: 'event_1', error: { type: 'invalid_request_error', code: null, message: 'No.', param: null, event_id: null } },
};

for (const [name, event] of Object.entries(good)) test(`a good event passes: ${name}`, () => assert.deepEqual(check(event, 'ga'), []));

/** The event with the member at the path set, or taken away when no value is given. */
function planted(event, path, value) {
  const changed = structuredClone(event);
  const names = path.split('.');
  const last = names.pop();
  const target = names.reduce((one, each) => one[each], changed);
  if (value === undefined) delete target[last];
  else target[last] = value;
  return changed;
}

const faults = [
  ['wrong type', 'delta', 'delta', 7, /^response\.output_text\.delta: delta: expected a string, is 7$/],
  ['wrong type of a number', 'delta', 'output_index', '0', /output_index: expected a number/],
  ['missing member', 'delta', 'item_id', undefined, /item_id: is missing/],
  ['missing member of a union', 'heard', 'usage.seconds', undefined, /usage\.seconds: is missing/],
  ['unknown member', 'delta', 'obfuscation', 'x', /obfuscation: is not declared/],
  ['unknown member inside a list', 'done', 'response.output.0.content.0.mood', 'x', /response\.output\[0\]\.content\[0\]\.mood: is not declared/],
  ['wrong enum', 'done', 'response.status', 'finished', /response\.status: expected "completed" \| .*, is "finished"/],
  ['wrong enum inside a union', 'done', 'response.output.0.content.0.type', 'text', /content\[0\]\.type: expected/],
  ['unknown alternative of a union', 'updated', 'session.audio.input.turn_detection.type', 'none', /turn_detection\.type: expected/],
  ['member of another alternative', 'updated', 'session.audio.input.turn_detection.silence_duration_ms', 5, /silence_duration_ms: is not declared/],
  ['null for an optional member', 'done', 'response.output', null, /response\.output: expected an array, is null/],
  ['null out of place', 'done', 'response.usage', null, /response\.usage: expected an object, is null/],
  ['a list for a map', 'done', 'response.metadata', ['x'], /response\.metadata: expected/],
  ['wrong value of an extension', 'updated', 'session.playback_commit_policy', 'never', /playback_commit_policy: expected/],
  ['member of the other kind of session', 'transcribing', 'session.instructions', 'x', /session\.instructions: is not declared/],
  ['type of event', 'delta', 'type', 'response.text.delta', /is no server event of ga/],
  ['no type', 'delta', 'type', undefined, /has no type/],
];
for (const [what, name, path, value, expected] of faults)
  test(`a planted fault is caught: ${what}`, () => {
    const found = check(planted(good[name], path, value), 'ga');
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0], expected);
  });

test('GA and beta each know only their own names', () => {
  assert.deepEqual(check({ ...good.delta, type: 'response.text.delta' }, 'beta'), []);
  assert.equal(check(good.delta, 'beta').length, 1);
  assert.equal(check(good.added, 'beta').length, 1);
});

test('client events are judged too', () => {
  assert.deepEqual(check({ type: 'session.update', session: { type: 'realtime', instructions: 'x' } }, 'ga', 'client'), []);
  assert.match(check({ type: 'session.update', session: { type: 'realtime', instruction: 'x' } }, 'ga', 'client')[0], /session\.instruction: is not declared/);
  assert.equal(check({ type: 'conversation.item.create' }, 'ga', 'client').length, 1);
});

test('the declarations were read whole', () => {
  for (const [dialect, side, least] of [['ga', 'server', 46], ['ga', 'client', 11], ['beta', 'server', 34], ['beta', 'client', 12]])
    assert.ok(eventTypes(dialect, side).size >= least, `${dialect} ${side}: ${eventTypes(dialect, side).size}`);
});
