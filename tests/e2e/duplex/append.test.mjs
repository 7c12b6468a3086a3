// input_audio_buffer.append: statements 42 to 58.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { base64, open, openByQuery, silence, startDuplexServer, stopServers, tone } from '../lib/duplex.mjs';

let server, tight;
before(async () => {
  server = await startDuplexServer();
  tight = await startDuplexServer('--set', 'limits.pending_input_bytes=64000'); // two seconds of PCM16 at 16 kHz
});
after(() => stopServers(server, tight));

const appended = (audio, more = {}) => ({ type: 'input_audio_buffer.append', audio, ...more });
const commit = { type: 'input_audio_buffer.commit' };
const speech = base64(tone(300));
/** Nothing of what was refused is in the buffer. */
const bufferIsEmpty = (client) => client.refused(commit, 'input_audio_buffer_empty');
const decisions = (events) => events.filter(({ type, response }) => type === 'response.listen' && response.metadata.model_listen === true && !response.metadata.buffering);
const startedBy = async (client) => (await client.settled()).filter(({ type }) => type === 'input_audio_buffer.speech_started');

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xd9]).toString('base64');

test('statement 42: an append without audio and frames is a bad_event', async () => {
  const client = await openByQuery(server);
  await client.refused({ type: 'input_audio_buffer.append' }, 'bad_event');
  client.send({ type: 'input_audio_buffer.append', delta: speech });
  await client.next('input_audio_buffer.speech_started');
});

test('statement 43: formats outside the list, and aliases of other routes', async () => {
  const client = await openByQuery(server);
  await client.refused(appended(speech, { format: 'mp3' }), 'unsupported_audio_format');
  await client.refused(appended(speech, { input_audio_format: 'wav' }), 'unsupported_audio_format');
  for (const type of ['push_chunk', 'input.audio.append']) await client.refused(appended(speech, { type }), 'unknown_event');
  await bufferIsEmpty(client);
});

test('statement 44: rates are whole numbers from 8000 to 192000', async () => {
  const client = await openByQuery(server);
  for (const format of ['pcm16', 'g711_ulaw'])
    for (const sample_rate_hz of [7999, 192001, 16000.5, -1, '16000']) await client.refused(appended(speech, { format, sample_rate_hz }), 'bad_event');
  await bufferIsEmpty(client);
  client.append(tone(300, 8000), { sample_rate_hz: 8000 });
  client.append(tone(300, 192000), { sample_rate_hz: 192000 });
  client.commit();
  await client.next('input_audio_buffer.committed');
});
for (const rate of [8000, 24000, 44100, 48000])
  test(`statement 44: audio of ${rate} Hz is resampled to 16 kHz`, async () => {
    const client = await open(server, 'listener', { auto: true });
    client.append(tone(1060, rate), { sample_rate_hz: rate }); // five units, and less than a sixth
    client.commit();
    await client.next('input_audio_buffer.committed');
    await client.settled();
    // The commit flushes the rest as a sixth unit, whose decision may come behind it.
    while (decisions(client.all).length < 6) await client.next('response.listen');
    assert.equal(decisions(client.all).length, 6);
  });

test('statement 45: half a sample is refused, and so is what is no base64', async () => {
  const client = await openByQuery(server);
  await client.refused(appended(Buffer.alloc(3201, 0x20).toString('base64')), 'bad_audio');
  await client.refused(appended('A'), 'bad_audio');
  await bufferIsEmpty(client);
});
test('statement 45: base64 is read leniently', async () => {
  const client = await open(server, 'listener', { auto: true });
  const whole = base64(tone(200));
  client.append(`  ${whole.slice(0, 100)}\n${whole.slice(100, 1001)}*%${whole.slice(1001)}  `);
  await client.next('response.listen');
});

test('statement 46: the format of an append is its own, and G.711 is 8000 Hz', async () => {
  const client = await open(server, 'listener', { auto: true });
  const chunk = Buffer.alloc(1800, 0x55).toString('base64'); // 225 ms of G.711
  for (const more of [{ format: 'g711_ulaw' }, { input_audio_format: 'g711_alaw' }, { format: 'g711_ulaw', input_audio_format: 'pcm16' }]) {
    client.append(chunk, more);
    await client.next('response.listen');
  }
  const other = await open(server, 'listener', { auto: true });
  other.append(tone(350, 8000), { sample_rate_hz: 8000 }); // 175 ms at the rate of the session
  other.append(chunk, { format: 'g711_ulaw', sample_rate_hz: 16000 }); // 112 ms at its own
  await other.next('response.listen');
  await other.next('response.listen');
  assert.deepEqual(decisions(await other.settled()), []);
});

test('statement 47: video frames are at most two bare JPEG or PNG images', async () => {
  const client = await openByQuery(server);
  const gif = Buffer.from('GIF89a and so on').toString('base64');
  const large = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(3_000_000)]).toString('base64'); // 4,000,008 characters
  for (const video_frames of ['x', png, {}, [png, png, png], [7], ['!'], [gif], [`data:image/png;base64,${png}`], [large]])
    await client.refused(appended(speech, { video_frames }), 'invalid_video_frames');
  await client.refused(appended(speech, { video_frames: [png], max_slice_nums: 2 }), 'invalid_video_frames');
  await bufferIsEmpty(client);
  client.tone(300, { video_frames: [png, null, jpeg], max_slice_nums: 1 });
  client.commit();
  await client.next('input_audio_buffer.committed');
});

test('statement 48: frames where the model takes none are refused', async () => {
  const client = await openByQuery(server, 'limited');
  const { error } = await client.refused(appended(speech, { video_frames: [png] }), 'unsupported');
  assert.ok(error.message.length > 0);
  await bufferIsEmpty(client);
});
test('statement 48: so are frames without audio where the model needs audio with them', async () => {
  const client = await openByQuery(server, 'seeing');
  assert.ok(client.of('session.created')[0].session.capabilities.required_input_modalities.includes('audio'));
  client.send({ type: 'input_audio_buffer.append', video_frames: [png], event_id: 'alone' });
  const error = await client.next('error');
  client.expected.add(error.event_id);
  assert.equal(error.error.event_id, 'alone');
});

test('F21, statement 48: so is audio without frames where the model needs them with it', async () => {
  const client = await openByQuery(server, 'seeing');
  assert.ok(client.of('session.created')[0].session.capabilities.required_input_modalities.includes('video'));
  await client.refused(appended(base64(tone(200))), 'invalid_video_frames');
  await bufferIsEmpty(client);
  client.tone(150);
  await client.refused({ ...commit, response_create: true }, 'invalid_video_frames');
  client.tone(900, { video_frames: [png] });
  client.commit({ response_create: true });
  assert.equal((await client.response()).done.status, 'completed');
});
test('F4, statement 49: a turn-based model sees the newest frame of a turn', async () => {
  const client = await openByQuery(server, 'turns');
  client.silence(200, { video_frames: [png] });
  client.tone(1000, { video_frames: [png, jpeg] });
  client.commit({ response_create: true });
  assert.equal((await client.response()).transcript, 'I see 1 image.');
  const { content } = client.of('conversation.item.done')[0].item;
  assert.deepEqual(content.map(({ type }) => type), ['input_audio', 'input_image']);
});

test('statement 49: frames go with the unit that their append closes', async () => {
  const client = await open(server, 'seeing', { auto: true });
  for (let unit = 0; unit < 3; ++unit) {
    client.tone(100);
    client.tone(100, { video_frames: unit === 1 ? [png, jpeg] : [png] });
    await client.next('response.listen');
  }
  assert.deepEqual(client.of('error'), []);
});

test('statement 50: a message above 15 MiB is event_too_large, and all lives on', async () => {
  const client = await openByQuery(server);
  client.append('A'.repeat(15 * 1024 * 1024));
  const error = await client.error('event_too_large');
  assert.ok(!('server_event_seq' in error));
  await bufferIsEmpty(client);
});
test('statement 50: a frame above 16 MiB ends the socket with 1009', async () => {
  const client = await openByQuery(server);
  const header = Buffer.alloc(14); // a masked frame of text, of which nothing more is sent
  header.set([0x81, 0xff]);
  header.writeBigUInt64BE(17n * 1024n * 1024n, 2);
  client.socket._socket.write(header);
  assert.equal((await client.closed).code, 1009);
});

test('statement 51: the first speech of an item is announced once', async () => {
  const client = await openByQuery(server);
  client.tone(200);
  const started = await client.next('input_audio_buffer.speech_started');
  assert.equal(started.audio_start_ms, 0);
  assert.ok(started.item_id.length > 0);
  client.tone(200);
  client.tone(200);
  assert.deepEqual(await startedBy(client), []);
  client.commit();
  await client.next('input_audio_buffer.committed');
  client.tone(200);
  const second = await client.next('input_audio_buffer.speech_started');
  assert.notEqual(second.item_id, started.item_id);
});
test('statement 51: with the position that the client gives', async () => {
  const client = await openByQuery(server);
  client.tone(200, { audio_start_ms: 1234 });
  assert.equal((await client.next('input_audio_buffer.speech_started')).audio_start_ms, 1234);
});

// What is asked first decides: the client's word, its detector's word, its probability, the loudness.
const said = [
  [silence, { is_speech: true }, true],
  [silence, { speech: true }, true],
  [silence, { vad: { is_speech: true } }, true],
  [silence, { vad: { probability: 0.5 } }, true],
  [silence, { speech_probability: 0.5 }, true],
  [silence, {}, false],
  [tone, {}, true],
  [tone, { is_speech: false }, false],
  [tone, { speech: false }, false],
  [tone, { vad: { is_speech: false } }, false],
  [tone, { speech_probability: 0.49 }, false],
  [tone, { is_speech: false, vad: { is_speech: true, probability: 1 } }, false],
  [silence, { vad: { is_speech: true, probability: 0 } }, true],
];
for (const [sound, more, isSpeech] of said)
  test(`statement 52: ${sound.name} with ${JSON.stringify(more)} ${isSpeech ? 'is' : 'is not'} speech`, async () => {
    const client = await openByQuery(server);
    client.append(sound(200), more);
    assert.equal((await startedBy(client)).length, isSpeech ? 1 : 0);
  });
test('statement 52: loud enough is what overlap_silence_rms says', async () => {
  const client = await open(server, 'talker', { overlap_silence_rms: 0.9 });
  client.tone(200);
  assert.deepEqual(await startedBy(client), []);
});

test('statement 53: what is marked as not speech starts nothing and holds no audio', async () => {
  const client = await openByQuery(server);
  client.tone(400, { is_speech: false });
  assert.deepEqual(await startedBy(client), []);
  client.commit();
  assert.equal((await client.next('input_audio_buffer.committed')).event.empty, true);
});

test('statement 54: a session that answers on its own gives the model each unit, and each ends in a decision', async () => {
  const listener = await open(server, 'listener', { auto: true });
  listener.tone(600);
  for (let unit = 0; unit < 3; ++unit) await listener.next('response.listen');
  assert.deepEqual(decisions(await listener.settled()), []);
  assert.deepEqual(listener.of('input_audio_buffer.committed'), []);
  const talker = await open(server, 'talker', { auto: true });
  talker.tone(200);
  await talker.next('response.listen');
  talker.silence(200);
  const { done, audio } = await talker.response();
  assert.equal(done.status, 'completed');
  assert.ok(audio.length > 0);
});

test('statement 55: a silent append on a session that does not is skipped', async () => {
  const client = await openByQuery(server);
  client.silence(200);
  const { response } = await client.next('response.listen');
  assert.equal(response.metadata.reason, 'silence_or_noise');
  assert.notEqual(response.metadata.model_listen, true);
  assert.deepEqual(await startedBy(client), []);
});

test('statement 56: text is not appended to a model without text input', async () => {
  const client = await openByQuery(server);
  for (const type of ['input.text.append', 'input_text.append', 'push_text']) await client.refused({ type, text: 'Hello.' }, 'native_text_append_unsupported');
  const reader = await openByQuery(server, 'reading');
  reader.send({ type: 'input.text.append', text: 'Hello.' });
  await reader.settled();
});

test('F21, statement 56: append_text is shown by a model that takes it, and only by that', async () => {
  for (const [model, takes] of [['talker', false], ['reading', true]]) {
    const { capabilities } = (await openByQuery(server, model)).of('session.created')[0].session;
    assert.equal(capabilities.input_modes.includes('append_text'), takes);
  }
});

test('F3, statement 57: appends of nothing have a limit, too', async () => {
  const client = await open(tight, 'stalling', { auto: true });
  client.tone(200);
  let sent = 0;
  while (client.of('error').length === 0 && sent < 10_000) {
    for (let burst = 0; burst < 50; ++burst, ++sent) client.append('');
    await client.settled();
  }
  client.allows('input_backpressure');
  assert.equal(client.of('error')[0]?.error.code, 'input_backpressure');
});

test('statement 57: what waits has a limit, and others do not feel it', async () => {
  const client = await open(tight, 'stalling', { auto: true });
  client.tone(200); // never decided on
  client.tone(1700);
  await client.refused(appended(base64(tone(500))), 'input_backpressure');
  client.tone(10); // that much has room
  await client.settled();
  const other = await open(tight, 'listener', { auto: true });
  other.tone(200);
  await other.next('response.listen');
});

test('statement 58: after an append that failed a later one starts afresh', async () => {
  const client = await open(server, 'failing_later', { auto: true });
  client.allows('engine_error', 'runtime_append_failed');
  client.tone(200);
  await client.next('response.listen');
  client.tone(400); // the first half of it is the unit that is not taken
  client.tone(200);
  await client.settled();
  const before = decisions(client.all).length;
  client.tone(200);
  await client.next('response.listen');
  assert.ok(decisions(client.all).length > before);
});
