// More output than may wait for one session: statements 176 to 182.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openByQuery, startDuplexServer, stopServers } from '../lib/duplex.mjs';

let byEvents, byBytes;
before(async () => {
  const unpaced = ['--set', 'delivery.pace_ahead_ms=0', '--set', 'delivery.outbox_max_audio_s=3600'];
  byEvents = await startDuplexServer(...unpaced, '--set', 'delivery.max_events=64');
  byBytes = await startDuplexServer(...unpaced, '--set', 'delivery.max_bytes=100000');
});
after(() => stopServers(byEvents, byBytes));

const limits = { events: () => byEvents, bytes: () => byBytes };
for (const [what, server] of Object.entries(limits))
  test(`statement 176, 177, 182: beyond the limit of ${what} the response fails, and the session closes`, async () => {
    const other = await openByQuery(server());
    const client = await openByQuery(server(), 'flood');
    client.speak();
    const { response_id } = await client.next('response.created');
    const { error } = await client.error('output_backpressure');
    assert.equal(error.type, 'rate_limit_error');
    const socket = await client.closed;
    const { done } = client.summary(response_id);
    assert.deepEqual([done.status, done.status_details.reason], ['failed', 'output_backpressure']);
    assert.equal(client.of('session.closed')[0].reason, 'output_backpressure');
    assert.equal(socket.code, 1013);
    other.speak();
    assert.equal((await other.response()).done.status, 'completed');
  });

test('statement 178, 179, 181: what comes even then, and in which order', async () => {
  const client = await openByQuery(byEvents, 'flood');
  client.speak();
  await client.error('output_backpressure');
  await client.closed;
  const types = client.all.map(({ type }) => type);
  assert.deepEqual(types.filter((type) => ['response.created', 'error', 'response.done', 'session.closed'].includes(type)), ['response.created', 'error', 'response.done', 'session.closed']);
  assert.equal(types.at(-1), 'session.closed');
  assert.ok(!types.slice(types.indexOf('error')).some((type) => /delta$/.test(type)));
});

test('statement 180: close details above 4 KiB are left out', async () => {
  const client = await openByQuery(byEvents);
  const { event, socket } = await client.close({ reason: 'x'.repeat(5000) });
  assert.deepEqual([event.session_id, event.reason, event.event], [client.id, 'close_details_exceed_output_limit', {}]);
  assert.equal(socket.code, 1000);
});
test('statement 170, 180: a reason too long for a close frame alone is kept in the event', async () => {
  const client = await openByQuery(byEvents);
  const reason = 'x'.repeat(300);
  const { event, socket } = await client.close({ reason });
  assert.equal(event.reason, reason);
  assert.equal(socket.code, 1000);
});
