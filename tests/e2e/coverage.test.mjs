// What parley does with every client event, server event and field that the declarations of the openai package have,
// found out on running servers. protocol/COVERAGE.md is the result; this test fails when it is not what is found
// (PARLEY_WRITE_COVERAGE=1 writes it), and when a value is accepted and then shows nowhere.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { driveByHand, driveByVoice, driveIntoFailure } from './lib/coverage/drive.mjs';
import { fieldsOf } from './lib/coverage/fields.mjs';
import { faultsOf, probeFields, tryItem, tryResponse, trySession, withoutEffect } from './lib/coverage/probe.mjs';
import { startChatServer } from './lib/chat_server.mjs';
import { declaredType, eventTypes } from './lib/schema.mjs';
import { startServer } from './lib/server.mjs';
import { dial } from './lib/wire.mjs';

const page = new URL('../../protocol/COVERAGE.md', import.meta.url);

// Events of the declarations that parley never sends, and why.
const neverSent = {
  'conversation.created': 'no client needs it, and some close the socket at it',
  'conversation.item.created': 'the beta name of added; GA clients get added and done',
  'conversation.item.input_audio_transcription.segment': 'needs a recogniser that tells speakers apart',
  'input_audio_buffer.dtmf_event_received': 'SIP only',
  'output_audio_buffer.started': 'WebRTC and SIP only',
  'output_audio_buffer.stopped': 'WebRTC and SIP only',
  'output_audio_buffer.cleared': 'WebRTC and SIP only',
};
const isMcp = (type) => type.includes('mcp');

let talking, scripted, busy, chat;
before(async () => {
  chat = await startChatServer();
  const greeter = ['--set', 'prompts.greeter=You greet the guests of {{place}}.', '--set', 'prompts.greeter@2=You greet the guests of {{place}}, kindly.'];
  talking = await startServer('--model', 'local', '--set', `models.local.llm.url=${chat.url}`, '--set', 'delivery.pace_ahead_ms=0', ...greeter);
  scripted = await startServer('--model', 'scripted', '--set', 'limits.responses_per_minute=1000', '--set', 'models.scripted.transcript=hello there');
  busy = await startServer('--model', 'local', '--set', 'models.local.decoders=1', '--set', 'models.local.decoder_wait_ms=0');
});
after(async () => {
  for (const server of [talking, scripted, busy]) assert.equal((await server.stop()).code, 0);
  await chat.stop();
});

const ga = () => dial(talking, { query: 'model=gpt-realtime' });
const beta = () => dial(talking, { query: 'model=gpt-realtime', beta: true });
const transcribing = () => dial(talking, { query: 'intent=transcription' });

// ---- fields ---------------------------------------------------------------------------------------------------------
const member = (dialect, event, name) => eventTypes(dialect, 'client').get(event).members.get(name).type;
const itemEvent = () => ({ kind: 'object', members: new Map([['item', eventTypes('ga', 'client').get('conversation.item.create').members.get('item')]]) });

const sections = [
  ['Session (GA)', () => fieldsOf(declaredType('ga', 'RealtimeSessionCreateRequest')), () => trySession(ga)],
  ['Transcription session (GA)', () => fieldsOf(declaredType('ga', 'RealtimeTranscriptionSessionCreateRequest')), () => trySession(transcribing)],
  ['Session (beta)', () => fieldsOf(member('beta', 'session.update', 'session'), { skip: ['client_secret'] }), () => trySession(beta)],
  ['response.create (GA)', () => fieldsOf(member('ga', 'response.create', 'response')), () => tryResponse(ga, chat)],
  ['Conversation items (GA)', () => fieldsOf(itemEvent()), () => tryItem(ga)],
];

const found = new Map(); // section -> rows
for (const [title, fields, tryOne] of sections)
  test(`every field is shown or refused: ${title}`, async () => {
    const rows = await probeFields(fields(), tryOne());
    found.set(title, rows);
    assert.deepEqual(faultsOf(rows, title), []);
  });

// ---- events ---------------------------------------------------------------------------------------------------------
const seen = { ga: new Set(), beta: new Set() };
const remember = (dialect, clients) => clients.forEach(({ log }) => log.all.forEach(({ type }) => seen[dialect].add(type)));

for (const dialect of ['ga', 'beta'])
  test(`every server event of ${dialect} is seen, or has a reason not to be`, async () => {
    for (const drive of [driveByHand, driveByVoice]) {
      const client = await dial(scripted, { beta: dialect === 'beta' });
      await drive(client, dialect);
      await client.close();
      remember(dialect, [client]);
    }
    if (dialect === 'ga') remember('ga', await driveIntoFailure(() => dial(busy)));
    if (dialect === 'beta') {
      const client = await dial(scripted, { query: 'intent=transcription', beta: true });
      await client.ask({ type: 'transcription_session.update', session: { turn_detection: null } }, 'transcription_session.updated');
      await client.close();
      remember('beta', [client]);
      return;
    }
    for (const type of eventTypes('ga', 'server').keys()) {
      const excused = type in neverSent || isMcp(type);
      assert.notEqual(seen.ga.has(type), excused, `${type} is ${excused ? 'seen, and said never to be' : 'not seen'}`);
    }
  });

const accepted = {}; // client event -> 'supported' or what refuses it
test('every client event is taken, or refused by name', async () => {
  const client = await dial(scripted);
  for (const type of eventTypes('ga', 'client').keys()) {
    const from = client.log.mark;
    client.send({ type, event_id: `probe ${type}` }); // bare: an event that is known complains of a member, or does its work
    client.send({ type: 'no.such.event', event_id: `behind ${type}` });
    await client.log.wait((event) => event.error?.event_id === `behind ${type}`, from);
    const error = client.log.since(from, 'error').find((event) => event.error.event_id === `probe ${type}`)?.error;
    accepted[type] = error?.param === 'type' ? `refused: ${error.code}, param ${error.param}` : 'supported';
  }
  await client.close();
});

// ---- the page -------------------------------------------------------------------------------------------------------
const show = (value) => (value === null ? 'null' : typeof value === 'object' ? 'object' : String(value));
const outcome = (label, one) => (one.kind === 'supported' ? 'supported' : one.kind === 'refused' ? refusal(one) : withoutEffect(label) ? 'accepted, without effect' : 'IGNORED');
const refusal = ({ code, param }) => `refused: ${code}${param ? `, param ${param}` : ''}`;

function line({ label, outcomes }) {
  const kinds = new Set(outcomes.map((one) => outcome(label, one)));
  if (kinds.size === 1) return `| \`${label}\` | ${[...kinds][0]} |`;
  const parts = [...kinds].map((kind) => `${kind} (${outcomes.filter((one) => outcome(label, one) === kind).map(({ value }) => show(value)).join(', ')})`);
  return `| \`${label}\` | ${parts.join('; ')} |`;
}
const tableOf = (head, lines) => [`| ${head} | parley |`, '| --- | --- |', ...lines].join('\n');

function serverEvent(type) {
  if (seen.ga.has(type)) return `| \`${type}\` | supported |`;
  return `| \`${type}\` | not sent: ${neverSent[type] ?? 'needs a hosted MCP connector; MCP tools are refused'} |`;
}

function written() {
  const { version } = JSON.parse(readFileSync(new URL('./node_modules/openai/package.json', import.meta.url)));
  const own = [...seen.ga].filter((type) => !eventTypes('ga', 'server').has(type)).sort();
  return [
    '# What of the OpenAI Realtime API parley serves',
    `Written by \`tests/e2e/coverage.test.mjs\`, which tries everything that the declarations of the npm package \`openai\` ${version} have\non running servers; do not edit (\`PARLEY_WRITE_COVERAGE=1\` with that test writes it anew). *supported*: the value shows in the\nserver's answer, or in what the model was asked. *without effect*: members of items that change nothing by the declarations,\nor that a model is told in another form. *refused*: an \`error\` with that code and param, and nothing is changed.`,
    '## Client events',
    tableOf('event', Object.entries(accepted).map(([type, what]) => `| \`${type}\` | ${what} |`)),
    '## Server events',
    tableOf('event', [...eventTypes('ga', 'server').keys()].map(serverEvent)),
    `Beta clients (\`OpenAI-Beta: realtime=v1\`) get: ${[...seen.beta].sort().map((type) => `\`${type}\``).join(', ')}.`,
    ...sections.flatMap(([title]) => [`## ${title}`, tableOf('field', found.get(title).map(line))]),
    '## Extensions',
    tableOf('what', [
      ...own.map((type) => `| server event \`${type}\` | answers \`playback.ack\` |`),
      '| client event `playback.ack` | how much of an answer was played; replaces the estimate (GA only) |',
      '| `session.playback_commit_policy` | `estimate`, `ack_only`, `commit_all_on_done`: what history keeps of an answer |',
      '| `audio.input.format.rate`, `audio.output.format.rate` | 8000 to 48000 in steps of 100 for `audio/pcm` |',
      '| `session.temperature` in GA; the flat beta fields in GA | taken as in beta |',
    ]),
    '',
  ].join('\n\n');
}

test('protocol/COVERAGE.md says what was found', () => {
  assert.equal(found.size, sections.length, 'a section was not probed');
  const text = written();
  if (process.env.PARLEY_WRITE_COVERAGE) writeFileSync(page, text);
  assert.equal(readFileSync(page, 'utf8'), text, 'run this test with PARLEY_WRITE_COVERAGE=1 and look at what changed');
});
