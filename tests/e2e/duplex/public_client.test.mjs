// What the public client and the benchmark of the dialect need: statements 183 to 189.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, openAsPublicClient, openByQuery, silence, startDuplexServer, stopServers, tone } from '../lib/duplex.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const unitSamples = 3200; // 200 ms at 16 kHz
const heard = (client) => client.of('response.listen').filter(({ response }) => response.metadata.model_listen === true && !response.metadata.buffering).length;

test('statement 183: a commit that stays unanswered is followed by a listen of the model', async () => {
  const client = await openAsPublicClient(server, 'listener', { auto: true });
  for (let turn = 0; turn < 3; ++turn) {
    client.tone(300);
    client.commit();
    await client.next('input_audio_buffer.committed');
    const { response } = await client.next((event) => event.type === 'response.listen' && event.response.metadata.model_listen === true);
    assert.equal(response.metadata.reason, 'model_listen');
  }
});

// What a client's run of a soft interruption waits for: speech over an answer that was not asked to stop, then a commit.
test('F20, statement 183: an answer that is spoken over, and a commit over it, end in a listen of the model', async () => {
  const client = await openAsPublicClient(server, 'eager_two_seconds', { auto: true });
  client.tone(200);
  const { id } = await client.speaking();
  for (let piece = 0; piece < 4; ++piece) client.tone(150);
  client.commit();
  const committed = await client.next('input_audio_buffer.committed');
  const { done } = await client.ended(id);
  assert.equal(done.status, 'completed');
  const { response } = await client.next('response.listen');
  assert.deepEqual([response.metadata.model_listen, response.metadata.reason], [true, 'model_listen']);
  const places = [committed, client.of('response.done').at(-1), client.of('response.listen').at(-1)].map((event) => client.all.indexOf(event));
  assert.deepEqual(places, places.toSorted((a, b) => a - b));
  assert.equal(heard(client), 1);
});
test('F20, statement 183: one between an answer and the commit behind it, and one behind the last answer', async () => {
  const client = await openAsPublicClient(server, 'talker', { auto: true });
  client.tone(200);
  client.silence(200);
  await client.response();
  await client.next('response.listen');
  client.tone(100);
  client.commit();
  await client.next('input_audio_buffer.committed');
  await client.response();
  await client.next('response.listen');
  assert.equal(client.of('response.done').length, 2);
});

for (const [more, decisions] of [[1, 2], [unitSamples - 1, 2]])
  test(`statement 184: ${unitSamples + more} samples and a commit give ${decisions} decisions`, async () => {
    const client = await open(server, 'listener', { auto: true });
    client.append(tone(400).slice(0, unitSamples + more));
    client.commit();
    await client.next('input_audio_buffer.committed');
    await client.settled();
    while (heard(client) < decisions) await client.next('response.listen');
    assert.equal(heard(client), decisions);
  });
test('statement 184: a commit on the boundary of a unit has its decision, before or behind it', async () => {
  const client = await open(server, 'listener', { auto: true });
  client.tone(200);
  client.commit();
  await client.next('input_audio_buffer.committed');
  await client.settled();
  if (heard(client) === 0) await client.next('response.listen');
});
test('statement 184: the sample held back makes the commit flush a unit, and the model speaks', async () => {
  const client = await open(server, 'talker', { auto: true });
  client.append(tone(200).slice(0, unitSamples - 1));
  await client.settled();
  assert.equal(heard(client), 0);
  client.commit();
  assert.equal((await client.response()).done.status, 'completed');
});

test('statement 185: every numbered event is acknowledged, also while the session closes', async () => {
  const client = await openAsPublicClient(server, 'storyteller');
  client.speak();
  await client.speaking();
  const { event, socket } = await client.close();
  assert.equal(client.all.at(-1), event);
  assert.equal(socket.code, 1000);
  assert.deepEqual(client.of('error'), []);
});

test('statement 186: the id of a session is found', async () => {
  const client = await openByQuery(server);
  for (const { session, session_id } of client.all.slice(0, 2)) assert.match(session.session_id ?? session.id ?? session_id, /^duplex-[0-9a-f]{32}$/);
});

test('statement 187: the session of the public client', async () => {
  const client = await openAsPublicClient(server, 'listener', { auto: true, sample_rate_hz: 24000, audio: { input: { sample_rate_hz: 24000 }, output: { sample_rate_hz: 24000 } } });
  const { session } = client.of('session.updated')[0];
  assert.deepEqual([session.turn_detection, session.overlap_policy], [null, 'listen_only']);
  client.append(silence(660, 24000)); // three units, as 24 kHz
  client.commit();
  await client.next('input_audio_buffer.committed');
  await client.settled();
  assert.ok(heard(client) <= 4);
});
test('statement 187: rates of the session hold for appends', async () => {
  const client = await open(server, 'listener', { auto: true, sample_rate_hz: 48000 });
  client.append(tone(260, 48000));
  client.tone(80, { sample_rate_hz: 16000 }); // its own
  await client.next('response.listen');
  client.tone(100, { sample_rate_hz: 16000 });
  await client.next('response.listen');
  await client.settled();
  assert.equal(heard(client), 2);
});

test('statement 189: stage metrics, where there are any', async () => {
  const client = await openByQuery(server);
  client.speak();
  const { deltas, done } = await client.response();
  for (const { metadata } of [...deltas, done]) {
    assert.equal(typeof metadata, 'object');
    for (const stage of Object.values(metadata.vllm_omni?.stage_metrics ?? {}))
      for (const name of ['num_tokens_out', 'vllm_ttft_ms', 'vllm_tpot_ms', 'vllm_itls_ms']) assert.ok(name in stage, name);
  }
});
