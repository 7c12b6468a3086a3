// Items: statements 133 to 144.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { base64, heardText, open, openByQuery, silence, startDuplexServer, stopServers, tone, userText } from '../lib/duplex.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const create = (item, more = {}) => ({ type: 'conversation.item.create', item, ...more });
const retrieve = (item_id) => ({ type: 'conversation.item.retrieve', item_id });
const remove = (item_id) => ({ type: 'conversation.item.delete', item_id });
const truncate = (item_id, audio_end_ms, content_index = 0) => ({ type: 'conversation.item.truncate', item_id, content_index, audio_end_ms });
const itemEvents = (events) => events.filter(({ type }) => /^conversation\.item\.(added|created|done)$/.test(type));
const user = (...content) => ({ type: 'message', role: 'user', content });
const text = (words) => ({ type: 'input_text', text: words });
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = (data = png, kind = 'png') => ({ type: 'input_image', image_url: `data:image/${kind};base64,${data}` });

async function item(client, event) {
  client.send(event);
  return (await client.next('conversation.item.done')).item;
}

test('statement 133: a user text is added, created and done, and answers nothing', async () => {
  const client = await openByQuery(server);
  client.send(userText('Hello.'));
  const came = itemEvents(await client.until('conversation.item.done'));
  assert.deepEqual(came.map(({ type }) => type.split('.').at(-1)), ['added', 'created', 'done']);
  for (const { item } of came) {
    assert.deepEqual([item.object, item.type, item.role, item.status], ['realtime.item', 'message', 'user', 'completed']);
    assert.deepEqual(item.content.map(({ type, text }) => [type, text]), [['input_text', 'Hello.']]);
    assert.equal(item.id, came[0].item.id);
  }
  await client.settled();
  assert.deepEqual(client.of('response.created'), []);
  const bare = await item(client, create({ content: [text('Hello.')] }));
  assert.deepEqual([bare.type, bare.role, bare.status], ['message', 'user', 'completed']);
  assert.equal((await item(client, create({ ...user(text('Hello.')), id: 'item_mine' }))).id, 'item_mine');
  await client.refused({ type: 'conversation.item.create' }, 'bad_event');
});

test('statement 134: audio of a user item is appended and committed under its id', async () => {
  const client = await openByQuery(server);
  client.send(create({ ...user({ type: 'input_audio', audio: base64(tone(1000)) }), id: 'item_spoken' }));
  const committed = await client.next('input_audio_buffer.committed');
  assert.equal(committed.item_id, 'item_spoken');
  await client.settled();
  const mine = itemEvents(client.all);
  assert.ok(mine.length >= 3);
  for (const event of mine) assert.equal(event.item.id, 'item_spoken');
  assert.deepEqual(client.of('response.created'), []);
  client.send({ type: 'response.create' });
  assert.equal((await client.response()).done.status, 'completed');
});
test('statement 134: silent parts are skipped', async () => {
  const client = await openByQuery(server);
  await item(client, create(user({ type: 'input_audio', audio: base64(silence(1000)) })));
  await client.settled();
  assert.deepEqual(client.of('input_audio_buffer.speech_started'), []);
  assert.ok(!client.of('input_audio_buffer.committed').some(({ event }) => !event.empty));
});

test('statement 135: previous_item_id is echoed, else it is the last item', async () => {
  const client = await openByQuery(server);
  const previous = async (more) => {
    client.send(userText('Hello.', more));
    const events = itemEvents(await client.until('conversation.item.done'));
    for (const event of events) assert.equal(event.previous_item_id, events[0].previous_item_id);
    return [events[0].previous_item_id, events[0].item.id];
  };
  const [none, first] = await previous();
  assert.equal(none, null);
  const [second, last] = await previous();
  assert.equal(second, first);
  assert.equal((await previous({ previous_item_id: first }))[0], first);
  assert.equal((await previous({ previous_item_id: last }))[0], last);
});

test('statement 136: response.create answers what was committed', async () => {
  const client = await openByQuery(server);
  await client.refused({ type: 'response.create' }, 'response_create_without_input');
  client.tone(1000);
  client.commit();
  await client.next('conversation.item.done');
  client.send({ type: 'response.create' });
  assert.ok((await client.response()).audio.length > 0);
  await client.refused({ type: 'response.create' }, 'response_create_without_input');
});
test('statement 136: one at a time', async () => {
  const client = await openByQuery(server, 'storyteller');
  client.speak();
  await client.speaking();
  await client.refused({ type: 'response.create' }, 'response_already_active');
  const starting = await openByQuery(server, 'stalling_at_the_end');
  starting.speak(1100);
  await starting.next('response.created');
  await starting.refused({ type: 'response.create' }, 'response_already_active');
});
test('statement 136: text alone is answered where the model can be prompted by it', async () => {
  const client = await openByQuery(server);
  await item(client, userText('Hello.'));
  client.send({ type: 'response.create' });
  assert.equal((await client.response()).transcript, 'I heard you well.');
  const limited = await openByQuery(server, 'limited');
  await item(limited, userText('Hello.'));
  await limited.refused({ type: 'response.create' }, 'text_only_turn_unsupported');
});

test('statement 137: options that the model can not take', async () => {
  const limited = await openByQuery(server, 'limited');
  limited.tone(1000);
  limited.commit();
  await limited.next('conversation.item.done');
  for (const response of [{ temperature: 0.2 }, { instructions: 'Be brief.' }, { max_output_tokens: 10 }]) await limited.refused({ type: 'response.create', response }, 'unsupported_native_response_options');
  const client = await openByQuery(server);
  client.tone(1000);
  client.commit();
  await client.next('conversation.item.done');
  await client.refused({ type: 'response.create', response: { output_audio_format: 'mp3' } }, 'unsupported_audio_format');
});
test('statement 137: options that it takes hold for one response', async () => {
  const client = await openByQuery(server);
  for (const modalities of [['text'], undefined]) {
    client.tone(1000);
    client.commit();
    await client.next('conversation.item.done');
    client.send({ type: 'response.create', response: { modalities } });
    const { text: written, audio } = await client.response();
    assert.deepEqual([written !== '', audio.length > 0], modalities ? [true, false] : [false, true]);
  }
});

test('statement 138: retrieve', async () => {
  const client = await openByQuery(server);
  const made = await item(client, userText('Hello.'));
  const retrieved = await client.ask(retrieve(made.id), 'conversation.item.retrieved');
  assert.deepEqual(retrieved.item, made);
  await client.refused({ type: 'conversation.item.retrieve' }, 'missing_item_id');
  await client.refused(retrieve('item_none'), 'item_not_found');
});
test('statement 138: with the text so far of what is being spoken', async () => {
  const client = await openByQuery(server, 'storyteller');
  client.speak();
  const { id, item: spoken } = await client.spoken(400);
  const { item: now } = await client.ask(retrieve(spoken), 'conversation.item.retrieved');
  const at = client.all.findIndex(({ type }) => type === 'conversation.item.retrieved');
  const said = client.all.slice(0, at).filter((event) => event.response_id === id && event.type === 'response.output_audio_transcript.delta').map(({ delta }) => delta).join('');
  assert.ok(said.length > 0);
  assert.deepEqual([now.status, now.content[0].transcript], ['in_progress', said]);
});

test('statement 139: delete', async () => {
  const client = await openByQuery(server);
  const [first, second] = [await item(client, userText('One.')), await item(client, userText('Two.'))];
  const deleted = await client.ask(remove(second.id), 'conversation.item.deleted');
  assert.equal(deleted.item_id, second.id);
  assert.ok('event' in deleted);
  await client.refused(remove(second.id), 'item_not_found');
  await client.refused(retrieve(second.id), 'item_not_found');
  await client.refused({ type: 'conversation.item.delete' }, 'missing_item_id');
  client.send(userText('Three.'));
  assert.equal((await client.next('conversation.item.added')).previous_item_id, first.id);
});

test('statement 140: truncate', async () => {
  const client = await openByQuery(server);
  client.speak();
  const answer = await client.response();
  const { id: userItem } = await item(client, userText('Hello.'));
  for (const [event, code] of [
    [truncate(userItem, 0), 'bad_event'],
    [truncate(answer.item, -1), 'bad_event'],
    [truncate(answer.item, 100, 1), 'bad_event'],
    [truncate(answer.item, 401), 'bad_event'],
    [truncate(undefined, 100), 'missing_item_id'],
    [truncate('item_none', 100), 'item_not_found'],
  ])
    await client.refused(event, code);
  client.send(truncate(answer.item, 200));
  const truncated = await client.next('conversation.item.truncated');
  assert.deepEqual([truncated.item_id, truncated.content_index, truncated.audio_end_ms], [answer.item, 0, 200]);
  assert.ok('event' in truncated);
  const { event } = await client.next('playback.acknowledged');
  assert.deepEqual([event.truncate, event.item_id], [true, answer.item]);
  const { item: kept } = await client.ask(retrieve(answer.item), 'conversation.item.retrieved');
  assert.equal(kept.content[0].transcript, heardText(answer, 200));
});
test('statement 140: a part of text is not audio', async () => {
  const client = await open(server, 'talker', { modalities: ['text'] });
  client.speak();
  const { item: written } = await client.response();
  await client.refused(truncate(written, 0), 'bad_event');
});

test('statement 141: a cut holds for what is said later', async () => {
  const client = await openByQuery(server, 'two_seconds');
  client.speak();
  const { id, item: spoken } = await client.spoken(600);
  await client.ask(truncate(spoken, 400), 'conversation.item.truncated');
  const answer = await client.ended(id);
  assert.equal(answer.transcript, 'These are the eight words of one turn.');
  const { item: kept } = await client.ask(retrieve(spoken), 'conversation.item.retrieved');
  assert.equal(kept.content[0].transcript, heardText(answer, 400));
});

test('statement 142: the output of a function call', async () => {
  const tools = [{ type: 'function', name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } }];
  const client = await open(server, 'talker', { tools });
  await item(client, userText('Use the get_weather tool: what is the weather in Paris?'));
  client.send({ type: 'response.create' });
  const { call_id } = (await client.response()).done.output[0];
  const output = (more) => create({ type: 'function_call_output', ...more });
  for (const [more, param] of [
    [{ output: 'sunny' }, 'item.call_id'],
    [{ call_id: 'call_none', output: 'sunny' }, 'item.call_id'],
    [{ call_id }, 'item.output'],
    [{ call_id, output: 7 }, 'item.output'],
  ])
    assert.equal((await client.refused(output(more), 'invalid_function_call_output')).error.param, param);
  const made = await item(client, output({ call_id, output: 'It is sunny.' }));
  assert.deepEqual([made.type, made.call_id, made.output], ['function_call_output', call_id, 'It is sunny.']);
  assert.equal((await client.refused(output({ call_id, output: 'It rains.' }), 'invalid_function_call_output')).error.param, 'item.call_id');
  client.send({ type: 'response.create' });
  assert.match((await client.response()).transcript, /sunny/);
});

test('statement 143: images of users that really are images', async () => {
  const client = await openByQuery(server);
  const seen = await item(client, create(user(text('Look.'), image())));
  assert.deepEqual(seen.content.map(({ type }) => type), ['input_text', 'input_image']);
  for (const bad of [
    create(user({ type: 'input_image', image_url: png })),
    create(user(image('R0lGODlh', 'gif'))),
    create(user(image('AAAA'))),
    create(user(image(png.slice(0, 60)))),
    create(user({ type: 'input_image', image_url: 'https://example.org/a.png' })),
    create({ type: 'message', role: 'assistant', content: [image()] }),
    create({ type: 'message', role: 'system', content: [image()] }),
  ])
    await client.refused(bad, 'invalid_image');
  const limited = await openByQuery(server, 'limited');
  await limited.refused(create(user(image())), 'unsupported');
});
test('statement 143: no more than eight of them', async () => {
  const client = await openByQuery(server);
  for (let i = 0; i < 8; ++i) await item(client, create(user(image())));
  await client.refused(create(user(image())), 'input_backpressure');
  await item(client, userText('But words are fine.'));
});

test('statement 144: a turn.signal of another kind', async () => {
  const client = await openByQuery(server);
  for (const type of ['turn.signal', 'signal_turn']) {
    client.send({ type, event: 'look', payload: { at: 1 } });
    const { event, turn_state, epoch, session_id } = await client.next('turn.event');
    assert.deepEqual([event, turn_state, epoch, session_id], ['look', 'idle', 0, client.id]);
    await client.refused({ type }, 'bad_event');
  }
  client.tone(400);
  await client.next('input_audio_buffer.speech_started');
  assert.equal((await client.ask({ type: 'turn.signal', event: 'look' }, 'turn.event')).turn_state, 'user_speaking');
  const talking = await openByQuery(server, 'storyteller');
  talking.speak();
  await talking.speaking();
  assert.match((await talking.ask({ type: 'turn.signal', event: 'look' }, 'turn.event')).turn_state, /^assistant_/);
});

test('F1: names that are shown again are bounded', async () => {
  const client = await openByQuery(server);
  const fits = 'n'.repeat(256), long = 'n'.repeat(1_000_000);
  assert.equal((await client.ask({ type: 'turn.signal', event: fits }, 'turn.event')).event, fits);
  for (const event of [{ type: 'turn.signal', event: `${fits}n` }, { type: 'turn.signal', event: long }, { type: 'output_audio_buffer.clear', response_id: long }, create({ type: 'function_call', name: long })]) {
    const { error } = await client.refused(event, 'bad_event');
    assert.match(error.message, /256/);
    assert.ok(error.message.length < 200);
  }
  await client.refused({ type: 'session.update', session: { extra_body: { [`_${long}`]: 1 } } }, 'invalid_duplex_runtime_config');
});

test('F15: only audio of the model is truncated', async () => {
  const client = await openByQuery(server);
  for (const made of [create({ type: 'message', role: 'system', content: [text('Be brief.')] }), create({ type: 'function_call', name: 'look', call_id: 'c', arguments: '{}' })]) {
    const { id } = await item(client, made);
    const { error } = await client.refused(truncate(id, 0), 'bad_event');
    assert.equal(error.param, 'item_id');
  }
  client.speak();
  const { item: spoken } = await client.response();
  assert.equal((await client.ask(truncate(spoken, 100.9), 'conversation.item.truncated')).audio_end_ms, 100);
});

test('F18: half of a surrogate pair is an error of its field', async () => {
  const client = await openByQuery(server);
  const { error } = await client.refused(create(user(text('fine'), text('half \ud83d'))), 'bad_event');
  assert.equal(error.param, 'item.content[1].text');
  assert.equal((await client.refused({ type: 'session.update', session: { instructions: '\udc00' } }, 'invalid_session_config')).error.param, 'session.instructions');
  await item(client, userText('A face: \u{1f600}'));
});

test('F33: server_vad has no eagerness and no idle_timeout_ms here', async () => {
  const client = await openByQuery(server);
  for (const more of [{ eagerness: 'low' }, { idle_timeout_ms: 6000 }])
    await client.refused({ type: 'session.update', session: { turn_detection: { type: 'server_vad', ...more } } }, 'unsupported_turn_detection');
});
