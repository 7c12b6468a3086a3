// Clear, cancel and barge-in: statements 75 to 86.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { heardText, open, openByQuery, startDuplexServer, stopServers } from '../lib/duplex.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const clear = { type: 'input_audio_buffer.clear' };
const commit = { type: 'input_audio_buffer.commit' };
const epochOf = async (client) => (await client.ask({ type: 'turn.signal', event: 'look' }, 'turn.event')).epoch;

/** A session with an answer of more than ten seconds under way. */
async function answering(model = 'storyteller', ms = 0) {
  const client = await openByQuery(server, model);
  client.speak();
  return { client, ...(await client.spoken(ms)) };
}
async function cancelled(client, id, reason) {
  const answer = await client.ended(id);
  assert.deepEqual([answer.done.status, answer.done.status_details], ['cancelled', { type: 'cancelled', reason }]);
  return answer;
}

test('statement 75: clear drops what was not committed', async () => {
  const client = await openByQuery(server);
  client.tone(1000, { transcript: 'forget this' });
  const { item_id } = await client.next('input_audio_buffer.speech_started');
  const cleared = await client.ask(clear, 'input_audio_buffer.cleared');
  assert.deepEqual(Object.keys(cleared).sort(), ['event_id', 'server_event_seq', 'type']);
  await client.refused(commit, 'input_audio_buffer_empty');
  client.tone(1000);
  const started = await client.next('input_audio_buffer.speech_started');
  assert.notEqual(started.item_id, item_id);
  client.commit();
  await client.until('conversation.item.done');
  assert.deepEqual(client.of('conversation.item.input_audio_transcription.completed'), []); // the hint went with the audio
});
test('statement 75: and leaves a running response and the epoch alone', async () => {
  const { client, id } = await answering();
  const epoch = await epochOf(client);
  await client.ask(clear, 'input_audio_buffer.cleared');
  assert.equal(await epochOf(client), epoch);
  await client.next((event) => event.type === 'response.output_audio.delta' && event.response_id === id);
});

test('statement 76: what is appended after a clear is kept', async () => {
  const client = await openByQuery(server);
  client.tone(400);
  client.send(clear);
  client.tone(1000);
  client.commit({ response_create: true });
  assert.equal((await client.response()).done.status, 'completed');
});

for (const named of [true, false])
  test(`statement 77: response.cancel ${named ? 'with the id of' : 'without an id ends'} the active response`, async () => {
    const { client, id } = await answering();
    const epoch = await epochOf(client);
    client.send({ type: 'response.cancel', ...(named && { response_id: id }) });
    await cancelled(client, id, 'client_cancelled');
    assert.equal(await epochOf(client), epoch + 1);
  });

test('statement 78: with nothing to cancel it is response_not_active, and changes nothing', async () => {
  const { client, id } = await answering();
  const epoch = await epochOf(client);
  await client.refused({ type: 'response.cancel', response_id: 'resp_none' }, 'response_not_active');
  await client.next((event) => event.type === 'response.output_audio.delta' && event.response_id === id);
  client.send({ type: 'response.cancel' });
  await cancelled(client, id, 'client_cancelled');
  for (const response_id of [undefined, id, 'resp_none']) await client.refused({ type: 'response.cancel', response_id }, 'response_not_active');
  assert.equal(await epochOf(client), epoch + 1);
});

test('statement 79: the cancelled ending is a normal one that says so', async () => {
  const { client, id } = await answering();
  const epoch = await epochOf(client);
  client.send({ type: 'response.cancel' });
  const { types, done, item } = await cancelled(client, id, 'client_cancelled');
  await client.next('rate_limits.updated');
  const endings = ['response.output_audio.done', 'response.output_audio_transcript.done', 'response.content_part.done', 'response.output_item.done', 'response.done'];
  assert.deepEqual(types.filter((type) => endings.includes(type)), endings);
  const { metadata, output } = done;
  assert.deepEqual([metadata.cancelled_epoch, metadata.epoch, metadata.committed_ms], [epoch, epoch + 1, 0]);
  assert.deepEqual(Object.keys(metadata.playback).sort(), ['committed_ms', 'generated_ms', 'played_ms', 'sent_ms']);
  assert.deepEqual([output[0].id, output[0].status], [item, 'cancelled']);
  assert.equal(client.all.find((event) => event.type === 'conversation.item.done' && event.item.id === item).item.status, 'cancelled');
});

test('statement 80: its transcript is cut at what was committed', async () => {
  const { client, id, item } = await answering('storyteller', 1000);
  client.ack(id, 750);
  await client.next('playback.acknowledged');
  client.send({ type: 'response.cancel' });
  const answer = await cancelled(client, id, 'client_cancelled');
  assert.equal(answer.done.metadata.committed_ms, 750);
  const text = heardText(answer, 750);
  assert.ok(text.length > 0 && text.length < answer.transcript.length);
  const { item: kept } = await client.ask({ type: 'conversation.item.retrieve', item_id: item }, 'conversation.item.retrieved');
  for (const one of [answer.done.output[0], answer.of('response.output_item.done')[0].item, kept]) assert.equal(one.content[0].transcript, text);
});
test('statement 80: nothing acknowledged leaves nothing', async () => {
  const { client, id } = await answering();
  client.send({ type: 'response.cancel' });
  const { done } = await cancelled(client, id, 'client_cancelled');
  assert.equal(done.output[0].content[0]?.transcript ?? '', '');
});

const bargeIns = [{ type: 'barge_in' }, { type: 'turn.signal', event: 'barge_in' }, { type: 'signal_turn', event: 'barge_in' }];
for (const event of bargeIns)
  test(`statement 81: ${JSON.stringify(event)} cancels and drops pending input`, async () => {
    const { client, id } = await answering();
    const epoch = await epochOf(client);
    client.tone(400);
    client.send(event);
    await cancelled(client, id, 'barge_in');
    await client.refused(commit, 'input_audio_buffer_empty');
    await client.ask(event, 'input_audio_buffer.cleared');
    assert.equal(await epochOf(client), epoch + 2);
  });
test('statement 81: a model that can not be interrupted is not', async () => {
  const { client, id } = await answering('limited');
  const epoch = await epochOf(client);
  for (const event of bargeIns) await client.refused(event, 'barge_in_unsupported');
  assert.equal(await epochOf(client), epoch);
  await client.next((event) => event.type === 'response.output_audio.delta' && event.response_id === id);
});

test('statement 82: a barge-in into playback alone raises the epoch and ends nothing twice', async () => {
  const client = await openByQuery(server);
  client.speak();
  const { id, done } = await client.response();
  assert.equal(done.status, 'completed');
  const epoch = await epochOf(client);
  client.send({ type: 'barge_in' });
  assert.equal(await epochOf(client), epoch + 1);
  assert.equal(client.summary(id).of('response.done').length, 1);
});

for (const event of [{ type: 'input.cancel' }, { type: 'turn.signal', event: 'input.cancel' }])
  test(`statement 83: ${JSON.stringify(event)} drops input and cancels`, async () => {
    const client = await openByQuery(server, 'storyteller');
    client.tone(400);
    await client.ask(event, 'input_audio_buffer.cleared');
    assert.equal(await epochOf(client), 1);
    await client.refused(commit, 'input_audio_buffer_empty');
    client.speak();
    const { id } = await client.speaking();
    client.tone(400);
    client.send(event);
    assert.equal((await client.ended(id)).done.status, 'cancelled');
    assert.equal(await epochOf(client), 2);
    await client.refused(commit, 'input_audio_buffer_empty');
  });

test('statement 84: output_audio_buffer.clear during a response', async () => {
  const { client, id } = await answering();
  const cleared = await client.ask({ type: 'output_audio_buffer.clear' }, 'output_audio_buffer.cleared');
  assert.equal(cleared.response_id, id);
  const at = client.all.indexOf(cleared);
  await cancelled(client, id, 'output_audio_buffer_clear');
  assert.ok(client.all.findIndex(({ type }) => type === 'response.output_audio.done') > at);
});
test('statement 84: after it, or with nothing playing, only cleared comes', async () => {
  const client = await openByQuery(server);
  await client.ask({ type: 'output_audio_buffer.clear' }, 'output_audio_buffer.cleared');
  client.speak();
  const { id } = await client.response();
  await client.settled();
  client.send({ type: 'output_audio_buffer.clear', response_id: id });
  assert.deepEqual((await client.settled()).map(({ type }) => type), ['output_audio_buffer.cleared']);
  assert.equal(await epochOf(client), 0);
});

test('statement 85: audio that waits is dropped, text and endings keep their order', async () => {
  const { client, id, item } = await answering();
  client.send({ type: 'response.cancel' });
  const { types, deltas, transcript, of, done } = await cancelled(client, id, 'client_cancelled');
  assert.ok(deltas.at(-1).metadata.audio_duration_ms < 5000); // of more than ten seconds
  assert.equal(types.lastIndexOf('response.output_audio_transcript.delta') < types.indexOf('response.output_audio.done'), true);
  assert.equal(of('response.output_audio_transcript.done')[0].transcript, transcript);
  assert.equal(done.output[0].id, item);
  client.speak();
  await client.spoken(500); // another response is untouched
});

test('statement 86: a response that ended is not opened again', async () => {
  const client = await open(server, 'talker', { auto: true });
  client.tone(300);
  client.commit();
  const { id } = await client.response();
  for (let unit = 0; unit < 4; ++unit) client.tone(200);
  client.commit();
  const next = await client.response();
  assert.notEqual(next.id, id);
  const { types } = client.summary(id);
  assert.equal(types.filter((type) => type === 'response.created').length, 1);
  assert.equal(types.filter((type) => type === 'response.done').length, 1);
  assert.equal(types.at(-1), 'response.done');
});
