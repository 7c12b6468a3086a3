// Errors and the close: statements 164 to 174.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { base64, connect, open, openAsPublicClient, openByQuery, startDuplexServer, stopServers, tone, userText } from '../lib/duplex.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

test('statement 164: the envelope of an error', async () => {
  const client = await openByQuery(server);
  const named = await client.refused({ type: 'response.cancel' }, 'response_not_active');
  assert.deepEqual(Object.keys(named).sort(), ['error', 'event_id', 'server_event_seq', 'type']);
  assert.deepEqual(Object.keys(named.error).filter((name) => !['param', 'retryable'].includes(name)).sort(), ['code', 'event_id', 'message', 'type']);
  assert.notEqual(named.event_id, named.error.event_id);
  client.send({ type: 'response.cancel' });
  const { error } = await client.error('response_not_active');
  assert.ok(!('event_id' in error));
});

test('statement 165: the classes of errors', async () => {
  // That of every error of every test is held against the statement (duplex_rules.mjs); here one of each class.
  const client = await open(server, 'failing', { auto: true });
  client.allows('engine_error', 'runtime_append_failed');
  client.tone(200);
  assert.equal((await client.refused({ type: 'input_audio_buffer.commit' }, 'commit_aborted')).error.type, 'server_error');
  assert.equal((await client.refused({ type: 'nonsense' }, 'unknown_event')).error.type, 'invalid_request_error');
  const busy = await open(server, 'stalling', { auto: true });
  for (let turn = 0; turn < 4; ++turn) {
    busy.tone(200);
    busy.commit();
  }
  busy.tone(200);
  assert.equal((await busy.refused({ type: 'input_audio_buffer.commit' }, 'input_backpressure')).error.type, 'rate_limit_error');
});

test('statement 166: what is no event, and the session lives on', async () => {
  const client = await openByQuery(server);
  for (const [message, code] of [
    ['{"type":', 'invalid_json'],
    ['nonsense', 'invalid_json'],
    ['', 'invalid_json'],
    ['[]', 'bad_event'],
    ['null', 'bad_event'],
    ['"session.heartbeat"', 'bad_event'],
    ['{}', 'bad_event'],
    ['{"type":7}', 'bad_event'],
    ['{"type":"session.destroy"}', 'unknown_event'],
    ['{"type":""}', 'unknown_event'],
  ]) {
    client.send(message);
    const error = await client.error(code);
    assert.ok(!('server_event_seq' in error), message);
  }
  await client.settled();
});

test('statement 167: no error ends a session', async () => {
  const client = await openByQuery(server);
  for (const [event, code] of [
    [{ type: 'response.cancel' }, 'response_not_active'],
    [{ type: 'session.update', session: { model: 'listener' } }, 'model_update_unsupported'],
    [{ type: 'input_audio_buffer.commit' }, 'input_audio_buffer_empty'],
    [{ type: 'input_audio_buffer.append', audio: 'A' }, 'bad_audio'],
    [{ type: 'playback.ack' }, 'bad_event'],
    [{ type: 'conversation.item.retrieve', item_id: 'item_none' }, 'item_not_found'],
  ])
    await client.refused(event, code);
  client.speak();
  assert.equal((await client.response()).done.status, 'completed');
});

test('statement 168: a command behind a close', async () => {
  const client = await openByQuery(server, 'storyteller');
  client.speak();
  await client.speaking();
  client.send({ type: 'session.close' });
  client.send({ type: 'session.heartbeat', event_id: 'late' });
  client.allows('session_closed', 'unknown_session');
  await client.closed;
  assert.equal(client.all.at(-1).type, 'session.closed');
  for (const { error } of client.of('error')) assert.equal(error.event_id, 'late');
});

test('statement 169: harmless input gives no error', async () => {
  const client = await openAsPublicClient(server, 'talker', { auto: true, temperature: 0.7, max_response_output_tokens: 4096, tools: [], tool_choice: 'auto', speed: 1 });
  client.send({ type: 'session.heartbeat', event_id: 'a' });
  await client.update({ instructions: 'Be brief.' });
  for (let turn = 0; turn < 3; ++turn) {
    client.send({ type: 'input_audio_buffer.append', audio: base64(tone(300)), format: 'pcm16', sample_rate_hz: 16000, duration_ms: 300, audio_end_ms: 300, is_speech: true, vad: { is_speech: true } });
    client.commit({ final: true });
    const { id, item, done } = await client.response();
    client.ack(id, done.metadata.playback.sent_ms, { item_id: item });
    client.ack(id, done.metadata.playback.sent_ms, { item_id: item });
    client.ack(id, done.metadata.playback.sent_ms, { item_id: item, committed_ms: done.metadata.playback.sent_ms, truncate: false });
  }
  client.send({ type: 'output_audio_buffer.clear' });
  client.send({ type: 'input_audio_buffer.clear' });
  client.send({ type: 'input_audio_buffer.clear' });
  client.send(userText('Hello.'));
  client.send({ type: 'barge_in' });
  client.send({ type: 'input.cancel' });
  await client.settled();
  assert.deepEqual(client.of('error'), []);
});

for (const type of ['session.close', 'close', 'close_session'])
  test(`statement 170: ${type} is answered last, and the socket closes`, async () => {
    for (const reason of [undefined, 'enough']) {
      const client = await openByQuery(server);
      const { event, socket } = await client.close({ type, reason });
      assert.deepEqual([event.session_id, event.reason], [client.id, reason ?? 'client_close']);
      assert.ok('event' in event);
      assert.deepEqual(socket, { code: 1000, reason: reason ?? 'client_close' });
      assert.equal(client.all.at(-1), event);
    }
  });

test('statement 171: session.closed comes once, also for many closes', async () => {
  const client = await openByQuery(server);
  client.allows('session_closed', 'unknown_session');
  for (let i = 0; i < 5; ++i) client.send({ type: 'session.close' });
  await client.closed;
  assert.equal(client.of('session.closed').length + client.of('session.expired').length, 1);
});

test('statement 172: an answer that still runs is ended first', async () => {
  const client = await openByQuery(server, 'storyteller');
  client.speak();
  const { id } = await client.speaking();
  await client.close();
  const { done } = client.summary(id);
  assert.deepEqual([done.status, done.status_details.reason], ['cancelled', 'session_close']);
  assert.equal(client.all.at(-1).type, 'session.closed');
});

test('statement 173: what filled no unit is thrown away', async () => {
  const client = await open(server, 'listener', { auto: true });
  client.tone(300);
  await client.next('response.listen');
  await client.close();
  assert.equal(client.of('response.listen').filter(({ response }) => !response.metadata.buffering).length, 1);
});

test('statement 174: what was queued before a close comes before session.closed, in order', async () => {
  const client = await openByQuery(server);
  for (let i = 0; i < 20; ++i) client.send({ ...userText(`Number ${i}.`) });
  client.tone(1000, { transcript: 'hello' });
  client.commit();
  client.send({ type: 'session.heartbeat' });
  client.send({ type: 'session.close' });
  await client.closed;
  const texts = client.of('conversation.item.done').map(({ item }) => item.content[0].text ?? item.content[0].transcript);
  assert.deepEqual(texts, [...Array.from({ length: 20 }, (_, i) => `Number ${i}.`), 'hello']);
  assert.deepEqual(client.all.slice(-2).map(({ type }) => type), ['session.heartbeat_ack', 'session.closed']);
  assert.equal(client.all.at(-1).reason, 'client_close');
});

test('statement 175: the reason of a client is handed back, a shutdown has its own', async () => {
  const other = await startDuplexServer('--set', 'server.drain_timeout_s=0');
  const client = await openByQuery(other);
  await other.stop();
  await client.closed;
  assert.equal(client.of('session.closed')[0].reason, 'shutdown');
  const first = await connect(server, 'autostart=0');
  first.send({ type: 'session.close', reason: 'never mind' });
  assert.equal((await first.next('session.closed')).reason, 'never mind');
});
