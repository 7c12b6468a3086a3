// What a language model may do to its answer, and what a client of each dialect gets: whole characters and whole calls.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startChatServer } from './lib/chat_server.mjs';
import { open } from './lib/duplex.mjs';
import { finished } from './lib/events.mjs';
import { connect, userText } from './lib/openai_client.mjs';
import { startServer } from './lib/server.mjs';
import { violations } from './lib/trace.mjs';

// Characters as a careless server cuts and breaks them. Buffer 'latin1' writes each code below 256 as that byte.
const said = (text) => Buffer.from(`{"content":"${text}"}`, 'latin1');
const broken = [said('a\\ud83d'), said('\\ude00b '), said('c\\ud83d'), said('d \xe4\xbd'), said('\xa0e \xff'), said('f \\ude00g.')];
const mended = 'a\u{1f600}b c\ufffdd \u4f60e \ufffdf \ufffdg.';
const called = (call) => ({ tool_calls: [call] });
const glued = [
  called({ index: 0, id: 'call_a', function: { name: 'first', arguments: '{"x":' } }),
  called({ index: 0, function: { arguments: '1}' } }),
  called({ index: 0, id: 'call_b', function: { name: 'second', arguments: '{"y":2}' } }),
  called({ id: 'call_c', function: { name: 'second', arguments: '{"y":3}' } }),
];
const calls = [['call_a', 'first', '{"x":1}'], ['call_b', 'second', '{"y":2}'], ['call_c', 'second', '{"y":3}']];

const servers = {};
before(async () => {
  for (const [name, deltas] of Object.entries({ broken, glued })) {
    const chat = await startChatServer(() => ({ deltas }));
    servers[name] = { chat, parley: await startServer('--model', 'local', '--set', `models.local.llm.url=${chat.url}`) };
  }
});
after(async () => {
  for (const { chat, parley } of Object.values(servers)) {
    assert.equal((await parley.stop()).code, 0);
    await chat.stop();
  }
});

const tools = ['first', 'second'].map((name) => ({ type: 'function', name, parameters: { type: 'object', properties: {} } }));
const settings = {
  ga: { type: 'realtime', output_modalities: ['text'], tools },
  beta: { modalities: ['text'], tools },
};

async function answer(dialect, server) {
  const client = await connect(server, { dialect, model: 'local' });
  await client.ask({ type: 'session.update', session: settings[dialect] }, 'session.updated');
  const from = client.log.mark;
  client.send(userText('Hello.'));
  client.send({ type: 'response.create' });
  const got = await finished(client.log, from);
  await client.close();
  if (dialect === 'ga') assert.deepEqual(violations(client.log.all), []);
  return got;
}

for (const dialect of ['ga', 'beta']) {
  test(`F13, F28: ${dialect}: broken characters of a model cost nothing but themselves`, async () => {
    const { done, text } = await answer(dialect, servers.broken.parley);
    assert.deepEqual([done.status, text, done.output[0].content[0].text], ['completed', mended, mended]);
  });

  test(`F12: ${dialect}: a new id is a new call`, async () => {
    const { done } = await answer(dialect, servers.glued.parley);
    assert.deepEqual(done.output.map((item) => [item.call_id, item.name, item.arguments]), calls);
  });
}

test('F12, F13, F28: duplex: the same', async () => {
  for (const [name, { parley }] of Object.entries(servers)) {
    const client = await open(parley, 'local', { tools });
    client.send(userText('Hello.'));
    client.send({ type: 'response.create' });
    const { done, transcript } = await client.response();
    assert.equal(done.status, 'completed');
    if (name === 'broken') assert.equal(transcript, mended);
    else assert.deepEqual(done.output.map((item) => [item.call_id, item.name, item.arguments]), calls);
  }
});

test('F13: a mended answer is what the model is shown of itself', async () => {
  const { chat, parley } = servers.broken;
  const client = await connect(parley, { model: 'local' });
  await client.ask({ type: 'session.update', session: settings.ga }, 'session.updated');
  for (let turn = 0; turn < 2; ++turn) {
    const from = client.log.mark;
    client.send(userText('Hello.'));
    client.send({ type: 'response.create' });
    await finished(client.log, from);
  }
  await client.close();
  assert.equal(chat.asked.at(-1).messages.findLast(({ role }) => role === 'assistant').content, mended);
});
