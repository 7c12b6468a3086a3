// The life of a response: statements 87 to 101.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bytesOf, open, openByQuery, startDuplexServer, stopServers, userText } from '../lib/duplex.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

/** One answer to speech, and everything from its beginning to rate_limits.updated. */
async function answered(model = 'talker', session = {}) {
  const client = await open(server, model, session);
  client.speak();
  const answer = await client.response();
  if (answer.audio.length > 0) await client.next('rate_limits.updated');
  const from = client.all.findIndex(({ type }) => type === 'response.created');
  return { client, ...answer, whole: client.all.slice(from, client.cursor) };
}
const deltaTypes = ['response.output_audio.delta', 'response.output_audio_transcript.delta', 'response.output_text.delta'];

test('statement 87: the order of a spoken response', async () => {
  const { whole } = await answered();
  assert.deepEqual(
    whole.map(({ type }) => type).filter((type) => !deltaTypes.includes(type)),
    [
      ...['response.created', 'conversation.item.added', 'conversation.item.created', 'response.output_item.added', 'response.content_part.added'],
      ...['response.speak', 'response.output_audio.done', 'response.output_audio_transcript.done', 'response.content_part.done'],
      ...['response.output_item.done', 'conversation.item.done', 'response.done', 'rate_limits.updated'],
    ],
  );
  const at = whole.map(({ type }, i) => [type, i]).filter(([type]) => deltaTypes.includes(type)).map(([, i]) => i);
  assert.ok(at.length > 0);
  assert.deepEqual(at, at.map((_, i) => at[0] + i));
  assert.equal(whole[at[0] - 1].type, 'response.speak');
});

test('statement 88: what response.created says', async () => {
  const { id, events } = await answered();
  const { response_id, response } = events[0];
  assert.equal(response_id, id);
  const { metadata, modalities, ...rest } = response;
  assert.deepEqual([rest.id, rest.object, rest.status, rest.status_details, rest.output], [id, 'realtime.response', 'in_progress', null, []]);
  assert.deepEqual([...modalities].sort(), ['audio', 'text']);
  assert.equal(typeof metadata.duplex_event, 'object');
});

test('statement 89: without audio in the modalities there is a text part alone', async () => {
  const { types, of, text, created } = await answered('talker', { modalities: ['text'] });
  assert.deepEqual(created.modalities, ['text']);
  assert.ok(!types.some((type) => type.includes('audio')), types.join());
  const [added] = of('response.content_part.added');
  assert.deepEqual([of('response.content_part.added').length, added.content_index], [1, 0]);
  assert.match(added.part.type, /text$/);
  assert.equal(types[types.indexOf('response.content_part.added') + 1], 'response.output_text.delta');
  assert.equal(text, 'I heard you well.');
  assert.equal(of('response.output_text.done')[0].text, text);
});

test('statement 90, 92: what every delta of audio says', async () => {
  const { client, id, item, deltas } = await answered();
  assert.ok(deltas.length > 1);
  for (const { metadata, delta, ...event } of deltas) {
    const { response_id, item_id, output_index, content_index, format, sample_rate_hz } = event;
    assert.deepEqual([response_id, item_id, output_index, content_index, format, sample_rate_hz], [id, item, 0, 0, 'pcm16', 24000]);
    assert.ok(delta.length > 0);
    assert.equal(bytesOf(delta).toString('base64'), delta);
    assert.equal(bytesOf(delta).length % 2, 0);
    assert.deepEqual([metadata.session_id, metadata.epoch, metadata.model_speak], [client.id, 0, true]);
    assert.equal(typeof metadata.end_of_turn, 'boolean');
    assert.ok(Number.isInteger(metadata.audio_duration_ms));
    assert.ok(Array.isArray(metadata.audio_text_marks));
    assert.deepEqual(Object.keys(metadata.playback).sort(), ['committed_ms', 'generated_ms', 'played_ms', 'sent_ms']);
  }
});

test('statement 91: durations and marks are those of the response so far', async () => {
  for (const [model, length] of [['talker', 400], ['two_seconds', 2000], ['eight_words', 2400]]) {
    const { deltas, transcript } = await answered(model);
    let samples = 0;
    let last = { text_chars: 0, audio_end_ms: 0 };
    for (const { delta, metadata } of deltas) {
      samples += bytesOf(delta).length / 2;
      assert.equal(metadata.audio_duration_ms, Math.round((samples * 1000) / 24000));
      for (const mark of metadata.audio_text_marks) {
        assert.ok(mark.text_chars >= last.text_chars && mark.audio_end_ms >= last.audio_end_ms, JSON.stringify([last, mark]));
        assert.ok(mark.audio_end_ms <= metadata.audio_duration_ms, JSON.stringify(metadata));
        last = mark;
      }
    }
    assert.deepEqual([last, deltas.at(-1).metadata.audio_duration_ms], [{ text_chars: transcript.length, audio_end_ms: length }, length]);
  }
});

for (const [format, bytes, rate] of [['g711_ulaw', 3200, 8000], ['pcm_s16le', 19200, 24000]])
  test(`statement 90: the format of the session, ${format}`, async () => {
    const { audio, deltas } = await answered('talker', { output_audio_format: format });
    for (const delta of deltas) assert.equal(delta.sample_rate_hz, rate);
    assert.ok(Math.abs(audio.length - bytes) <= 200, `${audio.length} bytes`);
  });

test('statement 93: one piece of transcript for each of audio, at once', async () => {
  const { events, transcript } = await answered();
  const pieces = events.filter(({ type }) => deltaTypes.includes(type));
  pieces.forEach(({ type }, i) => assert.equal(type, deltaTypes[i % 2]));
  assert.equal(pieces.length % 2, 0);
  assert.equal(transcript, 'I heard you well.');
});

test('statement 94: the transcript as a whole, and one end of the audio', async () => {
  const { of, transcript } = await answered();
  assert.deepEqual(of('response.output_audio_transcript.done').map((event) => event.transcript), [transcript]);
  assert.equal(of('response.output_audio.done').length, 1);
  const { types } = await answered('listener');
  assert.ok(!types.some((type) => type.includes('audio')), types.join());
});

test('statement 95: response.done', async () => {
  const { client, id, item, done, transcript } = await answered();
  assert.deepEqual([done.id, done.status, done.output.length], [id, 'completed', 1]);
  assert.ok(done.status_details === null || done.status_details.type === 'completed', JSON.stringify(done.status_details));
  const [{ content, ...final }] = done.output;
  assert.deepEqual([final.id, final.type, final.role, final.status], [item, 'message', 'assistant', 'completed']);
  assert.deepEqual(content.map(({ type, transcript: text }) => [type, text]), [['output_audio', transcript]]);
  const { metadata } = done;
  assert.deepEqual([metadata.session_id, metadata.response_id, metadata.epoch], [client.id, id, 0]);
  assert.deepEqual([metadata.playback.generated_ms, metadata.playback.sent_ms], [400, 400]);
});

test('statement 96: rate_limits.updated follows at once, and is empty', async () => {
  const { whole } = await answered();
  assert.equal(whole.at(-2).type, 'response.done');
  assert.deepEqual(whole.at(-1).rate_limits, []);
});

test('statement 97: a precreated response ends failed with its append', async () => {
  const client = await openByQuery(server, 'failing_at_the_end');
  client.allows('engine_error', 'runtime_append_failed');
  client.tone(1100); // five units, and one that the commit flushes
  client.commit({ response_create: true });
  const { done } = await client.response();
  assert.equal(done.status, 'failed');
  assert.equal(done.status_details.reason, 'runtime_append_failed');
  await client.settled(); // the session goes on
});

test('statement 98: an engine that fails under a response: the error, the end of it, the end of the session', async () => {
  const client = await open(server, 'lost', { auto: true });
  client.tone(200);
  const { id } = await client.speaking();
  client.tone(200);
  const error = await client.error('runtime_data_plane_stream_failed');
  await client.closed;
  const { done } = client.summary(id);
  assert.equal(done.status, 'failed');
  const order = client.all.slice(client.all.indexOf(error)).map(({ type }) => type);
  assert.ok(order.indexOf('response.done') > 0, order.join());
  assert.equal(order.at(-1), 'session.closed');
});

test('statement 99: one response at a time', async () => {
  const client = await openByQuery(server, 'two_seconds');
  client.speak();
  const { id } = await client.speaking();
  client.speak();
  await client.refused({ type: 'response.create' }, 'response_already_active');
  const next = await client.next('response.created');
  const done = client.all.find(({ type, response }) => type === 'response.done' && response.id === id);
  assert.ok(client.all.indexOf(done) < client.all.indexOf(next));
  await client.ended(next.response_id);
});

test('statement 100: a response goes on over units and commits', async () => {
  const client = await open(server, 'eager_two_seconds', { auto: true });
  client.tone(200);
  const { id } = await client.speaking();
  for (let unit = 0; unit < 3; ++unit) client.tone(200);
  client.tone(100);
  client.commit();
  await client.next('input_audio_buffer.committed');
  const { transcript, done } = await client.ended(id);
  assert.deepEqual([transcript, done.status], ['These are the eight words of one turn.', 'completed']);
  await client.settled();
  assert.equal(client.of('response.created').length, 1);
});

test('statement 101: a function call', async () => {
  const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }];
  const client = await open(server, 'talker', { tools });
  client.send(userText('Use the get_weather tool: what is the weather in Paris?'));
  await client.next('conversation.item.done');
  client.send({ type: 'response.create' });
  const { done, types, of } = await client.response();
  const [call] = done.output;
  assert.deepEqual([call.type, call.name], ['function_call', 'get_weather']);
  assert.ok(call.call_id.length > 0 && JSON.parse(call.arguments).city.length > 0);
  const mine = client.all.slice(client.all.findIndex(({ type }) => type === 'response.created'));
  const argumentDeltas = 'response.function_call_arguments.delta';
  assert.deepEqual(
    mine.slice(0, mine.findIndex(({ type }) => type === 'response.done') + 1).map(({ type }) => type).filter((type, i, all) => type !== argumentDeltas || all[i - 1] !== type),
    [
      ...['response.created', 'conversation.item.added', 'conversation.item.created', 'response.output_item.added', argumentDeltas],
      ...['response.function_call_arguments.done', 'response.output_item.done', 'conversation.item.done', 'response.done'],
    ],
  );
  assert.equal(client.of('conversation.item.added').at(-1).item.type, 'function_call');
  assert.equal(of(argumentDeltas).map(({ delta }) => delta).join(''), call.arguments);
  assert.ok(types.includes('response.function_call_arguments.done'));
});
