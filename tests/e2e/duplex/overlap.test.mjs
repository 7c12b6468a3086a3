// Listening and speaking, and speech over an answer: statements 102 to 116.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { askedByText, open, openByQuery, startDuplexServer, stopServers } from '../lib/duplex.mjs';
import { silenceBetween, spokenWords } from '../lib/duplex_speech.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const decisionsOf = (client) => client.of('overlap.decision');
/** A session with an answer of more than ten seconds under way. */
async function answering(model = 'storyteller', session = {}) {
  const client = await open(server, model, session);
  if (session.turn_detection && !session.auto) return { client, ...(await askedByText(client)) };
  if (session.auto) client.tone(200);
  else client.speak();
  return { client, ...(await client.speaking()) };
}
const goesOn = (client, id) => client.next((event) => event.type === 'response.output_audio.delta' && event.response_id === id);
async function interrupted(client, id) {
  const { done } = await client.ended(id);
  assert.equal(done.status, 'cancelled');
  return done.status_details.reason;
}
/** The decision about so much more sound. */
async function over(client, ms, more = {}) {
  client.tone(ms, more);
  const { action, reason, metadata } = await client.next('overlap.decision');
  return { said: [action, reason], metadata };
}

test('statement 102: response.speak comes once, behind the part and before the audio', async () => {
  const { client, id, item } = await answering();
  const { types, of } = client.summary(id);
  assert.equal(of('response.speak').length, 1);
  assert.ok(types.indexOf('response.speak') > types.indexOf('response.content_part.added'));
  assert.ok(types.indexOf('response.speak') < types.indexOf('response.output_audio.delta'));
  const [speak] = of('response.speak');
  assert.deepEqual([speak.response_id, speak.item_id, 'text' in speak], [id, item, false]);
  assert.deepEqual(speak.metadata, { session_id: client.id, epoch: 0, model_speak: true });
});

test('statement 103: what response.listen says', async () => {
  const client = await open(server, 'listener', { auto: true });
  client.tone(200);
  const { session_id, epoch, response } = await client.next('response.listen');
  assert.deepEqual([session_id, epoch, response.status], [client.id, 0, 'listening']);
  const { metadata } = response;
  assert.deepEqual([metadata.model_listen, metadata.reason, metadata.session_id, metadata.epoch], [true, 'model_listen', client.id, 0]);
  assert.notEqual(metadata.buffering, true);
});

test('statement 104: it names a response only where it ends one', async () => {
  const client = await openByQuery(server, 'listener');
  client.speak();
  const { id, of } = await client.response();
  const [listen] = of('response.listen').slice(-1);
  assert.equal(listen.response_id, id);
  assert.equal(listen.response.id, id);
  const other = await open(server, 'listener', { auto: true });
  other.tone(200);
  const alone = await other.next('response.listen');
  assert.ok(!('response_id' in alone));
  assert.deepEqual(other.of('response.done'), []);
});
test('statement 104: one without a name ends no response', async () => {
  const { client, id } = await answering('eager_storyteller', { auto: true });
  for (let unit = 0; unit < 4; ++unit) client.tone(200);
  await client.settled();
  await goesOn(client, id);
  for (const listen of client.of('response.listen')) assert.ok(!('response_id' in listen));
});

test('statement 105: a listen for each unit of an answering session that is listened to', async () => {
  const client = await open(server, 'listener', { auto: true });
  for (let unit = 0; unit < 5; ++unit) {
    client.tone(200);
    await client.next('response.listen');
  }
  await client.settled();
  assert.equal(client.of('response.listen').filter(({ response }) => !response.metadata.buffering).length, 5);
});

test('statement 106: a turn without audio and text is a listen', async () => {
  const client = await open(server, 'silent', { auto: true });
  client.tone(200);
  await client.next('response.listen');
  client.silence(200); // it would speak here
  const { response } = await client.next('response.listen');
  assert.equal(response.metadata.model_listen, true);
  await client.settled();
  assert.deepEqual(client.of('response.created'), []);
});

test('statement 107: an answering session with listen_only gives speech to the model, and decides nothing', async () => {
  const { client, id } = await answering('eager_storyteller', { auto: true });
  client.tone(2000);
  await client.settled();
  await goesOn(client, id);
  assert.deepEqual(decisionsOf(client), []);
});

test('statement 108: else an append over an answer gives one decision', async () => {
  const { client, id } = await answering();
  client.tone(300);
  const { session_id, epoch, policy, action, reason, metadata } = await client.next('overlap.decision');
  assert.deepEqual([session_id, epoch, policy, action, reason], [client.id, 0, 'listen_only', 'listen', 'policy_listen_only']);
  assert.deepEqual([metadata.duration_ms, metadata.overlap_speech_ms], [300, 300]);
  for (const name of ['buffer_audio', 'defer_runtime_append', 'force_listen']) assert.equal(typeof metadata[name], 'boolean', name);
  client.tone(200);
  assert.equal((await client.next('overlap.decision')).metadata.overlap_speech_ms, 500);
  await client.settled();
  assert.equal(decisionsOf(client).length, 2);
  await goesOn(client, id);
});

const words = { barge_in: ['barge_in', 'interrupt', 'cancel'], listen: ['listen', 'continue', 'continue_output', 'ack'], drop: ['drop', 'ignore', 'silence'] };
for (const [action, wishes] of Object.entries(words))
  for (const wish of wishes)
    test(`statement 109: the client’s overlap_action ${wish} gives ${action}`, async () => {
      for (const name of ['overlap_action', 'overlap']) {
        const { client, id } = await answering();
        const decision = await over(client, 300, { [name]: wish });
        assert.deepEqual(decision.said, [action, 'client_overlap_action']);
        if (action === 'barge_in') await interrupted(client, id);
        else await goesOn(client, id);
      }
    });
test('statement 109: force_barge_in gives barge_in', async () => {
  const { client, id } = await answering();
  assert.deepEqual((await over(client, 300, { force_barge_in: true })).said, ['barge_in', 'client_force_barge_in']);
  await interrupted(client, id);
});

for (const more of [{ overlap_action: 'barge_in' }, { force_barge_in: true }])
  test(`statement 110: on a model without barge-in ${JSON.stringify(more)} is an error, and the append goes on`, async () => {
    const { client, id } = await answering('limited');
    client.tone(300, more);
    const error = await client.error('barge_in_unsupported');
    const decision = client.of('overlap.decision')[0] ?? (await client.next('overlap.decision'));
    assert.equal(decision.action, 'listen');
    assert.ok(error);
    await goesOn(client, id);
  });

test('statement 111: an answering session with barge_in_on_speech is interrupted by an utterance', async () => {
  const { client, id } = await answering('eager_storyteller', { auto: true, turn_detection: { type: 'server_vad' } });
  for (const piece of spokenWords('please stop talking now')) client.append(piece, { sample_rate_hz: 24000 });
  const decision = await client.next((event) => event.type === 'overlap.decision' && event.action === 'barge_in');
  assert.deepEqual([decision.policy, decision.reason], ['barge_in_on_speech', 'server_vad_speech_started']);
  assert.equal(await interrupted(client, id), 'turn_detected');
  await client.settled();
  for (const { action, reason } of decisionsOf(client).slice(decisionsOf(client).indexOf(decision) + 1)) assert.deepEqual([action, reason], ['listen', 'auto_response_continuous']);
});

const short = ['yes', 'Ok.', 'right', 'go on', '好的'];
for (const [more, said] of [
  [{ force_listen: true, is_speech: false }, ['listen', 'client_force_listen']],
  [{ is_speech: false, transcript: 'yes' }, ['drop', 'silence_or_noise']],
  ...short.map((transcript) => [{ transcript }, ['listen', 'short_ack_transcript']]),
  [{ transcript: 'tell me about something else' }, ['listen', 'policy_listen_only']],
])
  test(`statement 112: ${JSON.stringify(more)} over an answer gives ${said.join(', ')}`, async () => {
    const { client, id } = await answering();
    const decision = await over(client, 300, more);
    assert.deepEqual(decision.said, said);
    if (said[1] === 'short_ack_transcript') assert.equal(decision.metadata.buffer_audio, false);
    await goesOn(client, id);
  });

test('statement 113: barge_in_on_speech interrupts where an utterance starts', async () => {
  const { client, id } = await answering('storyteller', { turn_detection: { type: 'server_vad' } });
  for (const piece of spokenWords('please stop talking now')) client.append(piece, { sample_rate_hz: 24000 });
  const { reason } = await client.next((event) => event.type === 'overlap.decision' && event.action === 'barge_in');
  assert.equal(reason, 'server_vad_speech_started');
  assert.equal(await interrupted(client, id), 'turn_detected');
});
test('statement 113: the rest of an utterance is listened to', async () => {
  const { client, id } = await answering('uninterruptible', { turn_detection: { type: 'server_vad' } });
  client.allows('barge_in_unsupported');
  for (const piece of [...spokenWords('please stop talking now'), silenceBetween]) client.append(piece, { sample_rate_hz: 24000 });
  await client.next('input_audio_buffer.speech_stopped');
  const reasons = decisionsOf(client).map(({ action, reason }) => `${action} ${reason}`);
  assert.ok(reasons.includes('listen server_vad_utterance_active'), reasons.join());
  assert.ok(!reasons.some((one) => one.startsWith('barge_in')), reasons.join());
  await goesOn(client, id);
});

test('statement 114: by length', async () => {
  const { client, id } = await answering('storyteller', { overlap_policy: 'by_length' });
  assert.deepEqual((await over(client, 300)).said, ['listen', 'short_ack']);
  assert.deepEqual((await over(client, 400)).said, ['listen', 'short_ack']); // 700 ms
  assert.deepEqual((await over(client, 100)).said, ['listen', 'accumulating_overlap_speech']);
  assert.deepEqual((await over(client, 399)).said, ['listen', 'accumulating_overlap_speech']); // 1199 ms
  assert.deepEqual((await over(client, 1)).said, ['barge_in', 'long_overlap_speech']);
  await interrupted(client, id);
});
test('statement 110, 114: by length on a model without barge-in', async () => {
  const { client, id } = await answering('limited', { overlap_policy: 'by_length' });
  assert.deepEqual((await over(client, 1500)).said, ['listen', 'barge_in_unsupported']);
  await goesOn(client, id);
});

test('statement 115: a dropped append closes the speech item', async () => {
  const { client } = await answering();
  client.tone(300);
  const { item_id } = await client.next('input_audio_buffer.speech_started');
  client.tone(300, { overlap_action: 'drop' });
  assert.equal((await client.next('input_audio_buffer.speech_stopped')).item_id, item_id);
});

test('statement 116: the length counts from zero at every end and cancel', async () => {
  const client = await open(server, 'storyteller', { overlap_policy: 'by_length' });
  for (let turn = 0; turn < 3; ++turn) {
    client.speak();
    const { id } = await client.speaking();
    const { said, metadata } = await over(client, 600);
    assert.deepEqual([said, metadata.overlap_speech_ms], [['listen', 'short_ack'], 600]);
    client.send({ type: 'input_audio_buffer.clear' });
    client.send({ type: 'response.cancel' });
    await client.ended(id);
  }
});
