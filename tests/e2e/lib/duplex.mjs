// A client of the duplex dialect for tests: it opens a session, sends, waits and keeps everything that came. When a test
// is over each of its clients is closed as a client would, and what it was sent is held against the rules that hold for
// every connection (duplex_rules.mjs); an error that the test did not ask for fails it.
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { WebSocket } from 'ws';
import { configurationFile } from './duplex_models.mjs';
import { faultsOf } from './duplex_rules.mjs';
import { EventLog } from './events.mjs';
import { startServer } from './server.mjs';

const clients = new Set();

afterEach(async () => {
  const mine = [...clients];
  clients.clear();
  const faults = [];
  for (const client of mine) faults.push(...(await client.end().catch((error) => [error.message]) ?? []));
  assert.deepEqual(faults, []);
});

/** A server with the models of duplex_models.mjs; without a name in the query it is talker. */
export const startDuplexServer = (...args) => startServer('--config', configurationFile(), ...args);

/** Stops them all; a server that did not end well fails the test with what it logged. */
export async function stopServers(...servers) {
  const ends = await Promise.all(servers.map((one) => one.stop()));
  ends.forEach(({ code, signal }, i) => assert.equal(code, 0, `parley ended with ${code ?? signal}:\n${servers[i].log.join('\n')}`));
}

// ---- audio ----------------------------------------------------------------------------------------------------------
export const base64 = (samples) => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64');
export const silence = (ms, rate = 16000) => new Int16Array(Math.round((ms * rate) / 1000));
/** A tone of 440 Hz, far above every measure of silence. */
export const tone = (ms, rate = 16000) => silence(ms, rate).map((_, i) => 8000 * Math.sin((2 * Math.PI * 440 * i) / rate));
/** A prefix of a response's text for so much of its audio, by the marks of its deltas (statement 130). */
export function heardText({ deltas, transcript }, ms) {
  const told = deltas.flatMap(({ metadata }) => metadata.audio_text_marks);
  // A later mark of as many characters replaces the one before: the words turned out to last longer.
  const marks = [{ text_chars: 0, audio_end_ms: 0 }, ...told.filter(({ text_chars }, at) => text_chars !== told[at + 1]?.text_chars)];
  const next = marks.findIndex(({ audio_end_ms }) => audio_end_ms >= ms && audio_end_ms > 0);
  if (next < 0) return transcript.slice(0, marks.at(-1).text_chars).trimEnd();
  const [from, to] = [marks[next - 1], marks[next]];
  const chars = from.text_chars + ((to.text_chars - from.text_chars) * (ms - from.audio_end_ms)) / (to.audio_end_ms - from.audio_end_ms);
  return transcript.slice(0, Math.floor(chars)).trimEnd();
}
export const bytesOf = (delta) => Buffer.from(delta, 'base64');

export class DuplexClient {
  constructor(url, { acknowledges = false } = {}) {
    this.log = new EventLog(null);
    this.cursor = 0; // everything before it was looked at by next()
    this.expected = new Set(); // event_id of the errors that the test asked for
    this.allowed = [];
    this.numbers = 0;
    this.socket = new WebSocket(url, { maxPayload: 0 });
    this.closed = new Promise((resolve) => this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })));
    this.socket.on('message', (data, binary) => {
      assert.equal(binary, false);
      const event = JSON.parse(data);
      this.log.push(event);
      if (acknowledges && 'server_event_seq' in event) this.send({ type: 'session.event_ack', server_event_seq: event.server_event_seq });
    });
    clients.add(this);
  }
  ready() {
    return new Promise((resolve, reject) => this.socket.once('open', resolve).once('error', reject));
  }
  get all() {
    return this.log.all;
  }
  of(type) {
    return this.all.filter((event) => event.type === type);
  }
  get id() {
    return this.of('session.created')[0].session.id;
  }

  // ---- sending ------------------------------------------------------------------------------------------------------
  send(event) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(typeof event === 'string' ? event : JSON.stringify(event));
  }
  append(samples, more = {}) {
    this.send({ type: 'input_audio_buffer.append', audio: typeof samples === 'string' ? samples : base64(samples), ...more });
  }
  tone(ms, more) {
    this.append(tone(ms), more);
  }
  silence(ms, more) {
    this.append(silence(ms), more);
  }
  commit(more = {}) {
    this.send({ type: 'input_audio_buffer.commit', ...more });
  }
  /** A spoken turn that wants an answer; longer than a short acknowledgement. */
  speak(ms = 1000) {
    this.tone(ms);
    this.commit({ response_create: true });
  }
  ack(response, played_ms, more = {}) {
    this.send({ type: 'playback.ack', response_id: response.id ?? response, played_ms, ...more });
  }

  // ---- waiting ------------------------------------------------------------------------------------------------------
  /** The next event of that type, or that the function likes, behind what was already looked at. */
  async next(wanted) {
    const found = await this.log.wait(wanted, this.cursor);
    this.cursor = this.all.indexOf(found) + 1;
    return found;
  }
  /** Everything from here to the next such event, with it. */
  async until(wanted) {
    const from = this.cursor;
    await this.next(wanted);
    return this.all.slice(from, this.cursor);
  }
  ask(event, wanted) {
    this.cursor = this.all.length;
    this.send(event);
    return this.next(wanted);
  }
  update(session) {
    return this.ask({ type: 'session.update', session }, 'session.updated');
  }
  /** What came up to the answer of a heartbeat: the server was through with everything sent before. */
  async settled() {
    const from = this.cursor;
    this.send({ type: 'session.heartbeat' });
    await this.next('session.heartbeat_ack');
    return this.all.slice(from, this.cursor - 1);
  }
  /** The event is answered by an error that names it, and has this code where one is given. */
  async refused(event, code) {
    const event_id = `client-${++this.numbers}`;
    this.send({ ...event, event_id });
    const error = await this.log.wait((one) => one.type === 'error' && one.error?.event_id === event_id, 0);
    this.expected.add(error.event_id);
    if (code) assert.equal(error.error.code, code, JSON.stringify(error.error));
    return error;
  }
  /** The next error that was not looked at, which has this code. */
  async error(code) {
    const error = await this.next(({ type, event_id }) => type === 'error' && !this.expected.has(event_id));
    this.expected.add(error.event_id);
    assert.equal(error.error.code, code, JSON.stringify(error.error));
    return error;
  }
  /** The next response as a whole, once it is done. */
  async response() {
    const created = await this.next('response.created');
    const id = created.response_id;
    const done = await this.log.wait((event) => event.type === 'response.done' && event.response.id === id, this.cursor);
    this.cursor = this.all.indexOf(done) + 1;
    return this.summary(id);
  }
  /** What came of a response up to now. */
  summary(id) {
    const events = this.all.filter((event) => (event.response_id ?? event.response?.id) === id);
    const joined = (type) => events.filter((event) => event.type === type).map((event) => event.delta);
    return {
      id,
      item: `item_${id}`,
      events,
      types: events.map(({ type }) => type),
      of: (type) => events.filter((event) => event.type === type),
      created: events.find(({ type }) => type === 'response.created')?.response,
      done: events.find(({ type }) => type === 'response.done')?.response,
      deltas: events.filter(({ type }) => type === 'response.output_audio.delta'),
      audio: Buffer.concat(joined('response.output_audio.delta').map(bytesOf)),
      transcript: joined('response.output_audio_transcript.delta').join(''),
      text: joined('response.output_text.delta').join(''),
    };
  }
  /** The first audio of the next response, which goes on. */
  async speaking() {
    const { response_id } = await this.next('response.created');
    await this.next((event) => event.type === 'response.output_audio.delta' && event.response_id === response_id);
    return this.summary(response_id);
  }
  /** The next response, which goes on, when so much of its audio has come. */
  async spoken(ms) {
    const { id } = await this.speaking();
    await this.log.wait((event) => event.response_id === id && event.metadata?.audio_duration_ms >= ms, 0);
    return this.summary(id);
  }
  /** Everything of a response is done: for a cancel that was sent. */
  async ended(id) {
    const done = await this.log.wait((event) => event.type === 'response.done' && event.response.id === id, 0);
    this.cursor = Math.max(this.cursor, this.all.indexOf(done) + 1);
    return this.summary(id);
  }

  /** Errors of these codes may come, and need not: what the dialect leaves open. */
  allows(...codes) {
    this.allowed.push(...codes);
  }

  // ---- the end ------------------------------------------------------------------------------------------------------
  async close(more = {}) {
    this.cursor = this.all.length;
    this.send({ type: 'session.close', ...more });
    const closed = await this.next('session.closed');
    return { event: closed, socket: await this.closed };
  }
  /** The socket dies without a word. */
  drop() {
    this.socket.terminate();
    return this.closed;
  }
  /** Ends the session if it still runs; what is wrong with what came. */
  async end() {
    const isLast = ({ type, reason }) => ['session.closed', 'session.expired', 'session.replaced'].includes(type) || reason === 'journal_gap';
    const isOpen = this.all.some(({ type }) => ['session.created', 'session.resumed'].includes(type));
    if (this.socket.readyState === WebSocket.OPEN && !this.all.some(isLast)) {
      if (!isOpen) this.socket.close(1000);
      this.send({ type: 'session.close' });
      if (isOpen) await this.log.wait(isLast, 0); // also where another socket took the session just now
    }
    await this.closed;
    return faultsOf(this);
  }
}

/** A socket of the dialect; nothing was sent or waited for. query: beside `duplex=1`. */
export async function connect(server, query = '', { path = 'realtime', duplex = true, ...more } = {}) {
  const words = [duplex && path === 'realtime' && 'duplex=1', query].filter(Boolean).join('&');
  const client = new DuplexClient(`${server.url}/${path}${words && `?${words}`}`, more);
  await client.ready();
  return client;
}

/** A session by its query, once it is open. */
export async function openByQuery(server, model = 'talker') {
  const client = await connect(server, `model=${model}`);
  await client.next('session.updated');
  return client;
}

/** A session by session.update. auto: it answers on its own. */
export async function open(server, model = 'talker', { auto = false, acknowledges = false, extra_body = {}, ...session } = {}) {
  const client = await connect(server, 'autostart=0', { acknowledges });
  client.send({ type: 'session.update', session: { model, turn_detection: null, ...session, extra_body: { ...(auto && { auto_response: true }), ...extra_body } } });
  await client.next('session.updated');
  return client;
}

/** An answer to text that is being spoken: where a detector listens, a tone is no way to ask. */
export async function askedByText(client) {
  client.send(userText('Tell me something long.'));
  await client.next('conversation.item.done');
  client.send({ type: 'response.create' });
  return client.speaking();
}

/** As the public client opens a session and behaves in it: it acknowledges every numbered event. */
export const openAsPublicClient = (server, model = 'talker', more = {}) =>
  open(server, model, { acknowledges: true, sample_rate_hz: 16000, audio: { input: { sample_rate_hz: 16000 }, output: { sample_rate_hz: 24000 } }, ...more });

export const userText = (text, more = {}) => ({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }, ...more });
