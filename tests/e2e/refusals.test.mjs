// What a client may not say, against the program: the published code, the path of the field, the client's own event id;
// and that the session goes on as it was.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { finished } from './lib/events.mjs';
import { startServer } from './lib/server.mjs';
import { dial } from './lib/wire.mjs';

let server;
before(async () => (server = await startServer('--model', 'scripted')));
after(async () => assert.equal((await server.stop()).code, 0));

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==';
const update = (session) => ({ type: 'session.update', session });
const create = (item) => ({ type: 'conversation.item.create', item });
const user = (...content) => ({ type: 'message', role: 'user', content });
const text = (words) => ({ type: 'input_text', text: words });
const picture = (type, data) => ({ type: 'input_image', image_url: `data:image/${type};base64,${data}` });
const truncate = (item_id) => ({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 0 });

async function open(dialect) {
  const client = await dial(server, { beta: dialect === 'beta' });
  let asked = 0;
  return {
    ...client,
    async refused(event, code, param) {
      const event_id = `refused-${++asked}`;
      client.send({ ...event, event_id });
      const { error } = await client.log.wait((one) => one.type === 'error' && one.error.event_id === event_id, 0);
      assert.deepEqual([error.code, error.param], [code, param], error.message);
      assert.ok(error.message.length < 300, error.message);
    },
    async answered(response = {}) {
      const from = client.log.mark;
      client.send({ type: 'response.create', response });
      return finished(client.log, from);
    },
  };
}

for (const dialect of ['ga', 'beta']) {
  const textOnly = dialect === 'ga' ? { output_modalities: ['text'] } : { modalities: ['text'] };
  const tokens = dialect === 'ga' ? 'max_output_tokens' : 'max_response_output_tokens';
  const listens = (turn_detection) => (dialect === 'ga' ? { audio: { input: { turn_detection } } } : { turn_detection });
  const listensPath = dialect === 'ga' ? 'session.audio.input.turn_detection' : 'session.turn_detection';
  const added = dialect === 'ga' ? 'conversation.item.added' : 'conversation.item.created';

  test(`F18: a lone surrogate is an error of its field (${dialect})`, async () => {
    const client = await open(dialect);
    await client.refused(create(user(text('fine'), text('half \ud83d'))), 'invalid_value', 'item.content[1].text');
    await client.refused(update({ instructions: '\udc00' }), 'invalid_value', 'session.instructions');
    await client.refused({ type: 'response.create', response: { metadata: { '\ud800': 'v' } } }, 'invalid_value', 'response.metadata.\ufffd');
    await client.ask(create(user(text('A face: \u{1f600}'))), added);
    assert.equal((await client.answered(textOnly)).done.status, 'completed');
    await client.close();
  });

  test(`F16: at most 4096 tokens may be asked for (${dialect})`, async () => {
    const client = await open(dialect);
    await client.refused(update({ [tokens]: 4097 }), 'invalid_value', `session.${tokens}`);
    await client.refused({ type: 'response.create', response: { [tokens]: 4097 } }, 'invalid_value', `response.${tokens}`);
    for (const most of [1, 4096, 'inf']) assert.equal((await client.ask(update({ [tokens]: most }), 'session.updated')).session[tokens], most);
    await client.close();
  });

  test(`F33: turn detection has the members of its kind (${dialect})`, async () => {
    const client = await open(dialect);
    const shown = async (detection) => {
      const { session } = await client.ask(update(listens(detection)), 'session.updated');
      return dialect === 'ga' ? session.audio.input.turn_detection : session.turn_detection;
    };
    await client.refused(update(listens({ type: 'semantic_vad', silence_duration_ms: 500 })), 'unknown_parameter', `${listensPath}.silence_duration_ms`);
    await client.refused(update(listens({ eagerness: 'low' })), 'unknown_parameter', `${listensPath}.eagerness`);
    assert.equal((await shown({ silence_duration_ms: 300 })).silence_duration_ms, 300);
    assert.equal((await shown({ type: 'semantic_vad', eagerness: 'high' })).eagerness, 'high');
    await client.refused(update(listens({ threshold: 0.5 })), 'unknown_parameter', `${listensPath}.threshold`);
    assert.equal((await shown({ eagerness: 'low' })).eagerness, 'low');
    await client.close();
  });

  test(`F15: what is no audio of the model cannot be truncated (${dialect})`, async () => {
    const client = await open(dialect);
    const { item } = await client.ask(create(user(text('Hello.'))), added);
    const call = await client.ask(create({ type: 'function_call', name: 'look', call_id: 'call_1', arguments: '{}' }), added);
    const { done } = await client.answered(textOnly);
    for (const id of [item.id, call.item.id, done.output[0].id]) await client.refused(truncate(id), 'unsupported_content_type', 'item_id');
    await client.refused(truncate('item_none'), 'item_truncate_invalid_item_id', 'item_id');
    await client.close();
  });

  test(`F38: cut pictures reach no model (${dialect})`, async () => {
    const client = await open(dialect);
    await client.refused(create(user(text('Look.'), picture('png', png.slice(0, 60)))), 'invalid_value', 'item.content[1].image_url');
    await client.refused(create(user(picture('gif', gif.slice(0, 56)))), 'invalid_value', 'item.content[0].image_url');
    const own = { conversation: 'none', input: [user(picture('png', png.slice(0, 60)))], ...textOnly };
    await client.refused({ type: 'response.create', response: own }, 'invalid_value', 'response.input[0].content[0].image_url');
    for (const whole of [picture('png', png), picture('gif', gif)]) await client.ask(create(user(whole)), added);
    assert.equal((await client.answered(textOnly)).done.status, 'completed');
    await client.close();
  });

  test(`F1: long names are refused, and no error is as long (${dialect})`, async () => {
    const client = await open(dialect);
    const long = 'n'.repeat(1_000_000);
    await client.refused({ type: long }, 'invalid_value', 'type');
    await client.refused({ type: 'response.cancel', response_id: long }, 'invalid_value', 'response_id');
    await client.refused({ ...create(user(text('Hi.'))), previous_item_id: long }, 'invalid_value', 'previous_item_id');
    await client.refused(create({ type: 'function_call_output', call_id: long, output: '' }), 'invalid_value', 'item.call_id');
    await client.refused(create({ type: 'function_call_output', call_id: 'c'.repeat(256), output: '' }), 'invalid_tool_call_id', 'item.call_id');
    client.send({ type: 'input_audio_buffer.clear', event_id: long });
    const { error } = await client.log.wait((one) => one.type === 'error' && one.error.param === 'event_id', 0);
    assert.equal(error.event_id, null);
    await client.close();
  });
}

test('F16, F18, F33: a client secret is held to the same', async () => {
  const ask = async (session) => {
    const answer = await fetch(`${server.httpUrl}/realtime/client_secrets`, {
      method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: 'Bearer sk-test' }, body: JSON.stringify({ session: { type: 'realtime', model: 'scripted', ...session } }),
    });
    const { error } = await answer.json();
    return [answer.status, error?.code, error?.param];
  };
  assert.equal((await ask({ max_output_tokens: 4096 }))[0], 200);
  assert.deepEqual(await ask({ max_output_tokens: 4097 }), [400, 'invalid_value', 'session.max_output_tokens']);
  assert.deepEqual(await ask({ instructions: '\ud800' }), [400, 'invalid_value', 'session.instructions']);
  const path = 'session.audio.input.turn_detection';
  assert.deepEqual(await ask({ audio: { input: { turn_detection: { type: 'semantic_vad', threshold: 0.5 } } } }), [400, 'unknown_parameter', `${path}.threshold`]);
  assert.deepEqual(await ask({ audio: { input: { turn_detection: { eagerness: 'low' } } } }), [400, 'unknown_parameter', `${path}.eagerness`]);
});
