// session.update on an open session: statements 29 to 41.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect, open, openByQuery, startDuplexServer, stopServers } from '../lib/duplex.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const update = (session) => ({ type: 'session.update', session });
const vad = (more = {}) => ({ type: 'server_vad', ...more });
const listens = (client) => client.of('response.listen').filter(({ response }) => response.metadata.model_listen === true && !response.metadata.buffering).length;

test('statement 29: one session.updated with the whole new object', async () => {
  const client = await openByQuery(server);
  const before = client.of('session.created')[0].session;
  const { session } = await client.update({ instructions: 'Be brief.', overlap_barge_in_ms: 1500 });
  assert.deepEqual(session, { ...before, instructions: 'Be brief.', overlap_barge_in_ms: 1500 });
  await client.settled();
  assert.equal(client.of('session.updated').length, 2); // with that of the open
});

test('statement 30: an update waits for the append before it', async () => {
  const client = await open(server, 'listener', { auto: true });
  client.tone(200);
  client.send(update({ instructions: 'Be brief.' }));
  const came = (await client.until('session.updated')).map(({ type }) => type);
  assert.ok(came.includes('response.listen'), came.join());
});
test('statement 30: if that append failed the update is aborted', async () => {
  const client = await open(server, 'failing', { auto: true });
  client.allows('engine_error', 'runtime_append_failed');
  client.tone(200);
  await client.refused(update({ instructions: 'Be brief.' }), 'session_update_aborted');
  const { session } = await client.update({ overlap_short_ack_ms: 600 });
  assert.notEqual(session.instructions, 'Be brief.');
});

test('statement 31: another model is refused, the same is not', async () => {
  const client = await openByQuery(server);
  await client.refused(update({ model: 'listener' }), 'model_update_unsupported');
  assert.equal((await client.update({ model: 'talker', instructions: 'Be brief.' })).session.instructions, 'Be brief.');
});

test('statement 32: the voice can be changed until there was audio', async () => {
  const client = await openByQuery(server);
  const { session } = await client.update({ voice: 'alloy' });
  assert.equal(session.voice, 'alloy');
  client.speak();
  await client.response();
  await client.refused(update({ voice: 'echo' }), 'voice_update_after_audio_unsupported');
  assert.equal((await client.update({ instructions: 'Be brief.' })).session.voice, 'alloy');
});

test('statement 33: ref_audio can not be given later', async () => {
  const client = await openByQuery(server);
  await client.refused(update({ ref_audio: 'data:audio/wav;base64,UklGRg==' }), 'ref_audio_update_unsupported');
});

test('statement 34: other instructions come too late once the model has its context', async () => {
  const client = await open(server, 'limited', { auto: true, instructions: 'Be brief.' });
  assert.equal((await client.update({ instructions: 'Be kind.' })).session.instructions, 'Be kind.');
  client.tone(200);
  await client.next('response.listen');
  await client.refused(update({ instructions: 'Be rude.' }), 'instructions_update_unsupported');
  assert.equal((await client.update({ instructions: 'Be kind.' })).session.instructions, 'Be kind.');
});

test('statement 35: audio needs a reference voice on a model that needs one', async () => {
  const client = await open(server, 'voiceless', { modalities: ['text'] });
  await client.refused(update({ modalities: ['text', 'audio'] }), 'ref_audio_required');
  const refused = await connect(server, 'autostart=0');
  refused.send(update({ model: 'voiceless' }));
  await refused.error('ref_audio_required');
  const voiced = await open(server, 'voiceless', { ref_audio: 'data:audio/wav;base64,UklGRg==' });
  assert.deepEqual([...voiced.of('session.updated')[0].session.modalities].sort(), ['audio', 'text']);
});

test('statement 36: keys of the runtime are none of a client’s', async () => {
  const client = await openByQuery(server);
  for (const key of ['duplex_stage_max_tokens', 'runtime_config']) {
    await client.refused(update({ extra_body: { [key]: 1 } }), 'invalid_duplex_runtime_config');
    const other = await connect(server, 'autostart=0');
    other.send(update({ extra_body: { [key]: 1 } }));
    await other.error('invalid_duplex_runtime_config');
  }
});

const inputs = ['pcm16', 'pcm_s16le', 's16le', 'pcm_f32le', 'g711_ulaw', 'g711_alaw'];
const outputs = ['pcm16', 'pcm_s16le', 's16le', 'g711_ulaw', 'g711_alaw', 'wav', 'pcm'];
test('statement 37: the formats of both directions', async () => {
  const client = await openByQuery(server);
  for (const input_audio_format of inputs) await client.update({ input_audio_format });
  for (const output_audio_format of outputs) await client.update({ output_audio_format });
  for (const session of [{ input_audio_format: 'wav' }, { input_audio_format: 'mp3' }, { output_audio_format: 'pcm_f32le' }, { output_audio_format: 'opus' }])
    await client.refused(update(session), 'unsupported_audio_format');
});
test('statement 37: beta strings and format objects are both read', async () => {
  const client = await openByQuery(server);
  assert.equal((await client.update({ input_audio_format: 'g711_alaw' })).session.input_audio_format, 'g711_alaw');
  const { session } = await client.update({ audio: { input: { format: { type: 'audio/pcmu' } } } });
  assert.equal(session.input_audio_format, 'g711_ulaw');
  await client.refused(update({ audio: { input: { format: { type: 'audio/mpeg' } } } }), 'unsupported_audio_format');
});

const badDetections = [
  ['type', 'none'],
  ['type', vad({ type: 'telepathy' })],
  ['interrupt_response', vad({ interrupt_response: false })],
  ['threshold', vad({ threshold: 0 })],
  ['threshold', vad({ threshold: 1.01 })],
  ['prefix_padding_ms', vad({ prefix_padding_ms: -1 })],
  ['silence_duration_ms', vad({ silence_duration_ms: -1 })],
  ['min_speech_ms', vad({ min_speech_ms: -1 })],
];
for (const [field, turn_detection] of badDetections)
  test(`statement 38: turn_detection ${JSON.stringify(turn_detection)} is refused`, async () => {
    const client = await openByQuery(server);
    const { error } = await client.refused(update({ turn_detection }), 'unsupported_turn_detection');
    assert.ok(error.message.includes(typeof turn_detection === 'string' ? 'turn_detection' : field), error.message);
  });
test('statement 38: so is an overlap_policy that contradicts it', async () => {
  const client = await openByQuery(server);
  for (const session of [{ overlap_policy: 'barge_in_on_speech' }, { overlap_policy: 'listen_only', turn_detection: vad() }, { overlap_policy: 'barge_in_on_speech', turn_detection: null }])
    assert.match((await client.refused(update(session), 'unsupported_turn_detection')).error.message, /overlap_policy/);
});

test('statement 39: server_vad shows its defaults and interrupts; null does not', async () => {
  const client = await openByQuery(server);
  const on = (await client.update({ turn_detection: vad() })).session;
  const { type, threshold, prefix_padding_ms, silence_duration_ms, min_speech_ms, interrupt_response } = on.turn_detection;
  assert.deepEqual([type, threshold, prefix_padding_ms, silence_duration_ms, min_speech_ms, interrupt_response], ['server_vad', 0.5, 300, 500, 96, true]);
  assert.equal(on.overlap_policy, 'barge_in_on_speech');
  const off = (await client.update({ turn_detection: null })).session;
  assert.equal(off.turn_detection, null);
  assert.equal(off.overlap_policy, 'listen_only');
});

test('statement 40: of a refused update nothing is applied', async () => {
  const client = await openByQuery(server);
  const before = client.of('session.updated')[0].session;
  await client.refused(update({ instructions: 'Be brief.', overlap_short_ack_ms: 100, model: 'listener' }), 'model_update_unsupported');
  await client.refused(update({ instructions: 'Be brief.', input_audio_format: 'mp3' }), 'unsupported_audio_format');
  assert.deepEqual((await client.update({})).session, before);
});

test('statement 41: a new input format holds for what is appended then', async () => {
  const client = await open(server, 'listener', { auto: true });
  const chunk = Buffer.alloc(1800, 0x55).toString('base64'); // 56 ms of PCM16 at 16 kHz, 225 ms of G.711 at 8 kHz
  client.append(chunk, { is_speech: true });
  await client.settled();
  assert.equal(listens(client), 0);
  await client.update({ input_audio_format: 'g711_ulaw' });
  for (let i = 0; i < 2; ++i) client.append(chunk, { is_speech: true });
  await client.next('response.listen');
  await client.next('response.listen');
});
test('statement 41: also after a resume', async () => {
  const client = await open(server, 'listener', { auto: true, input_audio_format: 'g711_ulaw' });
  const { resume_token, session } = client.of('session.created')[0];
  await client.drop();
  const again = await connect(server, 'autostart=0');
  again.send({ type: 'session.resume', session_id: session.id, resume_token, last_received_server_event_seq: client.all.at(-1).server_event_seq });
  assert.equal((await again.next('session.resumed')).session.input_audio_format, 'g711_ulaw');
  for (let i = 0; i < 2; ++i) again.append(Buffer.alloc(1800, 0x55).toString('base64'), { is_speech: true });
  await again.next('response.listen');
  await again.next('response.listen');
});
