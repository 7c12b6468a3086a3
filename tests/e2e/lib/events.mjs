// The server events of one session in order, with waiting: every wait has a deadline and says what came instead. Each
// event is held against the declarations of the openai package; a test whose server said something undeclared fails.
import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { check } from './schema.mjs';

const faults = [];
afterEach(() => assert.deepEqual(faults.splice(0), []));

const patience = 30_000 * Number(process.env.PARLEY_E2E_PATIENCE ?? 1); // ms, for one event

export class EventLog {
  /** dialect 'ga' or 'beta'; null for a log of other things than server events. */
  constructor(dialect = 'ga') {
    this.dialect = dialect;
    this.all = [];
    this.sent = [];
    this.waiting = new Set();
  }
  push(event) {
    this.all.push(structuredClone(event)); // some clients change the events that they hand out
    if (this.dialect) faults.push(...check(event, this.dialect));
    for (const one of [...this.waiting]) one.look();
  }
  get mark() {
    return this.all.length;
  }
  since(mark, type) {
    return this.all.slice(mark).filter((event) => !type || event.type === type);
  }
  /** The first event from `from` on that is of that type, or that the function likes. */
  wait(wanted, from = this.mark) {
    const likes = typeof wanted === 'function' ? wanted : (event) => event.type === wanted;
    return new Promise((resolve, reject) => {
      const one = {
        look: () => {
          const found = this.all.slice(from).find(likes);
          if (!found) return false;
          clearTimeout(one.timer);
          this.waiting.delete(one);
          resolve(found);
          return true;
        },
      };
      one.timer = setTimeout(() => {
        this.waiting.delete(one);
        const came = this.all.slice(from).map((event) => (event.type === 'error' ? JSON.stringify(event.error) : event.type));
        reject(new Error(`no ${typeof wanted === 'string' ? wanted : wanted.toString()}; came: ${came.join(', ')}`));
      }, patience);
      this.waiting.add(one);
      one.look();
    });
  }
}

/** Everything of the first response that was created at or after `from`, once it is done. */
export async function finished(log, from) {
  const created = await log.wait('response.created', from);
  const id = created.response.id;
  const done = await log.wait((event) => event.type === 'response.done' && event.response.id === id, from);
  const own = log.since(from).filter((event) => event.response_id === id);
  const join = (type) => own.filter((event) => event.type === type || event.type === type.replace('output_', '')).map((event) => event.delta); // GA or beta
  return {
    id,
    created: created.response,
    done: done.response,
    events: own,
    text: join('response.output_text.delta').join(''),
    transcript: join('response.output_audio_transcript.delta').join(''),
    audio: Buffer.concat(join('response.output_audio.delta').map((delta) => Buffer.from(delta, 'base64'))),
  };
}
