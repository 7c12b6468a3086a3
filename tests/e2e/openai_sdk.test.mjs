// The npm package `openai` against a scripted parley: text, speech, interruption, errors, both of its sockets.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { finished } from './lib/events.mjs';
import { connect, userText } from './lib/openai_client.mjs';
import { startServer } from './lib/server.mjs';
import { base64, concat, say, silence, stream } from './lib/speech.mjs';
import { violations } from './lib/trace.mjs';

let server;
before(async () => (server = await startServer('--model', 'scripted')));
after(async () => assert.equal((await server.stop()).code, 0));

const update = (session) => ({ type: 'session.update', session: { type: 'realtime', ...session } });
const manualText = update({ output_modalities: ['text'], audio: { input: { turn_detection: null } } });
const append = (samples) => ({ type: 'input_audio_buffer.append', audio: base64(samples) });

test('a text turn, and a second one that follows it', async () => {
  const client = await connect(server);
  const created = await client.log.wait('session.created', 0);
  assert.equal(created.session.model, 'scripted');
  const updated = await client.ask(manualText, 'session.updated');
  assert.deepEqual(updated.session.output_modalities, ['text']);
  assert.equal(updated.session.audio.input.turn_detection, null);

  const added = await client.ask(userText('Good morning.'), 'conversation.item.added');
  assert.equal(added.previous_item_id, null);
  let from = client.log.mark;
  client.send({ type: 'response.create', response: { metadata: { client_event_id: 'abc' } } });
  const first = await finished(client.log, from);
  assert.equal(first.done.status, 'completed');
  assert.deepEqual(first.created.metadata, { client_event_id: 'abc' });
  assert.equal(first.done.output[0].content[0].text, first.text);
  assert.ok(first.text.length > 0);
  assert.ok(first.done.usage.output_tokens > 0);

  const next = await client.ask(userText('And in the evening?'), 'conversation.item.added');
  assert.equal(next.previous_item_id, first.done.output[0].id);
  from = client.log.mark;
  client.send({ type: 'response.create' });
  assert.equal((await finished(client.log, from)).done.status, 'completed');
  assert.equal((await client.close()).code, 1000);
  assert.deepEqual(violations(client.log.all), []);
});

test('a spoken turn: commit, recognition, speech at playing speed, cancel, truncate', async () => {
  const client = await connect(server);
  await client.ask(update({ audio: { input: { turn_detection: null, transcription: { model: 'whisper-1' } } } }), 'session.updated');
  let from = client.log.mark;
  client.send(append(say('hello there')));
  client.send({ type: 'input_audio_buffer.commit' });
  const committed = await client.log.wait('input_audio_buffer.committed', from);
  const heard = await client.log.wait('conversation.item.input_audio_transcription.completed', from);
  assert.equal(heard.item_id, committed.item_id);
  assert.equal(heard.transcript, 'hello'); // what the script says it heard

  from = client.log.mark;
  client.send({ type: 'response.create' });
  const answer = await finished(client.log, from);
  assert.equal(answer.done.status, 'completed');
  assert.ok(answer.audio.length > 4800);
  assert.equal(answer.done.output[0].content[0].transcript, answer.transcript);

  await client.ask(userText('Tell me a long story.'), 'conversation.item.done');
  from = client.log.mark;
  client.send({ type: 'response.create' });
  const delta = await client.log.wait('response.output_audio.delta', from);
  client.send({ type: 'response.cancel' });
  client.send({ type: 'conversation.item.truncate', item_id: delta.item_id, content_index: 0, audio_end_ms: 100 });
  await client.log.wait('conversation.item.truncated', from);
  const story = await finished(client.log, from);
  assert.equal(story.done.status, 'cancelled');
  assert.equal(story.done.status_details.reason, 'client_cancelled');
  assert.equal(story.done.output[0].status, 'incomplete');
  const { item } = await client.ask({ type: 'conversation.item.retrieve', item_id: delta.item_id }, 'conversation.item.retrieved');
  assert.ok(item.content[0].transcript.length < story.transcript.length);
  await client.close();
  assert.deepEqual(client.log.since(0, 'error'), []);
  assert.deepEqual(violations(client.log.all), []);
});

test('the turn detector hears a question, answers it and is interrupted', async () => {
  const client = await connect(server);
  const detection = { type: 'server_vad', silence_duration_ms: 400, create_response: true, interrupt_response: true };
  await client.ask(update({ audio: { input: { turn_detection: detection } } }), 'session.updated');
  let from = client.log.mark;
  const sendPiece = (samples) => client.send(append(samples));
  await stream(concat(say('what is the weather in paris today'), silence(1.5)), sendPiece, () => client.log.since(from, 'response.created').length > 0);
  const started = await client.log.wait('input_audio_buffer.speech_started', from);
  const stopped = await client.log.wait('input_audio_buffer.speech_stopped', from);
  assert.equal(stopped.item_id, started.item_id);
  assert.ok(stopped.audio_end_ms > started.audio_start_ms);
  assert.equal((await finished(client.log, from)).done.status, 'completed');

  await client.ask(userText('Tell me a long story.'), 'conversation.item.done');
  from = client.log.mark;
  client.send({ type: 'response.create' });
  const { response_id: story } = await client.log.wait('response.output_audio.delta', from);
  const ended = () => client.log.since(from, 'response.done').some(({ response }) => response.id === story);
  await stream(concat(say('please stop talking now'), silence(1.5)), sendPiece, ended);
  const { response } = await client.log.wait('response.done', from);
  assert.equal(response.id, story);
  assert.equal(response.status_details.reason, 'turn_detected');
  const afterwards = client.log.mark;
  await stream(silence(1.5), sendPiece, () => client.log.since(afterwards, 'response.created').length > 0);
  const second = await client.log.wait((event) => event.type === 'response.created' && event.response.id !== story, from);
  await client.log.wait((event) => event.type === 'response.done' && event.response.id === second.response.id, from);
  await client.close();
  assert.deepEqual(violations(client.log.all), []);
});

test('bad input gets an error that names it and changes nothing', async () => {
  const client = await connect(server);
  await client.ask(manualText, 'session.updated');
  const refused = async (event, code) => {
    const { error } = await client.ask({ event_id: `bad-${code}`, ...event }, 'error');
    assert.equal(error.code, code);
    assert.equal(error.event_id, `bad-${code}`);
    return error;
  };
  assert.equal((await refused({ type: 'no.such.event' }, 'invalid_value')).param, 'type');
  assert.equal((await refused(update({ output_modalities: ['smell'] }), 'invalid_value')).param, 'session.output_modalities');
  await refused({ type: 'input_audio_buffer.append', audio: 'not base64!' }, 'invalid_value');
  await refused({ type: 'input_audio_buffer.commit' }, 'input_audio_buffer_commit_empty');
  assert.match((await refused({ type: 'response.cancel' }, 'response_cancel_not_active')).message, /^Cancellation failed/);
  client.socket.send('{"type": ');
  await client.log.wait(({ type, error }) => type === 'error' && error.event_id === null, 0);
  const updated = await client.ask(update({ instructions: 'Still here.' }), 'session.updated');
  assert.equal(updated.session.instructions, 'Still here.');
  assert.deepEqual(updated.session.output_modalities, ['text']);
  await client.close();
});

test('the browser socket carries the key as a subprotocol and gets `realtime` back', async () => {
  const client = await connect(server, { kind: 'websocket' });
  assert.equal(client.socket.protocol, 'realtime');
  await client.ask(manualText, 'session.updated');
  await client.ask(userText('Good morning.'), 'conversation.item.added');
  const from = client.log.mark;
  client.send({ type: 'response.create' });
  assert.equal((await finished(client.log, from)).done.status, 'completed');
  await client.close();
  assert.deepEqual(violations(client.log.all), []);
});

test('an out-of-band response leaves the conversation alone', async () => {
  const client = await connect(server);
  await client.ask(manualText, 'session.updated');
  const from = client.log.mark;
  client.send({ type: 'response.create', response: { conversation: 'none', metadata: { topic: 'x' }, input: [userText('Say yes.').item] } });
  const aside = await finished(client.log, from);
  assert.equal(aside.done.status, 'completed');
  assert.equal(aside.done.conversation_id, null);
  assert.deepEqual(aside.done.metadata, { topic: 'x' });
  assert.equal(client.log.since(from).some(({ type }) => type.startsWith('conversation.item.')), false);
  await client.close();
});
