// How a session of the duplex dialect is opened, and refused: statements 1 to 15.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { connect, open, openByQuery, startDuplexServer, stopServers } from '../lib/duplex.mjs';

let server, small, duplexByDefault;
before(async () => {
  server = await startDuplexServer();
  small = await startDuplexServer('--set', 'session.config_timeout_s=1', '--set', 'limits.max_sessions=1');
  duplexByDefault = await startDuplexServer('--set', 'server.default_dialect=duplex');
});
after(() => stopServers(server, small, duplexByDefault));

const heartbeat = { type: 'session.heartbeat' };
const update = (session) => ({ type: 'session.update', session });

/** A round trip below the messages: whatever the server sends by itself at the open has come. */
async function pinged(client) {
  client.socket.ping();
  await once(client.socket, 'pong');
}

/** The socket carries this error alone, and ends. */
async function turnedAway(client, code) {
  const error = await client.error(code);
  await client.closed;
  assert.deepEqual(client.all, [error]);
  return error.error;
}

async function firstEventAt(url) {
  const socket = new WebSocket(url);
  const [data] = await once(socket, 'message');
  socket.close();
  return JSON.parse(data);
}

for (const yes of ['1', 'true', 'on'])
  test(`statement 1: duplex=${yes} opens a duplex session`, async () => {
    const client = await connect(server, `duplex=${yes}`, { duplex: false });
    assert.match((await client.next('session.created')).session.id, /^duplex-/);
  });
test('statement 1: so does the path /v1/duplex', async () => {
  const client = await connect(server, 'model=listener', { path: 'duplex' });
  const { session } = await client.next('session.created');
  assert.match(session.id, /^duplex-/);
  assert.equal(session.model, 'listener');
});
test('statement 1: and the default of the server, with nothing in the query', async () => {
  const client = await connect(duplexByDefault, '', { duplex: false });
  assert.match((await client.next('session.created')).session.id, /^duplex-/);
});
for (const no of ['0', 'false', 'off'])
  test(`statement 1: duplex=${no} is the openai dialect, whatever the default`, async () => {
    for (const one of [server, duplexByDefault]) {
      const { type, session } = await firstEventAt(`${one.url}/realtime?duplex=${no}`);
      assert.equal(type, 'session.created');
      assert.match(session.id, /^sess_/);
    }
  });

test('statement 2: a model in the query opens a session unasked, once; an update is an update', async () => {
  const client = await connect(server, 'model=listener');
  assert.equal((await client.next('session.created')).session.model, 'listener');
  await client.next('session.updated');
  const { session } = await client.update({ instructions: 'Be brief.' });
  assert.equal(session.instructions, 'Be brief.');
  await client.settled();
  assert.equal(client.of('session.created').length, 1);
  assert.equal(client.of('session.updated').length, 2);
});

for (const wait of ['autostart=0', 'autostart=false', 'autostart=no', 'autostart=off', 'resume=1', 'resume=true', 'resume=yes', 'resume=on'])
  test(`statement 3: with ${wait} nothing is sent before the first message`, async () => {
    const client = await connect(server, `model=listener&${wait}`);
    await pinged(client);
    assert.deepEqual(client.all, []);
    client.send(heartbeat);
    await client.next('session.heartbeat_ack');
    assert.equal(client.all[0].type, 'session.created');
  });

test('statement 4: a first session.update opens a session from its session object', async () => {
  const client = await connect(server, 'autostart=0');
  client.send(update({ model: 'listener', instructions: 'Be brief.' }));
  const { session } = await client.next('session.created');
  assert.deepEqual([session.model, session.instructions], ['listener', 'Be brief.']);
});
test('statement 4: or from the message itself', async () => {
  const client = await connect(server, 'autostart=0');
  client.send({ type: 'session.update', model: 'listener', instructions: 'Be brief.' });
  const { session } = await client.next('session.created');
  assert.deepEqual([session.model, session.instructions], ['listener', 'Be brief.']);
});

test('statement 5: a first session.resume resumes a session, also without resume=1 in the query', async () => {
  const first = await openByQuery(server);
  const { resume_token, session } = first.of('session.created')[0];
  await first.drop();
  const second = await connect(server, 'autostart=0');
  second.send({ type: 'session.resume', session_id: session.id, resume_token, last_received_server_event_seq: 1 });
  const resumed = await second.next('session.resumed');
  assert.equal(resumed.session_id, session.id);
  assert.equal(second.all[0], resumed);
});

test('statement 6: any other first event opens a default session, and is handled', async () => {
  const client = await connect(server, 'autostart=0');
  client.tone(200);
  await client.next('input_audio_buffer.speech_started');
  assert.deepEqual(client.all.slice(0, 3).map(({ type }) => type), ['session.created', 'session.updated', 'input_audio_buffer.speech_started']);
  const named = await connect(server, 'autostart=0&model=listener');
  named.send(heartbeat);
  assert.equal((await named.next('session.created')).session.model, 'listener');
  await named.next('session.heartbeat_ack');
});

test('statement 7: a socket that never says anything gets config_timeout, and ends', async () => {
  const client = await connect(small, 'autostart=0');
  await turnedAway(client, 'config_timeout');
  assert.equal((await client.closed).code, 1008);
});

for (const [what, first, code] of [
  ['is not JSON', '{"type":', 'invalid_json'],
  ['is a list', '[]', 'bad_event'],
  ['is a number', '17', 'bad_event'],
])
  test(`statement 8: a first message that ${what} gives ${code}, and ends the socket`, async () => {
    const client = await connect(small, 'autostart=0');
    client.send(first);
    await turnedAway(client, code);
    await openByQuery(small); // one session fits: none was opened before
  });

const refusals = {
  unsupported_audio_format: { input_audio_format: 'mp3' },
  unsupported_turn_detection: { turn_detection: { type: 'telepathy' } },
  invalid_duplex_runtime_config: { extra_body: { duplex_stage_max_tokens: { 0: 99 } } },
  ref_audio_required: { model: 'voiceless', modalities: ['text', 'audio'] },
  invalid_session_config: { overlap_short_ack_ms: 'long' },
};
for (const [code, session] of Object.entries(refusals))
  test(`statement 9, 10: an open refused for ${JSON.stringify(session)} carries ${code} alone`, async () => {
    const client = await connect(server, 'autostart=0');
    client.send(update(session));
    const { type, message } = await turnedAway(client, code);
    assert.equal(type, 'invalid_request_error');
    assert.ok(message.length > 0);
    assert.equal((await client.closed).code, 1008);
  });
for (const session of [{ instructions: 7 }, { modalities: 'text' }, { temperature: 'hot' }, { idle_timeout_s: -1 }, { extra_body: 'x' }, { overlap_silence_rms: 'low' }])
  test(`statement 9: ${JSON.stringify(session)} is invalid_session_config`, async () => {
    const client = await connect(server, 'autostart=0');
    client.send(update(session));
    await turnedAway(client, 'invalid_session_config');
  });
test('statement 9, 162, 163: an open beyond the capacity is refused with resource_exhausted', async () => {
  const first = await openByQuery(small);
  const second = await connect(small, 'model=talker');
  const error = await turnedAway(second, 'resource_exhausted');
  assert.deepEqual([error.type, error.message], ['rate_limit_error', 'duplex_session_capacity_exhausted: limit=1']);
  await first.close();
  await openByQuery(small); // statement 163: after session.closed there is room at once
});

test('statement 11: session.created comes first, then session.updated with the same session', async () => {
  for (const client of [await openByQuery(server), await open(server, 'talker', { instructions: 'Be brief.' })]) {
    const [created, updated] = client.all;
    assert.deepEqual([created.type, updated.type], ['session.created', 'session.updated']);
    assert.deepEqual(updated.session, created.session);
  }
});

test('statement 12: what to resume with is there where the model supports it, and else not', async () => {
  const [created] = (await openByQuery(server)).all;
  assert.equal(created.attachment_generation, 1);
  assert.ok(typeof created.resume_token === 'string' && created.resume_token.length > 0);
  assert.ok(!('incarnation' in created));
  const [other] = (await openByQuery(server, 'limited')).all;
  for (const name of ['attachment_generation', 'resume_token', 'incarnation']) assert.ok(!(name in other), name);
});

test('statement 13: session.created has no number, and the first event behind it is number 1', async () => {
  const [created, updated] = (await openByQuery(server)).all;
  assert.ok(!('server_event_seq' in created));
  assert.equal(updated.server_event_seq, 1);
});

test('statement 14: an id of the client is ignored', async () => {
  const ids = new Set();
  for (const query of ['session_id=duplex-00000000000000000000000000000000&model=talker', 'id=mine&model=talker', 'autostart=0']) {
    const client = await connect(server, query);
    if (query === 'autostart=0') client.send(update({ id: 'mine', session_id: 'mine' }));
    const { session } = await client.next('session.created');
    assert.match(session.id, /^duplex-[0-9a-f]{32}$/);
    assert.doesNotMatch(session.id, /^duplex-0{32}$/);
    ids.add(session.id);
  }
  assert.equal(ids.size, 3);
});
