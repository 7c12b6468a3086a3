// Client secrets as the npm package `openai` makes and uses them: one is fetched with the key and opens, from a browser or
// a program, the session that was put in it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { OpenAI } from 'openai';
import { finished } from './lib/events.mjs';
import { connect, userText } from './lib/openai_client.mjs';
import { startServer } from './lib/server.mjs';
import { checkType, declaredType } from './lib/schema.mjs';
import { dial } from './lib/wire.mjs';

const key = 'sk-of-the-application';
let server, application;
before(async () => {
  process.env.PARLEY_API_KEYS = key;
  server = await startServer('--model', 'scripted');
  application = new OpenAI({ apiKey: key, baseURL: server.httpUrl, maxRetries: 0 });
});
after(async () => assert.equal((await server.stop()).code, 0));

const session = { type: 'realtime', model: 'scripted', instructions: 'Be brief.', output_modalities: ['text'], audio: { input: { turn_detection: null } } };
const create = (body) => application.realtime.clientSecrets.create(body);

test('the answer is what the package declares, and lives as long as was asked', async () => {
  const secret = await create({ expires_after: { anchor: 'created_at', seconds: 60 }, session });
  assert.deepEqual(checkType(declaredType('secrets', 'ClientSecretCreateResponse'), secret, 'session.of_a_secret'), []);
  assert.match(secret.value, /^ek_/);
  const lifetime = secret.expires_at - Date.now() / 1000;
  assert.ok(lifetime > 0 && lifetime <= 61, `${lifetime} s`);
  assert.equal(secret.session.instructions, 'Be brief.');
  assert.deepEqual(secret.session.output_modalities, ['text']);
});

for (const kind of ['ws', 'websocket'])
  test(`a secret opens the session that is in it (${kind === 'ws' ? 'as bearer' : 'as subprotocol'})`, async () => {
    const { value } = await create({ session });
    const client = await connect(server, { kind, key: value });
    const { session: opened } = await client.log.wait('session.created', 0);
    assert.equal(opened.instructions, 'Be brief.');
    assert.deepEqual(opened.output_modalities, ['text']);
    assert.equal(opened.audio.input.turn_detection, null);
    if (kind === 'websocket') assert.equal(client.socket.protocol, 'realtime');
    await client.ask(userText('Good morning.'), 'conversation.item.added');
    const from = client.log.mark;
    client.send({ type: 'response.create' });
    assert.ok((await finished(client.log, from)).text.length > 0);
    await client.close();
  });

test('a secret for transcription opens a session that only hears', async () => {
  const { value, session: made } = await create({ session: { type: 'transcription', audio: { input: { transcription: { model: 'whisper-1' }, turn_detection: null } } } });
  assert.equal(made.type, 'transcription');
  const client = await dial(server, { headers: { Authorization: `Bearer ${value}` } });
  const { session: opened } = await client.log.wait('session.created', 0);
  assert.equal(opened.type, 'transcription');
  assert.equal(opened.audio.input.transcription.model, 'whisper-1');
  await client.close();
});

test('nothing else opens a session, and a secret makes no secrets', async () => {
  const { value } = await create({ session });
  const changed = value.slice(0, -1) + (value.endsWith('A') ? 'B' : 'A');
  for (const wrong of ['sk-wrong', changed]) await assert.rejects(dial(server, { headers: { Authorization: `Bearer ${wrong}` } }), /401/);
  const holder = new OpenAI({ apiKey: value, baseURL: server.httpUrl, maxRetries: 0 });
  await assert.rejects(holder.realtime.clientSecrets.create({ session }), { status: 401 });
  await assert.rejects(create({ session: { type: 'realtime', output_modalities: ['smell'] } }), { status: 400, param: 'session.output_modalities' });
});
