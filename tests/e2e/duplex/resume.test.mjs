// A lost socket and what follows it: statements 145 to 163.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect, open, openByQuery, startDuplexServer, stopServers } from '../lib/duplex.mjs';

let server, brief, small, impatient, prompt;
before(async () => {
  server = await startDuplexServer();
  brief = await startDuplexServer('--set', 'limits.max_sessions=1', '--set', 'resume.disconnect_grace_s=1', '--set', 'resume.reaper_s=1');
  impatient = await startDuplexServer('--set', 'session.idle_timeout_s=1', '--set', 'resume.reaper_s=1');
  prompt = await startDuplexServer('--set', 'resume.reaper_s=1');
  small = await startDuplexServer('--set', 'resume.journal_bytes=20000');
});
after(() => stopServers(server, brief, small, impatient, prompt));

const keyOf = (client) => {
  const { resume_token, attachment_generation, session, session_id } = [...client.of('session.created'), ...client.of('session.resumed')].at(-1);
  return { session_id: session_id ?? session.id, resume_token, attachment_generation };
};
const lastOf = (client) => client.all.findLast(({ server_event_seq }) => server_event_seq !== undefined)?.server_event_seq ?? 0;
const resumption = ({ session_id, resume_token }, last_received_server_event_seq) => ({ type: 'session.resume', session_id, resume_token, last_received_server_event_seq });

async function asked(one, event) {
  const client = await connect(one, 'autostart=0');
  client.send(event);
  return client;
}
async function resumed(one, key, last) {
  const client = await asked(one, resumption(key, last));
  await client.next('session.resumed');
  return client;
}
async function turnedAway(client, code) {
  const error = await client.error(code);
  await client.closed;
  assert.deepEqual(client.all, [error]);
}
/** Opens one session after the other until one fits. */
async function openWhenThereIsRoom(one) {
  for (;;) {
    const client = await connect(one, 'model=talker');
    const { type } = await client.next(() => true);
    if (type === 'session.created') return client;
    client.allows('resource_exhausted');
    await client.closed;
  }
}

test('statement 145, 150: the model goes on, and nothing is lost or doubled', async () => {
  const first = await openByQuery(server, 'two_seconds');
  first.speak();
  const { id } = await first.spoken(400);
  await first.drop();
  const last = lastOf(first);
  const second = await resumed(server, keyOf(first), last);
  assert.equal(keyOf(second).attachment_generation, 2);
  const again = await second.ended(id);
  const whole = [...first.all, ...second.all].filter(({ server_event_seq }) => server_event_seq !== undefined);
  assert.deepEqual(whole.map(({ server_event_seq }) => server_event_seq), whole.map((_, i) => i + 1));
  assert.equal(first.summary(id).transcript + again.transcript, 'These are the eight words of one turn.');
  assert.equal(second.of('session.closed').length, 0);
});
test('statement 145: a session that can not be resumed is closed with its socket', async () => {
  const client = await openByQuery(brief, 'limited');
  await client.drop();
  await openWhenThereIsRoom(brief);
});

test('statement 146: a socket that says nothing for the idle time is lost, and its session is not', async () => {
  const client = await openByQuery(impatient, 'storyteller');
  client.speak(); // the answer keeps the session alive
  await client.closed;
  for (const type of ['session.closed', 'session.expired']) assert.deepEqual(client.of(type), []);
  const again = await resumed(impatient, keyOf(client), lastOf(client));
  await again.settled();
});
test('statement 146: the idle time is the one of the session', async () => {
  const client = await open(prompt, 'storyteller', { auto: true, idle_timeout_s: 1 });
  client.speak();
  await client.closed;
  for (const type of ['session.closed', 'session.expired']) assert.deepEqual(client.of(type), []);
});

test('statement 147: what a resume needs', async () => {
  const client = await openByQuery(server);
  const { session_id, resume_token } = keyOf(client);
  for (const bad of [{ resume_token }, { session_id }, { session_id, resume_token, last_received_server_event_seq: -1 }, { session_id, resume_token, last_received_server_event_seq: 1.5 }, { session_id, resume_token, last_received_server_event_seq: '1' }])
    await turnedAway(await asked(server, { type: 'session.resume', ...bad }), 'invalid_session_resume');
  const again = await asked(server, { ...resumption({ session_id, resume_token }), incarnation: 'x' });
  const wanted = client.all.slice(1).map(({ event_id }) => event_id); // the default is 0: everything again
  await again.next((event) => event.event_id === wanted.at(-1));
  assert.deepEqual(again.all.slice(1).map(({ event_id }) => event_id), wanted);
  await client.next('session.replaced');
});

test('statement 148, 188: what can not be resumed, and who is untouched by it', async () => {
  const client = await openByQuery(server);
  const key = keyOf(client);
  await turnedAway(await asked(server, resumption({ ...key, session_id: `duplex-${'0'.repeat(32)}` }, 0)), 'session_resume_expired');
  await turnedAway(await asked(server, resumption({ ...key, resume_token: 'wrong' }, 0)), 'invalid_resume_token');
  await turnedAway(await asked(server, resumption(key, 1000)), 'session_resume_conflict');
  const limited = await openByQuery(server, 'limited');
  await turnedAway(await asked(server, resumption({ session_id: limited.id, resume_token: 'x' }, 0)), 'unsupported_session_resume');
  await client.settled();
  await limited.settled();
  await client.close();
  await turnedAway(await asked(server, resumption(key, 0)), 'session_resume_expired');
});

test('statement 149: below what was trimmed there is a gap', async () => {
  const client = await openByQuery(server);
  await client.settled();
  client.send({ type: 'session.event_ack', server_event_seq: 2 });
  await client.settled();
  const late = await asked(server, resumption(keyOf(client), 1));
  const { session_id, reason } = await late.next('session.resync_required');
  assert.deepEqual([session_id, reason], [client.id, 'journal_gap']);
  await late.closed;
  await client.settled(); // it lives on
});

test('statement 150, 151: resumed comes first, without a number, then what was missed as it was', async () => {
  const first = await openByQuery(server);
  first.speak();
  await first.response();
  await first.settled();
  const missed = first.all.filter(({ server_event_seq }) => server_event_seq > 3);
  const second = await resumed(server, keyOf(first), 3);
  assert.ok(!('server_event_seq' in second.all[0]));
  const { session_id, session, attachment_generation, resume_token } = second.all[0];
  assert.deepEqual([session_id, session.id, attachment_generation], [first.id, first.id, 2]);
  assert.notEqual(resume_token, keyOf(first).resume_token);
  await second.next(({ event_id }) => event_id === missed.at(-1).event_id);
  await second.settled(); // nothing comes twice
  assert.deepEqual(second.all.slice(1, -1), missed);
});

test('statement 152: a token is good once', async () => {
  const first = await openByQuery(server);
  const key = keyOf(first);
  const second = await resumed(server, key, 1);
  await turnedAway(await asked(server, resumption(key, 1)), 'invalid_resume_token');
  await second.settled();
});
test('statement 152: of two resumes with one token exactly one wins', async () => {
  const first = await openByQuery(server);
  const rivals = await Promise.all([1, 2, 3].map(() => connect(server, 'autostart=0')));
  for (const rival of rivals) rival.send(resumption(keyOf(first), 1));
  const answers = await Promise.all(rivals.map((rival) => rival.next(({ type }) => ['session.resumed', 'error'].includes(type))));
  for (const rival of rivals) rival.allows('invalid_resume_token');
  assert.equal(answers.filter(({ type }) => type === 'session.resumed').length, 1);
});

test('statement 153, 154: a takeover', async () => {
  const first = await openByQuery(server);
  const second = await resumed(server, keyOf(first), 1);
  const replaced = await first.next('session.replaced');
  assert.deepEqual([replaced.session_id, replaced.attachment_generation], [first.id, 1]);
  first.send({ type: 'session.close' });
  assert.deepEqual(await first.closed, { code: 1000, reason: 'session_replaced' });
  await second.settled(); // the end of the old socket, and what it said, changed nothing
  second.speak();
  await second.response();
});

test('statement 155: an acknowledgement has no answer, a wrong one an error', async () => {
  const client = await openByQuery(server);
  await client.settled();
  client.send({ type: 'session.event_ack', server_event_seq: 2 });
  client.send({ type: 'session.event_ack', server_event_seq: 1 });
  assert.deepEqual(await client.settled(), []);
  for (const server_event_seq of [1000, -1, 1.5, 'x', undefined]) await client.refused({ type: 'session.event_ack', server_event_seq }, 'invalid_event_ack');
});

test('statement 157: a journal that is full ends the numbers, and the session goes on', async () => {
  const client = await open(small, 'storyteller');
  client.unnumbered = true;
  client.speak();
  const { session_id, reason } = await client.next('session.resync_required');
  assert.deepEqual([session_id, reason], [client.id, 'journal_overflow']);
  const at = client.all.findIndex(({ type }) => type === 'session.resync_required');
  await client.next('response.output_audio.delta');
  client.send({ type: 'response.cancel' });
  await client.next('response.done');
  assert.deepEqual(client.all.slice(at).filter((event) => 'server_event_seq' in event), []);
  assert.equal(client.of('session.resync_required').length, 1);
});

test('statement 158: a resume that comes later', async () => {
  const client = await openByQuery(server);
  await client.refused(resumption(keyOf(client), 0), 'unsupported_session_resume');
  await client.settled();
});
test('F19, statement 158: whatever its fields', async () => {
  const client = await openByQuery(server);
  for (const fields of [{}, { session_id: 7 }, { session_id: client.id, resume_token: '' }, { ...keyOf(client), last_received_server_event_seq: -1 }])
    await client.refused({ type: 'session.resume', ...fields }, 'unsupported_session_resume');
  await client.settled();
});

test('statement 159: a heartbeat', async () => {
  const client = await openByQuery(server);
  assert.equal((await client.ask({ type: 'session.heartbeat' }, 'session.heartbeat_ack')).session_id, client.id);
});

test('statement 160: an idle session expires, and the socket closes', async () => {
  const client = await open(server, 'talker', { idle_timeout_s: 1 });
  const { session_id, reason } = await client.next('session.expired');
  assert.deepEqual([session_id, reason], [client.id, 'idle_ttl_expired']);
  assert.equal((await client.closed).code, 1000);
});

test('statement 161: beyond the grace a session ends', async () => {
  const client = await openWhenThereIsRoom(brief);
  const key = keyOf(client);
  await client.drop();
  const next = await openWhenThereIsRoom(brief); // there is room for one
  await turnedAway(await asked(brief, resumption(key, 0)), 'session_resume_expired');
  await next.close();
});
