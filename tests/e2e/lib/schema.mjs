// Judges events by the type declarations inside the npm package `openai`, read when the tests run. Strict: what is not
// declared is a violation, unless it stands in one of the two tables below.
import { fileURLToPath } from 'node:url';
import { typeIn, typeOf } from './declarations.mjs';

const resource = (path) => fileURLToPath(new URL(`../node_modules/openai/resources/${path}`, import.meta.url));
const files = {
  ga: resource('realtime/realtime.d.ts'),
  beta: resource('beta/realtime/realtime.d.ts'),
  secrets: resource('realtime/client-secrets.d.ts'),
};

// ---- what goes beyond the declarations ------------------------------------------------------------------------------
// [dialect, event, path, type]: a member that the declarations do not have, or a wider type of one that they have.
const extensions = [
  // The declarations of a session in an event are those of a request; the service shows these too, see client-secrets.d.ts.
  ['ga', 'session.*', 'session.id', 'string'],
  ['ga', 'session.*', 'session.object', "'realtime.session' | 'realtime.transcription_session'"],
  ['ga', 'session.*', 'session.expires_at', 'number'],
  // beta/realtime/sessions.d.ts declares only the id.
  ['beta', 'session.*', 'session.object', "'realtime.session'"],
  ['beta', 'session.*', 'session.expires_at', 'number'],
  // The beta types list the model names of their time.
  ['beta', 'session.*', 'session.model', 'string'],
  // Pictures came with GA; a beta client that sends one is shown it.
  ['beta', 'conversation.item.*', 'item.content[].type', "'input_image'"],
  ['beta', 'conversation.item.*', 'item.content[].image_url', 'string'],
  ['beta', 'conversation.item.*', 'item.content[].detail', 'string'],
  // Set by a client that uses the beta's name in GA, and shown so that nothing is dropped without a word.
  ['ga', 'session.*', 'session.temperature', 'number'],
  // The other way round: what a client set by a name that only GA has is shown, and only then.
  ['beta', 'session.*', 'session.prompt', '{ id: string, version?: string, variables?: { [name: string]: string } }'],
  ['beta', 'session.*', 'session.reasoning', "{ effort: 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' }"],
  ['beta', 'session.*', 'session.parallel_tool_calls', 'boolean'],
  ['beta', 'session.*', 'session.truncation', "'auto' | 'disabled' | { type: 'retention_ratio', retention_ratio: number, token_limits?: { post_instructions?: number } }"],
  ['beta', 'conversation.item.*', 'item.content[].type', "'input_image'"],
  ['beta', 'conversation.item.*', 'item.content[].image_url', 'string'],
  ['beta', 'conversation.item.*', 'item.content[].detail', "'auto' | 'low' | 'high'"],
  // The beta types say string, and in words that it may name a function.
  ['beta', 'session.*', 'session.tool_choice', "{ type: 'function', name: string }"],
  // PCM at other rates than 24 kHz.
  ['ga', 'session.*', 'session.audio.*.format.rate', 'number'],
  ['ga', 'response.*', 'response.audio.output.format.rate', 'number'],
  // What history keeps of an answer that was not heard to its end.
  ['ga', 'session.*', 'session.playback_commit_policy', "'ack_only' | 'commit_all_on_done' | 'estimate'"],
];
// [dialect, event, path]: null where the declarations only say optional, because the hosted service is known to send it.
const nulls = [
  ['ga', 'session.*', 'session.include'],
  ['ga', 'session.*', 'session.prompt'],
  ['ga', 'session.*', 'session.tracing'],
  ['*', 'session.*', 'session.audio.input.transcription'],
  ['*', 'session.*', 'session.audio.input.noise_reduction'],
  // The same fields by the beta's names, and the beta's way to switch the turn detection off.
  ['beta', '*session.*', 'session.input_audio_transcription'],
  ['beta', '*session.*', 'session.input_audio_noise_reduction'],
  ['beta', '*session.*', 'session.turn_detection'],
  ['*', 'response.*', 'response.status_details'], // until it is done, and when it was completed
  ['*', 'response.created', 'response.usage'],
  ['*', 'response.*', 'response.conversation_id'], // out of band
  // Sound of the user that is not transcribed (yet); clients need the key to be there.
  ['*', 'conversation.item.*', 'item.content[].transcript'],
];
const transcriptionEvent = (what) => `{ type: 'transcription_session.${what}', event_id: string, session: {
  id: string, object: 'realtime.transcription_session', expires_at?: number, include?: Array<string> | null,
  input_audio_format: 'pcm16' | 'g711_ulaw' | 'g711_alaw',
  input_audio_transcription: { model?: string, language?: string, prompt?: string } | null,
  input_audio_noise_reduction: { type?: 'near_field' | 'far_field' } | null,
  turn_detection: { type: 'server_vad' | 'semantic_vad', threshold?: number, prefix_padding_ms?: number,
    silence_duration_ms?: number, eagerness?: 'low' | 'medium' | 'high' | 'auto' } | null } }`;
// Server events that are declared nowhere, or otherwise than they are sent.
const ownEvents = {
  ga: {
    'playback.acknowledged':
      "{ type: 'playback.acknowledged', event_id: string, response_id: string, item_id: string, played_ms: number, history_committed: boolean }",
  },
  beta: {
    // A socket opened with intent=transcription. The declarations describe the session as the HTTP API hands it out, with a
    // client secret, which there is none of on a socket, and have no event for the opening.
    'transcription_session.created': transcriptionEvent('created'),
    'transcription_session.updated': transcriptionEvent('updated'),
  },
};

const pattern = (text) => new RegExp(`^${text.replace(/[.[\]]/g, '\\$&').replaceAll('*', '[^ ]*')}$`);
const table = (rows) =>
  rows.map(([dialect, event, path, type]) => ({ dialect: pattern(dialect), event: pattern(event), path: pattern(path), type: type && typeOf(type) }));
const rules = { extensions: table(extensions), nulls: table(nulls) };

class Place {
  constructor(dialect, event) {
    this.dialect = dialect;
    this.event = event;
  }
  find(rows, path) {
    const plain = path.replace(/\[\d+\]/g, '[]');
    return rows.find((row) => row.dialect.test(this.dialect) && row.event.test(this.event) && row.path.test(plain));
  }
}

// ---- the declarations -----------------------------------------------------------------------------------------------
const known = new Map();
/** Events of one side: Map(type -> object type). `side` is 'server' or 'client'. */
export function eventTypes(dialect, side) {
  const key = `${dialect} ${side}`;
  if (!known.has(key)) {
    const { of } = typeIn(files[dialect], side === 'server' ? 'RealtimeServerEvent' : 'RealtimeClientEvent');
    known.set(key, new Map(of.map((one) => [one.members.get('type').type.value, one])));
  }
  return known.get(key);
}
export const declaredType = (dialect, name) => typeIn(files[dialect], name);

// ---- judging --------------------------------------------------------------------------------------------------------
/** Violations of one server (or client) event, each `type: path: what is wrong`; empty when all is well. */
export function check(event, dialect, side = 'server') {
  if (typeof event?.type !== 'string') return [`${JSON.stringify(event)}: has no type`];
  const own = side === 'server' && ownEvents[dialect][event.type];
  const type = own ? typeOf(own) : eventTypes(dialect, side).get(event.type);
  if (!type) return [`${event.type}: is no ${side} event of ${dialect}`];
  return checked(type, event, '', new Place(dialect, event.type)).map((text) => `${event.type}: ${text}`);
}

/** The same for a value of a declared type that is no event; `name` stands for the event in the tables. */
export const checkType = (type, value, name, dialect = 'ga') => checked(type, value, '', new Place(dialect, name));

const show = (value) => {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
};
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const wrong = (path, expected, value) => [`${path}: expected ${expected}, is ${show(value)}`];

function checked(type, value, path, place) {
  switch (type.kind) {
    case 'unknown':
      return [];
    case 'null':
      return value === null ? [] : wrong(path, 'null', value);
    case 'literal':
      return value === type.value ? [] : wrong(path, JSON.stringify(type.value), value);
    case 'array':
      if (!Array.isArray(value)) return wrong(path, 'an array', value);
      return value.flatMap((each, index) => checked(type.of, each, `${path}[${index}]`, place));
    case 'map':
      if (!isObject(value)) return wrong(path, 'an object', value);
      return Object.entries(value).flatMap(([name, each]) => checked(type.of, each, `${path}.${name}`, place));
    case 'union':
      return checkedUnion(type, value, path, place);
    case 'object':
      return isObject(value) ? checkedMembers(type, value, path, place) : wrong(path, 'an object', value);
    default: // string, number, boolean
      return typeof value === type.kind && !Number.isNaN(value) ? [] : wrong(path, `a ${type.kind}`, value);
  }
}

function checkedMembers(type, value, path, place) {
  const found = [];
  for (const [name, member] of type.members)
    if (!member.optional && !(name in value)) found.push(`${path}${path && '.'}${name}: is missing`);
  for (const [name, each] of Object.entries(value)) {
    const at = `${path}${path && '.'}${name}`;
    if (each === null && place.find(rules.nulls, at)) continue;
    const declared = type.members.get(name)?.type;
    const faults = declared ? checked(declared, each, at, place) : [`${at}: is not declared`];
    if (!faults.length) continue;
    const wider = place.find(rules.extensions, at);
    found.push(...(wider ? checked(wider.type, each, at, place) : faults));
  }
  return found;
}

// The alternative that the value means to be: its literal members (type, role) say which; the least wrong one is reported.
function checkedUnion({ of }, value, path, place) {
  if (!isObject(value) && !Array.isArray(value)) {
    if (of.some((one) => !checked(one, value, path, place).length)) return [];
    return wrong(path, of.map((one) => (one.kind === 'literal' ? JSON.stringify(one.value) : one.kind)).join(' | '), value);
  }
  const judged = of
    .filter(({ kind }) => (Array.isArray(value) ? kind === 'array' : kind === 'object' || kind === 'map'))
    .map((one) => ({ faults: checked(one, value, path, place), meant: meant(one, value) }));
  if (!judged.length) return wrong(path, of.map(({ kind }) => kind).join(' | '), value);
  judged.sort((a, b) => b.meant - a.meant || a.faults.length - b.faults.length);
  return (judged.find(({ faults }) => !faults.length) ?? judged[0]).faults;
}

function meant(type, value) {
  if (type.kind !== 'object') return 0;
  const literals = [...type.members].filter(([, member]) => member.type.kind === 'literal');
  return literals.reduce((sum, [name, { type: wanted }]) => sum + (value[name] === wanted.value ? 1 : name in value ? -1 : 0), 0);
}
