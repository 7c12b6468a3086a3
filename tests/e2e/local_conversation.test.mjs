// One spoken conversation with the embedded `local` model: heard, answered, interrupted by speech, answered again. The answer
// is given back to a second session, which must understand it. PARLEY_RECORD=FILE keeps the wire log (the fixture
// tests/data/local_conversation.jsonl.gz was made so).
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { finished } from './lib/events.mjs';
import { connect, userText } from './lib/openai_client.mjs';
import { startServer } from './lib/server.mjs';
import { base64, concat, say, silence, stream } from './lib/speech.mjs';
import { violations } from './lib/trace.mjs';

let server;
before(async () => (server = await startServer('--model', 'local')));
after(async () => assert.equal((await server.stop()).code, 0));

const append = (samples) => ({ type: 'input_audio_buffer.append', audio: base64(samples) });
const listening = (turn_detection) => ({
  type: 'session.update',
  session: { type: 'realtime', audio: { input: { turn_detection, transcription: { model: 'local' } } } },
});

function record(client) {
  const file = process.env.PARLEY_RECORD;
  if (!file) return () => {};
  const lines = [];
  const start = Date.now();
  const note = (from, event) => lines.push(JSON.stringify({ ms: Date.now() - start, from, event }));
  const send = client.send.bind(client), push = client.log.push.bind(client.log);
  for (const event of client.log.all) note('server', event);
  client.send = (event) => (note('client', event), send(event));
  client.log.push = (event) => (note('server', event), push(event));
  return () => writeFileSync(file, lines.join('\n') + '\n');
}

test('heard, answered, interrupted, answered again; the answer is intelligible', async () => {
  const client = await connect(server, { model: 'local' });
  await client.log.wait('session.created', 0);
  const write = record(client);
  const from = client.log.mark;
  await client.ask(listening({ type: 'server_vad', silence_duration_ms: 500 }), 'session.updated');
  const speak = (samples, stop) => stream(samples, (piece) => client.send(append(piece)), stop);
  const created = (mark) => () => client.log.since(mark, 'response.created').length > 0;

  await speak(concat(say('what is the weather like in paris today'), silence(3)), created(from));
  const heard = await client.log.wait('conversation.item.input_audio_transcription.completed', from);
  assert.match(heard.transcript, /paris/);
  const answer = await finished(client.log, from);
  assert.equal(answer.done.status, 'completed');
  assert.match(answer.transcript, /paris/);

  const second = client.log.mark;
  await client.ask(userText('Tell me a long story.'), 'conversation.item.done');
  client.send({ type: 'response.create' });
  const { response_id: story } = await client.log.wait('response.output_audio.delta', second);
  const storyEnded = () => client.log.since(second, 'response.done').some(({ response }) => response.id === story);
  const afterStory = () => client.log.since(second, 'response.created').some(({ response }) => response.id !== story);
  await speak(concat(say('turn on the lights in the kitchen please'), silence(3)), afterStory);
  assert.ok(storyEnded());
  const cancelled = client.log.since(second, 'response.done')[0].response;
  assert.equal(cancelled.status_details.reason, 'turn_detected');
  const again = await client.log.wait((event) => event.type === 'response.done' && event.response.id !== story, second);
  assert.equal(again.response.status, 'completed');
  assert.match(again.response.output[0].content[0].transcript, /light|kitchen/);
  await client.close();
  write();
  assert.deepEqual(violations(client.log.all), []);
  assert.deepEqual(client.log.since(0, 'error'), []);

  const listener = await connect(server, { model: 'local' });
  await listener.ask(listening(null), 'session.updated');
  const spoken = new Int16Array(answer.audio.buffer.slice(answer.audio.byteOffset, answer.audio.byteOffset + answer.audio.length));
  listener.send(append(concat(silence(0.3), spoken, silence(0.3))));
  listener.send({ type: 'input_audio_buffer.commit' });
  const understood = await listener.log.wait('conversation.item.input_audio_transcription.completed', 0);
  assert.match(understood.transcript, /paris/);
  await listener.close();
});
