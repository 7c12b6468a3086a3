// The order and the identities of what a session sends: statements 21 to 28.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, openByQuery, startDuplexServer, stopServers, userText } from '../lib/duplex.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const epochOf = async (client) => (await client.ask({ type: 'turn.signal', event: 'look' }, 'turn.event')).epoch;
const turnOf = async (client) => (await client.update({ overlap_short_ack_ms: 700 })).session.turn_id;

test('statement 21: commands take effect in the order they arrive', async () => {
  const client = await open(server, 'listener');
  client.tone(1000);
  client.commit();
  client.send({ type: 'input_audio_buffer.clear' });
  client.tone(300);
  client.commit();
  client.send({ type: 'turn.signal', event: 'look' });
  const wanted = ['input_audio_buffer.speech_started', 'input_audio_buffer.committed', 'input_audio_buffer.cleared', 'turn.event'];
  const came = (await client.until('turn.event')).map(({ type }) => type).filter((type) => wanted.includes(type));
  assert.deepEqual(came, [wanted[0], wanted[1], wanted[2], wanted[0], wanted[1], wanted[3]]);
});
test('statement 21: what is sent later waits for the append, and a cancel does not', async () => {
  const client = await open(server, 'stalling', { auto: true });
  client.tone(200); // never decided on
  client.send({ type: 'session.update', session: { instructions: 'Be brief.' } });
  client.send({ type: 'input.cancel' });
  const came = await client.until('input_audio_buffer.cleared');
  assert.ok(!came.some(({ type }) => type === 'session.updated'));
  for (const { event_id } of client.of('error')) client.expected.add(event_id); // the update may be aborted now
});
test('statement 21: and a close does not', async () => {
  const client = await open(server, 'stalling', { auto: true });
  client.tone(200);
  const { event } = await client.close();
  assert.equal(event.reason, 'client_close');
});

test('statement 22, 23: every event has an id of its own, and every journaled one the next number', async () => {
  const client = await openByQuery(server);
  client.speak();
  await client.response();
  await client.next('rate_limits.updated');
  const ids = client.all.map(({ event_id }) => event_id);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^event_[0-9a-f]+$/);
  const numbers = client.all.filter(({ type }) => type !== 'session.created').map(({ server_event_seq }) => server_event_seq);
  assert.ok(numbers.length > 10);
  assert.deepEqual(numbers, numbers.map((_, i) => i + 1));
});

test('statement 24: errors of the transport have no number, those of the session do', async () => {
  const client = await openByQuery(server);
  client.send('{"type":');
  assert.ok(!('server_event_seq' in (await client.error('invalid_json'))));
  for (const [event, code] of [
    [{ type: 'no.such.event' }, 'unknown_event'],
    [{ type: 'session.event_ack', server_event_seq: 1000 }, 'invalid_event_ack'],
    [{ type: 'session.resume', session_id: client.id, resume_token: 'x' }, 'unsupported_session_resume'],
  ])
    assert.ok(!('server_event_seq' in (await client.refused(event, code))), code);
  const { server_event_seq } = await client.refused({ type: 'response.cancel' }, 'response_not_active');
  assert.equal(server_event_seq, client.of('session.updated')[0].server_event_seq + 1);
});

test('statement 25: a response id is new, and its item is named after it', async () => {
  const client = await openByQuery(server);
  const ids = new Set();
  for (let i = 0; i < 3; ++i) {
    client.speak();
    const { id, done } = await client.response();
    assert.equal(done.output[0].id, `item_${id}`);
    ids.add(id);
  }
  assert.equal(ids.size, 3);
});

test('statement 26: the epoch rises by one at every cancel and barge-in that is accepted', async () => {
  const client = await openByQuery(server, 'storyteller');
  let epoch = await epochOf(client);
  assert.equal(epoch, 0);
  const risesBy = async (step, why) => {
    const now = await epochOf(client);
    assert.equal(now, epoch + step, why);
    epoch = now;
  };
  for (const type of ['input.cancel', 'barge_in']) {
    await client.ask({ type }, 'input_audio_buffer.cleared');
    await risesBy(1, `${type} with nothing running`);
  }
  client.tone(300);
  await client.ask({ type: 'input_audio_buffer.clear' }, 'input_audio_buffer.cleared');
  await risesBy(0, 'input_audio_buffer.clear');
  await client.ask({ type: 'output_audio_buffer.clear' }, 'output_audio_buffer.cleared');
  await risesBy(0, 'output_audio_buffer.clear with nothing playing');
  await client.refused({ type: 'response.cancel' }, 'response_not_active');
  await risesBy(0, 'a response.cancel that is refused');
  for (const type of ['response.cancel', 'input.cancel', 'barge_in', 'output_audio_buffer.clear']) {
    client.speak();
    const { id } = await client.speaking();
    client.send({ type });
    await client.ended(id);
    await risesBy(1, `${type} of a response`);
  }
});

test('statement 27: nothing of the old epoch follows its ending', async () => {
  const client = await openByQuery(server, 'storyteller');
  client.speak();
  const { id, item } = await client.speaking();
  client.send({ type: 'response.cancel' });
  await client.ended(id);
  client.speak();
  const next = await client.speaking();
  client.send({ type: 'response.cancel' });
  await client.ended(next.id);
  await client.settled();
  const done = client.all.findIndex(({ type, response }) => type === 'response.done' && response.id === id);
  const late = client.all.slice(done + 1).filter((event) => event.response_id === id || event.item_id === item || event.item?.id === item);
  assert.deepEqual(late, []);
});

test('statement 28: turn_id counts finished turns of the model, and no commits', async () => {
  const client = await openByQuery(server);
  assert.equal(await turnOf(client), 0);
  client.tone(1000);
  client.commit();
  await client.next('input_audio_buffer.committed');
  assert.equal(await turnOf(client), 0);
  client.speak();
  await client.response();
  assert.equal(await turnOf(client), 1);
  client.send(userText('Tell me more.'));
  await client.next('conversation.item.done');
  assert.equal(await turnOf(client), 1);
});
