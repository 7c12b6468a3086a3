// An answer of words and a tool call, spoken by `local` behind a language model: the result is sent at once, as every SDK
// does, long before the words were played.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startChatServer } from './lib/chat_server.mjs';
import { DuplexClient } from './lib/duplex.mjs';
import { finished } from './lib/events.mjs';
import { startServer } from './lib/server.mjs';
import { violations } from './lib/trace.mjs';
import { dial } from './lib/wire.mjs';

const words = 'Let me look at the weather for you, that takes but a moment. ';
const look = { index: 0, id: 'call_look', type: 'function', function: { name: 'look', arguments: '{"city":"Paris"}' } };
const half = { ...look, function: { ...look.function, arguments: '{"city":"Pa' } };
const tools = [{ type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object', properties: { city: { type: 'string' } } } }];

function answerTo({ messages }) {
  const asked = messages.at(-1);
  if (asked.role === 'tool') return { deltas: [{ content: 'It rains.' }], finish_reason: 'stop' };
  const cut = asked.content.includes('cut');
  return { deltas: [{ role: 'assistant', content: words }, { tool_calls: [cut ? half : look] }], finish_reason: cut ? 'length' : 'tool_calls' };
}

let server, chat;
before(async () => {
  chat = await startChatServer(answerTo);
  server = await startServer('--model', 'local', '--set', `models.local.llm.url=${chat.url}`);
});
after(async () => {
  assert.equal((await server.stop()).code, 0);
  await chat.stop();
});

const question = (text) => ({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } });
const result = { type: 'conversation.item.create', item: { type: 'function_call_output', call_id: 'call_look', output: 'rain' } };
const typesOf = (output) => output.map(({ type }) => type);

/** Asks, sends the result at once; the first answer and what the language model was asked with the second time. */
async function callAndAnswer(client, asks = question('weather?')) {
  chat.asked.length = 0;
  const from = client.log.mark;
  client.send(asks);
  client.send({ type: 'response.create' });
  const first = await finished(client.log, from);
  const second = client.log.mark;
  client.send(result);
  client.send({ type: 'response.create' });
  await finished(client.log, second);
  return { first, asked: chat.asked[1].messages };
}

function checkPrompt(asked) {
  assert.deepEqual(asked.map(({ role }) => role), ['user', 'assistant', 'assistant', 'tool']);
  assert.equal(asked[1].content.trim(), words.trim());
  assert.equal(asked[2].tool_calls[0].function.arguments, look.function.arguments);
}

for (const beta of [false, true])
  test(`F32: words and call, in order and whole: ${beta ? 'beta' : 'GA'}`, async () => {
    const client = await dial(server, { query: 'model=local', beta });
    await client.ask({ type: 'session.update', session: beta ? { tools, turn_detection: null, instructions: '' } : { type: 'realtime', tools, instructions: '', audio: { input: { turn_detection: null } } } }, 'session.updated');
    const { first, asked } = await callAndAnswer(client);
    assert.deepEqual(typesOf(first.done.output), ['message', 'function_call']);
    assert.equal(first.done.output[0].content[0].transcript.trim(), words.trim());
    checkPrompt(asked);
    if (!beta) {
      const { item } = await client.ask({ type: 'conversation.item.retrieve', item_id: first.done.output[0].id }, 'conversation.item.retrieved');
      assert.equal(item.content[0].transcript, first.transcript);
      assert.deepEqual(violations(client.log.all), []);
    }
    assert.deepEqual(client.log.since(0, 'error'), []);
    await client.close();
  });

test('F32: words and call, in order and whole: duplex, with estimate', async () => {
  const client = new DuplexClient(`${server.url}/realtime?duplex=1&model=local`);
  await client.ready();
  await client.ask({ type: 'session.update', session: { tools, playback_commit_policy: 'estimate', instructions: '' } }, 'session.updated');
  const { first, asked } = await callAndAnswer(client);
  assert.deepEqual(typesOf(first.done.output), ['message', 'function_call']);
  checkPrompt(asked);
});

for (const beta of [false, true])
  test(`F27: half a call is shown as none and is not asked about: ${beta ? 'beta' : 'GA'}`, async () => {
    const client = await dial(server, { query: 'model=local', beta });
    await client.ask({ type: 'session.update', session: beta ? { tools, turn_detection: null, instructions: '' } : { type: 'realtime', tools, instructions: '', audio: { input: { turn_detection: null } } } }, 'session.updated');
    chat.asked.length = 0;
    const from = client.log.mark;
    client.send(question('please cut'));
    client.send({ type: 'response.create' });
    const { done, events } = await finished(client.log, from);
    assert.deepEqual([done.status, done.status_details.reason], ['incomplete', 'max_output_tokens']);
    assert.equal(events.find(({ type }) => type === 'response.function_call_arguments.done').arguments, half.function.arguments);
    const shown = client.log.since(from).flatMap(({ type, item, response }) => (/\.done$/.test(type) ? [item, ...(response?.output ?? [])] : []));
    const calls = shown.filter((one) => one?.type === 'function_call');
    assert.ok(calls.length >= (beta ? 2 : 3));
    assert.deepEqual([...new Set(calls.map(({ status }) => status))], ['incomplete']);
    const second = client.log.mark;
    client.send(question('weather?'));
    client.send({ type: 'response.create' });
    await finished(client.log, second);
    assert.deepEqual(chat.asked[1].messages.map(({ role }) => role), ['user', 'assistant', 'user']);
    assert.ok(!JSON.stringify(chat.asked[1].messages).includes('tool_calls'));
    await client.close();
  });
