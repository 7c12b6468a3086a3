// The wire log of one conversation with `local` (made by local_conversation.test.mjs with PARLEY_RECORD, gzipped): what was
// true of it when it was recorded, and that the same sound is still understood.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { connect } from './lib/openai_client.mjs';
import { startServer } from './lib/server.mjs';
import { violations } from './lib/trace.mjs';

const fixture = new URL('../data/local_conversation.jsonl.gz', import.meta.url);
const lines = gunzipSync(readFileSync(fixture)).toString().trim().split('\n').map((line) => JSON.parse(line));
const from = (side) => lines.filter((line) => line.from === side).map((line) => line.event);

let server;
before(async () => (server = await startServer('--model', 'local')));
after(async () => assert.equal((await server.stop()).code, 0));

test('the recording keeps every rule of an event log', () => assert.deepEqual(violations(from('server')), []));

test('in the recording speech over an answer ends it at once, and the next answer is whole', () => {
  const done = from('server').filter(({ type }) => type === 'response.done').map(({ response }) => response);
  assert.deepEqual(done.map(({ status }) => status), ['completed', 'cancelled', 'completed']);
  const at = (type, match = () => true) => lines.findIndex(({ event }) => event.type === type && match(event));
  const cancelled = at('response.done', ({ response }) => response.id === done[1].id);
  const started = lines.findLastIndex(({ event }, index) => index < cancelled && event.type === 'input_audio_buffer.speech_started');
  const between = lines.slice(started, cancelled).map(({ event }) => event.type);
  assert.ok(!between.some((type) => type.endsWith('.delta')), `between speech and ending: ${between}`);
});

test('the recorded sound is understood as it was', async () => {
  const client = await connect(server, { model: 'local' });
  const [settings] = from('client').filter(({ type }) => type === 'session.update');
  settings.session.audio.input.turn_detection = null;
  await client.ask(settings, 'session.updated');
  const firstTurn = lines.slice(0, lines.findIndex(({ event }) => event.type === 'input_audio_buffer.committed'));
  for (const { event } of firstTurn) if (event.type === 'input_audio_buffer.append') client.send(event);
  client.send({ type: 'input_audio_buffer.commit' });
  const { transcript } = await client.log.wait('conversation.item.input_audio_transcription.completed', 0);
  const recorded = from('server').find(({ type }) => type.endsWith('transcription.completed')).transcript;
  assert.ok(recorded.split(' ').filter((word) => transcript.includes(word)).length >= 6, `${transcript} for ${recorded}`);
  await client.close();
});
