// Turn detection by the server: statements 117 to 120.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, startDuplexServer, stopServers } from '../lib/duplex.mjs';
import { silenceBetween, spokenWords } from '../lib/duplex_speech.mjs';
import { concat, say } from '../lib/speech.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const listening = (model, { create_response = false, ...session } = {}) => open(server, model, { turn_detection: { type: 'server_vad', create_response }, ...session });
const hear = (client, ...parts) => parts.forEach((samples) => client.append(samples, { sample_rate_hz: 24000 }));
const boundaries = (client) => client.all.filter(({ type }) => /speech_(started|stopped)$/.test(type)).map(({ type }) => type.split('_').at(-1));
const speech = spokenWords('good morning to you');

test('statement 117: the start and the end of an utterance name one item, and where they are', async () => {
  const client = await listening('listener');
  hear(client, ...speech, silenceBetween);
  const started = await client.next('input_audio_buffer.speech_started');
  const stopped = await client.next('input_audio_buffer.speech_stopped');
  assert.equal(stopped.item_id, started.item_id);
  const { length } = concat(...speech);
  assert.ok(started.audio_start_ms >= 0 && started.audio_start_ms < stopped.audio_end_ms);
  assert.ok(stopped.audio_end_ms > (length / 24000) * 500 && stopped.audio_end_ms <= (length / 24000) * 1000 + 1200);
});
test('statement 117: a chunk with a whole utterance gives started, then stopped', async () => {
  const client = await listening('listener');
  hear(client, concat(silenceBetween, ...speech, silenceBetween));
  await client.next('input_audio_buffer.speech_stopped');
  assert.deepEqual(boundaries(client), ['started', 'stopped']);
});
test('statement 117: one that ends an utterance and starts the next gives stopped, then started', async () => {
  const client = await listening('listener');
  const words = say('good morning to you', { before: 0, after: 0 });
  const half = words.length >> 1;
  hear(client, concat(silenceBetween, words.slice(0, half)));
  const first = await client.next('input_audio_buffer.speech_started');
  hear(client, concat(words.slice(half), silenceBetween, words));
  assert.equal((await client.next('input_audio_buffer.speech_stopped')).item_id, first.item_id);
  assert.notEqual((await client.next('input_audio_buffer.speech_started')).item_id, first.item_id);
  await client.settled();
  assert.deepEqual(boundaries(client), ['started', 'stopped', 'started']);
});

const fanOut = ['input_audio_buffer.speech_stopped', 'conversation.item.added', 'conversation.item.created', 'input_audio_buffer.committed', 'conversation.item.done'];
test('statement 118: the end of an utterance commits it, and answers it', async () => {
  for (const turn_detection of [{ type: 'server_vad' }, { type: 'server_vad', create_response: true }]) {
    const client = await open(server, 'talker', { turn_detection });
    hear(client, ...speech, silenceBetween);
    const { item_id } = await client.next('input_audio_buffer.speech_started');
    const came = (await client.until('response.created')).filter(({ type }) => fanOut.includes(type));
    assert.deepEqual(came.map(({ type }) => type), fanOut);
    for (const event of came) assert.equal(event.item_id ?? event.item.id, item_id, event.type);
    await client.ended(client.of('response.created')[0].response_id);
  }
});
test('statement 118: with create_response false it answers nothing', async () => {
  const client = await listening('talker');
  hear(client, ...speech, silenceBetween);
  await client.next('input_audio_buffer.committed');
  await client.settled();
  assert.deepEqual(client.of('response.created'), []);
});
test('statement 118: on a session that answers on its own it commits nothing', async () => {
  const client = await listening('listener', { auto: true });
  hear(client, ...speech, silenceBetween);
  await client.next('input_audio_buffer.speech_stopped');
  await client.settled();
  assert.deepEqual(client.of('input_audio_buffer.committed'), []);
});

const resets = {
  'a clear': (client) => client.send({ type: 'input_audio_buffer.clear' }),
  'a commit': (client) => client.commit(),
  'a barge-in': (client) => client.send({ type: 'barge_in' }),
};
for (const [what, reset] of Object.entries(resets))
  test(`statement 120: ${what} resets the detector`, async () => {
    const client = await listening('listener');
    hear(client, ...speech.slice(0, -2));
    const first = await client.next('input_audio_buffer.speech_started');
    reset(client);
    await client.settled();
    const ended = client.of('input_audio_buffer.speech_stopped').length; // a commit ends the utterance, with its item
    hear(client, silenceBetween);
    await client.settled();
    assert.equal(client.of('input_audio_buffer.speech_stopped').length, ended);
    hear(client, ...speech);
    assert.notEqual((await client.next('input_audio_buffer.speech_started')).item_id, first.item_id);
  });
