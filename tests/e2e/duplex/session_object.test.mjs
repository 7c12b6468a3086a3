// What a session shows of itself: statements 16 to 20.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, openByQuery, startDuplexServer, stopServers } from '../lib/duplex.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const created = (client) => client.of('session.created')[0].session;

test('statement 16: the session object has every member', async () => {
  const session = created(await openByQuery(server));
  const given = { object: 'realtime.session', type: 'realtime', model: 'talker', state: 'open', turn_state: 'idle', epoch: 0, turn_id: 0 };
  for (const [name, value] of Object.entries(given)) assert.equal(session[name], value, name);
  const names = [
    ...['id', 'active_request_id', 'active_response_id', 'active_response_turn_id', 'modalities', 'output_modalities', 'instructions', 'voice'],
    ...['response_format', 'input_audio_format', 'output_audio_format', 'audio', 'temperature', 'max_tokens', 'speed', 'idle_timeout_s'],
    ...['overlap_policy', 'overlap_short_ack_ms', 'overlap_barge_in_ms', 'overlap_silence_rms', 'playback_commit_policy', 'turn_detection'],
    ...['playback', 'capabilities'],
  ];
  for (const name of names) assert.ok(name in session, name);
  assert.equal(session.active_response_id, null);
  assert.ok(session.audio.input.format && session.audio.output.format);
  assert.deepEqual(Object.values(session.playback), [0, 0, 0, 0]);
  assert.deepEqual(Object.keys(session.playback).sort(), ['committed_ms', 'generated_ms', 'played_ms', 'sent_ms']);
});

test('statement 17: the defaults', async () => {
  const session = created(await openByQuery(server));
  const defaults = { overlap_policy: 'listen_only', overlap_short_ack_ms: 700, overlap_barge_in_ms: 1200, overlap_silence_rms: 0.003, idle_timeout_s: 300, input_audio_format: 'pcm16' };
  for (const [name, value] of Object.entries(defaults)) assert.equal(session[name], value, name);
  assert.deepEqual([...session.modalities].sort(), ['audio', 'text']);
  assert.deepEqual([...session.output_modalities].sort(), ['audio', 'text']);
  const { input } = session.audio;
  assert.equal(input.sample_rate_hz ?? input.format.sample_rate_hz ?? input.format.rate, 16000);
});

test('statement 18: the capabilities of the model', async () => {
  const of = async (model) => created(await openByQuery(server, model)).capabilities;
  const full = await of('talker');
  assert.equal(typeof full.implementation_level, 'string');
  for (const name of ['supports_barge_in', 'supports_session_resume', 'supports_audio_truncate', 'supports_image_input']) assert.equal(full[name], true, name);
  for (const name of ['supports_session_lease', 'supports_multi_session']) assert.equal(typeof full[name], 'boolean', name);
  assert.equal(full.session_admission_mode, 'engine_managed');
  assert.equal(full.chunk_period_ms, 200);
  for (const name of ['input_modes', 'signal_sources', 'required_input_modalities', 'optional_input_modalities']) assert.ok(Array.isArray(full[name]), name);
  assert.ok(full.required_input_modalities.includes('audio'));
  assert.ok(full.optional_input_modalities.includes('video'));

  const limited = await of('limited');
  for (const name of ['supports_barge_in', 'supports_session_resume', 'supports_audio_truncate', 'supports_image_input']) assert.equal(limited[name], false, name);
  assert.ok(![...limited.required_input_modalities, ...limited.optional_input_modalities].includes('video'));
  assert.ok((await of('seeing')).required_input_modalities.includes('video'));

  const turnBased = await of('turns');
  assert.equal(turnBased.chunk_period_ms, 1000);
  assert.equal(turnBased.session_admission_mode, 'engine_managed');
});

test('statement 19: playback_commit_policy is ack_only at the open, whatever was asked', async () => {
  assert.equal(created(await openByQuery(server)).playback_commit_policy, 'ack_only');
  const client = await open(server, 'talker', { playback_commit_policy: 'commit_all_on_done' });
  assert.equal(created(client).playback_commit_policy, 'ack_only');
  const { session } = await client.update({ playback_commit_policy: 'commit_all_on_done' });
  assert.equal(session.playback_commit_policy, 'commit_all_on_done');
});

test('statement 20: an unknown policy falls back to a default', async () => {
  const client = await open(server, 'talker', { overlap_policy: 'shout', playback_commit_policy: 'never' });
  assert.equal(created(client).overlap_policy, 'listen_only');
  assert.equal(created(client).playback_commit_policy, 'ack_only');
  const { session } = await client.update({ overlap_policy: 'whisper', playback_commit_policy: 'at times' });
  assert.equal(session.overlap_policy, 'listen_only');
  assert.ok(['ack_only', 'commit_all_on_done', 'estimate'].includes(session.playback_commit_policy));
});
