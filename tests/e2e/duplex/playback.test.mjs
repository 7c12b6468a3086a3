// Playback and history: statements 121 to 132.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { heardText, openByQuery, startDuplexServer, stopServers, userText } from '../lib/duplex.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const ack = (more) => ({ type: 'playback.ack', ...more });
const acknowledged = async (client, response, played_ms, more = {}) => {
  client.ack(response, played_ms, more);
  return (await client.next('playback.acknowledged')).event;
};
/** A session whose answer of 400 ms has been sent as a whole. */
async function answered() {
  const client = await openByQuery(server);
  return { client, answer: await another(client) };
}
async function another(client) {
  client.speak();
  const answer = await client.response();
  assert.equal(answer.done.metadata.playback.sent_ms, 400);
  return answer;
}
const textOf = async (client, item_id) => {
  const { item } = await client.ask({ type: 'conversation.item.retrieve', item_id }, 'conversation.item.retrieved');
  return item.content[0]?.transcript ?? '';
};
/** How long history is when the next turn is committed. */
async function historyOf(client) {
  client.tone(1000);
  client.commit();
  return (await client.next('input_audio_buffer.committed')).event.history_len;
}

test('statement 121: an ack needs a number', async () => {
  const { client, answer } = await answered();
  for (const played_ms of [undefined, null, 'all', {}, true])
    for (const type of ['playback.ack', 'audio.playback_ack']) await client.refused({ type, response_id: answer.id, played_ms }, 'bad_event');
});

test('statement 122: what the answer says', async () => {
  const { client, answer } = await answered();
  for (const type of ['playback.ack', 'audio.playback_ack']) {
    client.send({ type, response_id: answer.id, item_id: answer.item, played_ms: 300, committed_ms: 200 });
    const acked = await client.next('playback.acknowledged');
    assert.deepEqual(Object.keys(acked).sort(), ['event', 'event_id', 'server_event_seq', 'type']);
    const { event } = acked;
    for (const name of ['type', 'session_id', 'epoch', 'item_id', 'played_ms', 'committed_ms', 'truncate', 'playback', 'history_committed']) assert.ok(name in event, name);
    const { session_id, epoch, item_id, played_ms, committed_ms, truncate, playback, history_committed } = event;
    assert.deepEqual([session_id, epoch, item_id, played_ms, committed_ms, truncate], [client.id, 0, answer.item, 300, 200, false]);
    assert.deepEqual(playback, { generated_ms: 400, sent_ms: 400, played_ms: 300, committed_ms: 200 });
    assert.equal(typeof history_committed, 'boolean');
  }
  const { committed_ms, playback } = await acknowledged(client, answer, 350);
  assert.deepEqual([committed_ms, playback.committed_ms], [350, 350]);
});

test('statement 123: the counters never go back', async () => {
  const { client, answer } = await answered();
  await acknowledged(client, answer, 300);
  const { played_ms, playback } = await acknowledged(client, answer, 100);
  assert.equal(played_ms, 100);
  assert.deepEqual([playback.played_ms, playback.committed_ms], [300, 300]);
  assert.equal(await textOf(client, answer.item), heardText(answer, 300));
});

test('statement 124: the response is found by its id, its item, or as the only one', async () => {
  const { client, answer } = await answered();
  for (const names of [{ response_id: answer.id }, { item_id: answer.item }, { response_id: answer.id, item_id: answer.item }, {}]) {
    const { event } = await client.ask(ack({ played_ms: 100, ...names }), 'playback.acknowledged');
    assert.equal(event.item_id, answer.item);
  }
  await client.refused(ack({ played_ms: 100, response_id: answer.id, item_id: 'item_other' }), 'playback_item_mismatch');
});
test('statement 124, 129: or the active one, of which nothing is final', async () => {
  const client = await openByQuery(server, 'storyteller');
  client.speak();
  const { item } = await client.spoken(400);
  const { event } = await client.ask(ack({ played_ms: 200 }), 'playback.acknowledged');
  assert.deepEqual([event.item_id, event.history_committed], [item, false]);
});

test('statement 125: an unknown response, and an item that is none', async () => {
  const { client } = await answered();
  const { item_id } = client.of('input_audio_buffer.committed')[0];
  for (const names of [{ response_id: 'resp_none' }, { item_id: 'item_none' }, { item_id }]) await client.refused(ack({ played_ms: 100, ...names }), 'playback_item_not_found');
  const fresh = await openByQuery(server);
  await fresh.refused(ack({ played_ms: 100 }), 'playback_item_not_found');
});

test('statement 126: an ack is too late when the next turn was committed and none came before', async () => {
  const { client, answer } = await answered();
  client.tone(1000);
  client.commit();
  await client.next('input_audio_buffer.committed');
  await client.refused(ack({ response_id: answer.id, played_ms: 400 }), 'playback_ack_too_late');
});
test('statement 126: an ack of 0 ms keeps the place', async () => {
  const { client, answer } = await answered();
  await acknowledged(client, answer, 0);
  client.tone(1000);
  client.commit();
  await client.next('input_audio_buffer.committed');
  const { history_committed, playback } = await acknowledged(client, answer, 400);
  assert.deepEqual([history_committed, playback.played_ms], [true, 400]);
  assert.equal(await textOf(client, answer.item), answer.transcript);
});

test('statement 127: an ack of an older response moves that one alone', async () => {
  const { client, answer: first } = await answered();
  await acknowledged(client, first, 100);
  const second = await another(client);
  await acknowledged(client, second, 200);
  const { item_id, playback } = await acknowledged(client, first, 400);
  assert.deepEqual([item_id, playback.played_ms], [first.item, 400]);
  assert.equal((await acknowledged(client, second, 0)).playback.played_ms, 200);
});

test('statement 128: what was acknowledged of a finished response enters history', async () => {
  const nothing = (await answered()).client;
  const length = await historyOf(nothing);
  for (const played_ms of [200, 400]) {
    const { client, answer } = await answered();
    const { history_committed } = await acknowledged(client, answer, played_ms);
    assert.equal(history_committed, true);
    assert.equal(await textOf(client, answer.item), played_ms === 400 ? answer.transcript : heardText(answer, played_ms));
    assert.equal(await historyOf(client), length + 1);
  }
});

test('statement 130: the prefix of the text', async () => {
  for (const played_ms of [0, 1, 55, 100, 150, 199, 250, 333, 399]) {
    const { client, answer } = await answered();
    await acknowledged(client, answer, played_ms);
    const text = await textOf(client, answer.item);
    if (played_ms === 0) assert.equal(text, '');
    else assert.equal(text, heardText(answer, played_ms));
    assert.ok(text.length < answer.transcript.length);
  }
});

test('statement 131: truncate cuts for good', async () => {
  const { client, answer } = await answered();
  const { truncate } = await acknowledged(client, answer, 300, { committed_ms: 200, truncate: true });
  assert.equal(truncate, true);
  const text = heardText(answer, 200);
  assert.equal(await textOf(client, answer.item), text);
  await acknowledged(client, answer, 400);
  assert.equal(await textOf(client, answer.item), text);
});
test('statement 131: within what was sent', async () => {
  const { client, answer } = await answered();
  const { playback } = await acknowledged(client, answer, 999999, { truncate: true });
  assert.deepEqual([playback.sent_ms, playback.played_ms, playback.committed_ms], [400, 400, 400]);
  assert.equal(await textOf(client, answer.item), answer.transcript);
});

test('statement 132: a cancel commits what was acknowledged by then, and no more', async () => {
  const client = await openByQuery(server, 'storyteller');
  client.speak();
  const { id, item } = await client.spoken(800);
  await acknowledged(client, id, 600);
  client.send({ type: 'response.cancel' });
  const answer = await client.ended(id);
  assert.deepEqual([answer.done.metadata.committed_ms, answer.done.metadata.playback.committed_ms], [600, 600]);
  assert.equal(await textOf(client, item), heardText(answer, 600));
  client.send(userText('Go on.'));
  const { previous_item_id } = await client.next('conversation.item.done');
  assert.equal(previous_item_id, item);
});
