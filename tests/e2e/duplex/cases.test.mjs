// Faults that users of such servers reported, from a client of the duplex dialect.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { askedByText, open, openByQuery, startDuplexServer, stopServers } from '../lib/duplex.mjs';
import { silenceBetween, spokenWords } from '../lib/duplex_speech.mjs';
import { base64, silence } from '../lib/speech.mjs';
import { dial } from '../lib/wire.mjs';

let server, unpaced;
before(async () => {
  server = await startDuplexServer();
  unpaced = await startDuplexServer('--set', 'delivery.pace_ahead_ms=0');
});
after(() => stopServers(server, unpaced));

// ---- C23: a playback report that arrives late ---------------------------------------------------------------------
/** A session whose first answer, of 2,400 ms, has been sent as a whole. */
async function answered() {
  const client = await openByQuery(unpaced, 'eight_words');
  client.speak();
  const answer = await client.response();
  assert.equal(answer.done.metadata.playback.sent_ms, 2400);
  return { client, answer };
}
const isLedger = ({ generated_ms, sent_ms, played_ms, committed_ms }) => assert.ok(generated_ms >= sent_ms && sent_ms >= played_ms && played_ms >= committed_ms && committed_ms >= 0, JSON.stringify({ generated_ms, sent_ms, played_ms, committed_ms }));
const acked = async (client, id, played_ms, more) => {
  client.ack(id, played_ms, more);
  const { event } = await client.next('playback.acknowledged');
  isLedger(event.playback);
  return event;
};
const textOf = async (client, item_id) => (await client.ask({ type: 'conversation.item.retrieve', item_id }, 'conversation.item.retrieved')).item.content[0]?.transcript ?? '';

for (const answers of [false, true])
  test(`C23: a late report is never fatal, and the next turn goes on (${answers ? 'answered' : 'committed'})`, async () => {
    const { client, answer } = await answered();
    client.tone(1000);
    client.commit({ response_create: answers });
    const { previous_item_id, event } = await client.next('input_audio_buffer.committed');
    await client.refused({ type: 'playback.ack', response_id: answer.id, played_ms: 1200 }, 'playback_ack_too_late');
    if (!answers) client.send({ type: 'response.create' });
    const next = await client.response();
    assert.equal(next.done.status, 'completed');
    client.tone(1000);
    client.commit();
    const later = await client.next('input_audio_buffer.committed');
    assert.equal(later.previous_item_id, next.item);
    assert.equal(previous_item_id, answer.item);
    assert.equal(later.event.history_len, event.history_len + 1); // neither answer was acknowledged in time
  });
test('C23: reports in time: backwards, beyond, below, twice', async () => {
  const { client, answer } = await answered();
  const first = await acked(client, answer.id, 1200);
  assert.deepEqual([first.history_committed, first.playback.played_ms], [true, 1200]);
  const text = await textOf(client, answer.item);
  assert.ok(text.length > 0 && text.length < answer.transcript.length);
  for (const played_ms of [900, 1200, 1200]) {
    assert.equal((await acked(client, answer.id, played_ms)).playback.played_ms, 1200);
    assert.equal(await textOf(client, answer.item), text);
  }
  await client.refused({ type: 'playback.ack', response_id: answer.id, played_ms: -5 });
  assert.equal(await textOf(client, answer.item), text);
  assert.equal((await acked(client, answer.id, 999999)).playback.played_ms, 2400);
  assert.equal(await textOf(client, answer.item), answer.transcript);
});
test('C23: reports of what never was', async () => {
  const client = await openByQuery(unpaced, 'eight_words');
  await client.refused({ type: 'playback.ack', played_ms: 100 }, 'playback_item_not_found');
  await client.refused({ type: 'playback.ack', played_ms: 100, response_id: 'resp_none' }, 'playback_item_not_found');
  client.speak();
  await client.response();
  await client.refused({ type: 'playback.ack', played_ms: 100, response_id: 'resp_none' }, 'playback_item_not_found');
});
test('C23: a report of a cancelled response that cuts it', async () => {
  const client = await openByQuery(server, 'storyteller');
  client.speak();
  const { id, item } = await client.spoken(800);
  await acked(client, id, 600);
  client.send({ type: 'response.cancel' });
  await client.ended(id);
  const before = await textOf(client, item);
  const event = await acked(client, id, 300, { truncate: true });
  assert.equal(event.truncate, true);
  const after = await textOf(client, item);
  assert.ok(after.length < before.length && before.startsWith(after));
});
test('C23: reports in time move what was heard of their response alone', async () => {
  const { client, answer } = await answered();
  await acked(client, answer.id, 0);
  client.speak();
  const second = await client.response();
  await acked(client, second.id, 300);
  const text = await textOf(client, second.item);
  assert.equal((await acked(client, answer.id, 1200)).item_id, answer.item);
  assert.ok((await textOf(client, answer.item)).length > 0);
  assert.equal(await textOf(client, second.item), text);
});

// ---- C24: a short 'mm-hm' -----------------------------------------------------------------------------------------
async function answering(session = {}) {
  const client = await open(server, 'storyteller', { overlap_short_ack_ms: 700, overlap_barge_in_ms: 1200, ...session });
  if (session.turn_detection) return { client, ...(await askedByText(client)) };
  client.speak();
  return { client, ...(await client.speaking()) };
}
const goesOn = (client, id) => client.next((event) => event.type === 'response.output_audio.delta' && event.response_id === id);

test('C24: under listen_only nothing cancels the answer', async () => {
  const { client, id } = await answering();
  for (const ms of [300, 900, 2000]) {
    client.tone(ms);
    const { policy, action, reason } = await client.next('overlap.decision');
    assert.deepEqual([policy, action], ['listen_only', 'listen']);
    assert.ok(reason.length > 0);
    client.silence(300);
    assert.equal((await client.next('overlap.decision')).action, 'drop');
    await goesOn(client, id);
  }
  assert.equal(client.summary(id).done, undefined);
});
test('C24: and 300 ms are no turn of the user', async () => {
  const { client, id } = await answering();
  const turns = client.of('conversation.item.done').length;
  client.tone(300);
  await client.next('overlap.decision');
  client.commit({ response_create: true });
  const { event } = await client.next('input_audio_buffer.committed');
  assert.deepEqual([event.overlap_ack, event.no_response], [true, true]);
  await client.settled();
  assert.equal(client.of('conversation.item.done').length, turns);
  await goesOn(client, id);
});
test('C24: under barge_in_on_speech confirmed speech interrupts', async () => {
  const { client, id } = await answering({ turn_detection: { type: 'server_vad', create_response: false } });
  for (const piece of [...spokenWords('please stop talking now'), silenceBetween]) client.append(piece, { sample_rate_hz: 24000 });
  const decision = await client.next((event) => event.type === 'overlap.decision' && event.action === 'barge_in');
  assert.ok(decision.reason.length > 0);
  const { done, types } = await client.ended(id);
  assert.deepEqual([done.status, done.status_details], ['cancelled', { type: 'cancelled', reason: 'turn_detected' }]);
  for (const type of ['response.output_audio.done', 'response.content_part.done', 'response.output_item.done']) assert.ok(types.includes(type), type);
});
test('C24: and noise does not', async () => {
  const { client, id } = await answering({ turn_detection: { type: 'server_vad', create_response: false } });
  for (let i = 0; i < 10; ++i) client.append(silence(0.1).map(() => 200 * (Math.random() - 0.5)), { sample_rate_hz: 24000 });
  await client.settled();
  assert.ok(!client.of('overlap.decision').some(({ action }) => action === 'barge_in'));
  await goesOn(client, id);
});
test('C24: interim transcripts alone never cancel', async () => {
  for (const session of [{}, { overlap_policy: 'by_length' }, { turn_detection: { type: 'server_vad' } }]) {
    const { client, id } = await answering(session);
    for (const transcript of ['please', 'please stop', 'please stop talking', 'please stop talking now']) client.silence(100, { transcript, is_speech: false });
    await client.settled();
    await goesOn(client, id);
    assert.equal(client.summary(id).done, undefined);
  }
});
for (const interrupt_response of [true, false])
  test(`C24: plain server_vad with interrupt_response ${interrupt_response} ${interrupt_response ? 'cancels' : 'does not cancel'}`, async () => {
    const client = await dial(server, { query: 'model=turns_storyteller' });
    await client.ask({ type: 'session.update', session: { type: 'realtime', audio: { input: { turn_detection: { type: 'server_vad', interrupt_response, create_response: false } } } } }, 'session.updated');
    await client.ask({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello.' }] } }, 'conversation.item.done');
    const { response_id } = await client.ask({ type: 'response.create' }, 'response.output_audio.delta');
    const from = client.log.mark;
    for (const piece of [...spokenWords('please stop talking now'), silenceBetween]) client.send({ type: 'input_audio_buffer.append', audio: base64(piece) });
    await client.log.wait('input_audio_buffer.speech_stopped', from);
    if (interrupt_response) {
      const { response } = await client.log.wait('response.done', from);
      assert.deepEqual([response.id, response.status, response.status_details.reason], [response_id, 'cancelled', 'turn_detected']);
    } else {
      await client.log.wait('response.output_audio.delta', client.log.mark);
      assert.deepEqual(client.log.since(from, 'response.done'), []);
    }
    await client.close();
  });

// ---- C29: a listen decision that names no response ----------------------------------------------------------------
test('C29: a response that was opened before the model listens ends with its id, and no audio', async () => {
  const client = await openByQuery(server, 'listener');
  client.speak();
  const { id, types, of, done } = await client.response();
  assert.equal(of('response.listen').length, 1);
  assert.deepEqual(types.slice(types.indexOf('response.listen')), ['response.listen', 'response.done']);
  assert.equal(done.id, id);
  assert.ok(!types.some((type) => type.includes('audio')), types.join());
});
test('C29: a model that listens without one opens none', async () => {
  const client = await open(server, 'listener', { auto: true });
  for (let unit = 0; unit < 3; ++unit) {
    client.tone(200);
    const listen = await client.next('response.listen');
    assert.ok(!('response_id' in listen) && !('id' in listen.response));
  }
  await client.settled();
  assert.deepEqual(client.all.filter(({ type }) => ['response.created', 'response.done'].includes(type)), []);
});
test('C29: one that speaks, then listens, speaks once and first', async () => {
  const client = await open(server, 'second_unit_talker', { auto: true });
  for (let unit = 0; unit < 2; ++unit) client.tone(200);
  const { id, types } = await client.response();
  client.tone(200);
  await client.next('response.listen');
  assert.equal(types.filter((type) => type === 'response.speak').length, 1);
  assert.ok(types.indexOf('response.speak') < types.indexOf('response.output_audio.delta'));
  await client.settled();
  assert.equal(client.of('response.created').length, 1);
  assert.ok(client.summary(id).done);
});
test('C29: a commit of silence is answered by a listen, and opens nothing', async () => {
  for (const session of [{}, { auto: true }]) {
    const client = await open(server, 'talker', session);
    client.tone(100);
    client.commit({ is_speech: false, response_create: true });
    const { response } = await client.next('response.listen');
    assert.equal(response.metadata.reason, 'silence_or_noise');
    await client.settled();
    assert.deepEqual(client.of('response.created'), []);
  }
});
