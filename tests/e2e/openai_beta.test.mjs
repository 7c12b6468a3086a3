// The beta clients of the npm package `openai` against a scripted parley: classic names and the flat session, by both of
// its sockets. Clients of that time close the socket at any other name, so every event is held against the beta's types.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { finished } from './lib/events.mjs';
import { connect, userText } from './lib/openai_client.mjs';
import { eventTypes } from './lib/schema.mjs';
import { startServer } from './lib/server.mjs';
import { base64, concat, say, silence, stream } from './lib/speech.mjs';

let server;
before(async () => (server = await startServer('--model', 'scripted')));
after(async () => assert.equal((await server.stop()).code, 0));

const open = (kind = 'ws') => connect(server, { kind, dialect: 'beta' });
const update = (session) => ({ type: 'session.update', session });
const append = (samples) => ({ type: 'input_audio_buffer.append', audio: base64(samples) });
// What such a client was made for: declared, and not one of the names that came later.
const lateNames = ['conversation.created', 'conversation.item.retrieved', 'conversation.item.input_audio_transcription.delta'];

async function leave(client) {
  await client.close();
  for (const { type } of client.log.all) assert.ok(eventTypes('beta', 'server').has(type) && !lateNames.includes(type), `${type} was sent`);
}

for (const kind of ['ws', 'websocket'])
  test(`a text turn, and a second one that follows it (${kind})`, async () => {
    const client = await open(kind);
    const { session } = await client.log.wait('session.created', 0);
    assert.deepEqual(session.modalities, ['text', 'audio']);
    assert.equal(session.audio, undefined);
    await client.ask(update({ modalities: ['text'], turn_detection: null }), 'session.updated');
    const created = await client.ask(userText('Good morning.'), 'conversation.item.created');
    assert.equal(created.previous_item_id, null);
    const from = client.log.mark;
    client.send({ type: 'response.create', response: { metadata: { topic: 'x' } } });
    const first = await finished(client.log, from);
    assert.equal(first.done.status, 'completed');
    assert.deepEqual(first.created.metadata, { topic: 'x' });
    assert.deepEqual(first.created.modalities, ['text']);
    assert.ok(first.text.length > 0);
    assert.deepEqual(first.done.output[0].content, [{ type: 'text', text: first.text }]);
    const next = await client.ask(userText('And in the evening?'), 'conversation.item.created');
    assert.equal(next.previous_item_id, first.done.output[0].id);
    await leave(client);
  });

test('every field of the flat session is shown as it was set', async () => {
  const client = await open();
  const settings = {
    modalities: ['text', 'audio'], instructions: 'Be brief.', voice: 'alloy', speed: 1.1, input_audio_format: 'g711_ulaw', output_audio_format: 'g711_alaw',
    input_audio_transcription: { model: 'whisper-1', language: 'en' }, input_audio_noise_reduction: { type: 'far_field' },
    turn_detection: { type: 'server_vad', threshold: 0.6, prefix_padding_ms: 200, silence_duration_ms: 400, create_response: false, interrupt_response: false },
    tools: [{ type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } }], tool_choice: 'none', temperature: 0.7, max_response_output_tokens: 300,
  };
  const { session } = await client.ask(update(settings), 'session.updated');
  for (const [name, value] of Object.entries(settings)) assert.deepEqual(session[name], value, name);
  const { session: cleared } = await client.ask(update({ turn_detection: null, input_audio_transcription: null }), 'session.updated');
  assert.equal(cleared.turn_detection, null);
  assert.equal(cleared.input_audio_transcription, null);
  assert.equal(cleared.voice, 'alloy');
  await leave(client);
});

test('a spoken turn: commit, recognition, speech, cancel, truncate', async () => {
  const client = await open();
  await client.ask(update({ turn_detection: null, input_audio_transcription: { model: 'whisper-1' } }), 'session.updated');
  let from = client.log.mark;
  client.send(append(say('hello there')));
  client.send({ type: 'input_audio_buffer.commit' });
  const committed = await client.log.wait('input_audio_buffer.committed', from);
  const { item } = await client.log.wait('conversation.item.created', from);
  assert.equal(item.id, committed.item_id);
  assert.equal(item.content[0].transcript, null);
  const heard = await client.log.wait('conversation.item.input_audio_transcription.completed', from);
  assert.equal(heard.transcript, 'hello'); // what the script says it heard

  from = client.log.mark;
  client.send({ type: 'response.create' });
  const answer = await finished(client.log, from);
  assert.ok(answer.audio.length > 4800);
  assert.deepEqual(answer.done.output[0].content, [{ type: 'audio', transcript: answer.transcript }]);

  await client.ask(userText('Tell me a long story.'), 'conversation.item.created');
  from = client.log.mark;
  client.send({ type: 'response.create' });
  const delta = await client.log.wait('response.audio.delta', from);
  client.send({ type: 'response.cancel' });
  client.send({ type: 'conversation.item.truncate', item_id: delta.item_id, content_index: 0, audio_end_ms: 100 });
  await client.log.wait('conversation.item.truncated', from);
  const story = await finished(client.log, from);
  assert.equal(story.done.status_details.reason, 'client_cancelled');
  assert.deepEqual(client.log.since(0, 'error'), []);
  await leave(client);
});

test('a tool round trip: the result is in the answer', async () => {
  const client = await open();
  const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }];
  await client.ask(update({ modalities: ['text'], turn_detection: null, tools }), 'session.updated');
  await client.ask(userText('Use the get_weather tool: what is the weather in Paris?'), 'conversation.item.created');
  let from = client.log.mark;
  client.send({ type: 'response.create' });
  const { done, events } = await finished(client.log, from);
  const [call] = done.output;
  assert.equal(call.type, 'function_call');
  const of = (type) => events.filter((event) => event.type === `response.function_call_arguments.${type}`);
  assert.equal(of('delta').map(({ delta }) => delta).join(''), call.arguments);
  assert.equal(of('done')[0].call_id, call.call_id);
  assert.ok(JSON.parse(call.arguments).city.length > 0);
  await client.ask({ type: 'conversation.item.create', item: { type: 'function_call_output', call_id: call.call_id, output: 'It is sunny.' } }, 'conversation.item.created');
  from = client.log.mark;
  client.send({ type: 'response.create' });
  assert.match((await finished(client.log, from)).text, /sunny/);
  await leave(client);
});

test('speech over an answer ends it, and is answered', async () => {
  const client = await open('websocket');
  await client.ask(update({ turn_detection: { type: 'server_vad', silence_duration_ms: 400 } }), 'session.updated');
  await client.ask(userText('Tell me a long story.'), 'conversation.item.created');
  const from = client.log.mark;
  client.send({ type: 'response.create' });
  const { response_id: story } = await client.log.wait('response.audio.delta', from);
  const answeredAgain = () => client.log.since(from, 'response.created').some(({ response }) => response.id !== story);
  await stream(concat(say('please stop talking now'), silence(3)), (samples) => client.send(append(samples)), answeredAgain);
  const started = await client.log.wait('input_audio_buffer.speech_started', from);
  const { response } = await client.log.wait('response.done', from);
  assert.equal(response.id, story);
  assert.equal(response.status_details.reason, 'turn_detected');
  const committed = await client.log.wait('input_audio_buffer.committed', from);
  assert.equal(committed.item_id, started.item_id);
  const next = await client.log.wait((event) => event.type === 'response.done' && event.response.id !== story, from);
  assert.equal(next.response.status, 'completed');
  assert.deepEqual(client.log.since(0, 'error'), []);
  await leave(client);
});
