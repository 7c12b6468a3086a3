// input_audio_buffer.commit: statements 59 to 74.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, openByQuery, startDuplexServer, stopServers, tone } from '../lib/duplex.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const commit = (more = {}) => ({ type: 'input_audio_buffer.commit', ...more });
const typesOf = (events) => events.map(({ type }) => type);
const ofInput = (events) => events.filter(({ type }) => /^(input_audio_buffer|conversation)\./.test(type));
const none = (events, type) => assert.deepEqual(events.filter((event) => event.type === type), []);

/** The answer to a commit that says that there was silence. */
async function silenceDeclared(client) {
  const { event } = await client.next('input_audio_buffer.committed');
  assert.deepEqual([event.empty, event.is_speech, event.no_response], [true, false, true]);
  const { response } = await client.next('response.listen');
  assert.deepEqual([response.status, response.metadata.reason], ['listening', 'silence_or_noise']);
  none(await client.settled(), 'response.created');
}

test('statement 59: a commit of nothing is input_audio_buffer_empty', async () => {
  const client = await openByQuery(server);
  await client.refused(commit(), 'input_audio_buffer_empty');
  client.tone(1000);
  client.commit();
  await client.next('input_audio_buffer.committed');
  await client.refused(commit({ response_create: true }), 'input_audio_buffer_empty');
  client.tone(1000);
  await client.ask({ type: 'input_audio_buffer.clear' }, 'input_audio_buffer.cleared');
  await client.refused({ type: 'input.commit' }, 'input_audio_buffer_empty');
});

for (const more of [{}, { response_create: true }, { is_speech: false }])
  test(`statement 60: after appends that are not speech a commit ${JSON.stringify(more)} declares silence`, async () => {
    const client = await openByQuery(server);
    client.tone(400, { is_speech: false });
    client.tone(400, { is_speech: false });
    client.commit(more);
    await silenceDeclared(client);
  });

test('F19, statement 60: declared silence makes no item, and so names none', async () => {
  const client = await openByQuery(server);
  client.tone(400, { is_speech: false });
  client.commit();
  const committed = await client.next('input_audio_buffer.committed');
  assert.ok(!('item_id' in committed) && !('realtime_item_id' in committed.event), JSON.stringify(committed));
  const events = await client.settled();
  for (const type of ['conversation.item.added', 'conversation.item.created', 'conversation.item.done']) none([...client.all, ...events], type);
});

test('statement 61: so does a commit with is_speech false', async () => {
  const client = await openByQuery(server);
  client.tone(1000);
  client.commit({ is_speech: false, response_create: true });
  await silenceDeclared(client);
});

const fanOut = [
  ...['input_audio_buffer.speech_stopped', 'conversation.item.added', 'conversation.item.created', 'input_audio_buffer.committed'],
  ...['conversation.item.input_audio_transcription.completed', 'conversation.item.done'],
];
test('statement 62: the order of what a commit of speech gives', async () => {
  const client = await openByQuery(server);
  client.tone(1000, { transcript: 'hello' });
  await client.next('input_audio_buffer.speech_started');
  client.commit();
  assert.deepEqual(typesOf(ofInput(await client.until('conversation.item.done'))), fanOut);
  assert.ok(client.of('input_audio_buffer.speech_stopped')[0].audio_end_ms >= 0);
  assert.equal(client.of(fanOut[4])[0].transcript, 'hello');
});
test('statement 62: without a transcript none is announced', async () => {
  const client = await openByQuery(server);
  client.tone(1000);
  await client.next('input_audio_buffer.speech_started');
  client.commit();
  assert.deepEqual(typesOf(ofInput(await client.until('conversation.item.done'))), fanOut.filter((type) => type !== fanOut[4]));
});

test('statement 63: they name one item, and the items are chained', async () => {
  const client = await openByQuery(server);
  const items = [];
  for (let turn = 0; turn < 3; ++turn) {
    client.tone(1000, { transcript: 'hello' });
    const { item_id } = await client.next('input_audio_buffer.speech_started');
    client.commit();
    for (const event of ofInput(await client.until('conversation.item.done'))) {
      assert.equal(event.item_id ?? event.item.id, item_id, event.type);
      if ('previous_item_id' in event) assert.equal(event.previous_item_id, items.at(-1) ?? null, event.type);
    }
    assert.ok('previous_item_id' in client.of('input_audio_buffer.committed').at(-1));
    items.push(item_id);
  }
  assert.equal(new Set(items).size, 3);
});

test('statement 64: committed carries the internal event', async () => {
  const client = await openByQuery(server);
  client.tone(1000);
  client.commit();
  const { event, item_id } = await client.next('input_audio_buffer.committed');
  assert.deepEqual([event.type, event.session_id, event.turn_id, event.epoch, event.realtime_item_id], ['input.committed', client.id, 0, 0, item_id]);
  assert.ok(Number.isInteger(event.history_len));
  assert.ok('message' in event);
});

test('statement 65: hints become the transcript of the item', async () => {
  const client = await openByQuery(server);
  for (const hint of [{ transcript: 'good' }, { transcript: 'good' }, { text: 'morning' }]) client.tone(400, hint);
  client.commit();
  const { transcript, item_id } = await client.next('conversation.item.input_audio_transcription.completed');
  assert.match(transcript, /^good ?morning$/);
  const { item } = await client.next('conversation.item.done');
  assert.deepEqual([item.id, item.content[0].type, item.content[0].transcript], [item_id, 'input_audio', transcript]);
});

for (const [event, answers] of [
  [commit({ final: 'yes', response_create: true }), true],
  [commit({ final: 0 }), false],
  [commit({ create_response: true }), true],
  [{ type: 'input.commit' }, true],
  [{ type: 'input.commit', response_create: false }, false],
  [{ type: 'input.commit', create_response: false }, false],
])
  test(`statement 66: ${JSON.stringify(event)} ${answers ? 'asks' : 'does not ask'} for a response`, async () => {
    const client = await openByQuery(server);
    client.tone(1000);
    client.send(event);
    await client.next('conversation.item.done');
    if (answers) await client.response();
    else none(await client.settled(), 'response.created');
  });

test('statement 67: without response_create no response starts', async () => {
  const client = await openByQuery(server);
  client.tone(1000);
  client.commit();
  await client.next('conversation.item.done');
  await client.settled();
  none(await client.settled(), 'response.created');
});

test('statement 68: with it response.created follows at once, before the model has decided', async () => {
  const client = await openByQuery(server, 'stalling_at_the_end');
  client.speak(1100); // five units, and the one that the commit flushes
  const came = await client.until('response.created');
  assert.equal(came.at(-2).type, 'conversation.item.done');
  none(await client.settled(), 'response.listen');
});
test('statement 68: if it decides to listen, response.listen and response.done end it', async () => {
  const client = await openByQuery(server, 'listener');
  client.speak();
  const { id, of, done, audio } = await client.response();
  assert.equal(of('response.listen').at(-1).response_id, id);
  assert.equal(of('response.listen').at(-1).response.metadata.model_listen, true);
  assert.deepEqual([done.id, audio.length], [id, 0]);
});

test('statement 69: on an answering session a commit flushes the unit, and the decision comes after it', async () => {
  const client = await open(server, 'listener', { auto: true });
  client.tone(300);
  await client.next('response.listen'); // of the first 200 ms
  client.commit({ response_create: true });
  const came = typesOf(await client.until('response.listen'));
  assert.ok(came.includes('input_audio_buffer.committed'), came.join());
  none(await client.settled(), 'response.created');
});
test('statement 69: which may be to speak', async () => {
  const client = await open(server, 'talker', { auto: true });
  client.tone(300);
  client.commit();
  await client.next('input_audio_buffer.committed');
  assert.equal((await client.response()).done.status, 'completed');
});

test('statement 70: a short acknowledgement is listened to', async () => {
  const client = await openByQuery(server);
  client.tone(700);
  client.commit({ response_create: true });
  const { id, of, audio } = await client.response();
  assert.equal(of('response.listen').at(-1).response_id, id);
  assert.equal(audio.length, 0);
  client.tone(720);
  client.commit({ response_create: true });
  assert.ok((await client.response()).audio.length > 0);
});

/** A session that is answering for two seconds. */
async function answering() {
  const client = await openByQuery(server, 'two_seconds');
  client.speak();
  return { client, ...(await client.speaking()) };
}

test('statement 71: a long turn over an answer waits for the end of it', async () => {
  const { client, id } = await answering();
  client.tone(1000);
  client.commit({ response_create: true });
  const { event } = await client.next('input_audio_buffer.committed');
  assert.deepEqual([event.overlap_deferred, event.response_create_deferred], [true, true]);
  const next = await client.next('response.created');
  assert.notEqual(next.response_id, id);
  const first = client.summary(id);
  assert.deepEqual([first.done.status, first.transcript], ['completed', 'These are the eight words of one turn.']);
  await client.ended(next.response_id);
});
test('statement 71: one that wants no answer gets none then either', async () => {
  const { client, id } = await answering();
  client.tone(1000);
  client.commit();
  const { event } = await client.next('input_audio_buffer.committed');
  assert.equal(event.overlap_deferred, true);
  assert.ok(!event.response_create_deferred);
  await client.ended(id);
  none(await client.settled(), 'response.created');
});

test('statement 72: a short one is an acknowledgement, and is dropped', async () => {
  const { client, id } = await answering();
  client.tone(300);
  const { item_id } = await client.next('input_audio_buffer.speech_started');
  client.commit({ response_create: true });
  const stopped = await client.next('input_audio_buffer.speech_stopped');
  assert.equal(stopped.item_id, item_id);
  const { event, ...committed } = await client.next('input_audio_buffer.committed');
  assert.ok(!('item_id' in committed)); // no item is told of it
  assert.deepEqual([event.empty, event.overlap_ack, event.no_response, event.is_speech], [true, true, true, false]);
  const { done } = await client.ended(id);
  assert.equal(done.status, 'completed');
  none(await client.settled(), 'response.created');
  await client.refused(commit(), 'input_audio_buffer_empty');
});

test('statement 73: a commit behind an append that failed is aborted', async () => {
  const client = await open(server, 'failing', { auto: true });
  client.allows('engine_error', 'runtime_append_failed');
  client.tone(200);
  await client.refused(commit(), 'commit_aborted');
});

test('statement 74: no more than four commits wait', async () => {
  const client = await open(server, 'stalling', { auto: true });
  for (let turn = 0; turn < 4; ++turn) {
    client.append(tone(200));
    client.commit();
  }
  client.append(tone(200));
  await client.refused(commit(), 'input_backpressure');
});
