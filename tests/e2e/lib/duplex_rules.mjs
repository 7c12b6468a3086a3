// What holds for every connection of the duplex dialect, whatever is tested on it.
const outsideJournal = ['session.created', 'session.resumed', 'session.replaced', 'session.resync_required', 'error'];
const rateLimits = ['resource_exhausted', 'input_backpressure', 'output_backpressure'];
const serverErrors = ['internal_error', 'commit_aborted', 'engine_error', 'server_vad_unavailable'];

/** The rules that the events of this client break, in words. */
export function faultsOf(client) {
  const faults = [];
  const wrong = (event, why) => faults.push(`${event.type} ${event.event_id}: ${why}`);
  for (const rule of [identities, numbers, errors, endings, audio]) rule(client, wrong);
  return faults;
}

function identities({ all }, wrong) {
  const seen = new Set();
  for (const event of all) {
    if (!/^event_[0-9a-f]+$/.test(event.event_id)) wrong(event, 'no event_id of a server');
    if (seen.has(event.event_id)) wrong(event, 'event_id used before');
    seen.add(event.event_id);
  }
}

// A journal that overflowed ends the numbering: what a test of that says.
function numbers({ all, unnumbered = false }, wrong) {
  if (unnumbered) return;
  let next = all.some(({ type }) => type === 'session.created') ? 1 : null;
  for (const event of all) {
    const { server_event_seq: number } = event;
    if (number === undefined) {
      if (!outsideJournal.includes(event.type)) wrong(event, 'not numbered');
      continue;
    }
    if (event.type !== 'error' && outsideJournal.includes(event.type)) wrong(event, 'numbered');
    if (next !== null && number !== next) wrong(event, `number ${number} where ${next} is due`);
    next = number + 1;
  }
}

function errors({ all, expected, allowed }, wrong) {
  for (const event of all.filter(({ type }) => type === 'error')) {
    const { type, code, message } = event.error ?? {};
    const due = rateLimits.includes(code) ? 'rate_limit_error' : serverErrors.includes(code) || code?.startsWith('runtime_') ? 'server_error' : 'invalid_request_error';
    if (type !== due) wrong(event, `class ${type} of ${code}`);
    if (typeof message !== 'string' || message === '') wrong(event, `no message: ${JSON.stringify(event)}`);
    if (!expected.has(event.event_id) && !allowed.includes(code)) wrong(event, `not asked for: ${JSON.stringify(event.error)}`);
  }
}

// One response at a time, each with one end, and nothing of it behind that; session.closed is the last event.
function endings({ all }, wrong) {
  const ended = new Set();
  let active = null;
  for (const event of all) {
    const id = event.response_id ?? event.response?.id;
    if (event.type.startsWith('response.') && ended.has(id)) wrong(event, `of ${id}, which is done`);
    if (event.type === 'response.created') {
      if (active) wrong(event, `while ${active} is open`);
      active = event.response.id;
    }
    if (event.type === 'response.done') {
      ended.add(id);
      if (active && id !== active) wrong(event, `of ${id} while ${active} is open`);
      active = null;
    }
  }
  const last = all.findIndex(({ type }) => type === 'session.closed' || type === 'session.expired');
  if (last >= 0 && active) wrong(all[last], `response ${active} was left open`);
  if (last >= 0 && last !== all.length - 1) wrong(all[last], `followed by ${all.slice(last + 1).map(({ type }) => type)}`);
}

// Speech is announced once and first, each piece has its piece of transcript, and old audio does not come late.
function audio({ all }, wrong) {
  const spoken = new Set();
  const isWhole = all.some(({ type }) => type === 'session.created'); // else its beginning went to another socket
  let epoch = 0;
  let due = null;
  for (const event of all) {
    const { response_id: id } = event;
    const isTranscript = event.type === 'response.output_audio_transcript.delta';
    const isLast = event.type === 'response.done'; // behind an overflow nothing else comes
    if (due && id === due && !isTranscript && !isLast) wrong(event, `where the transcript of a piece of audio is due`);
    if (id === due) due = null;
    if (event.type === 'response.speak') {
      if (spoken.has(id)) wrong(event, 'a second one');
      spoken.add(id);
    }
    if (event.type === 'response.done') epoch = Math.max(epoch, event.response.metadata?.epoch ?? 0);
    if (event.type !== 'response.output_audio.delta') continue;
    due = id;
    if (isWhole && !spoken.has(id)) wrong(event, 'before response.speak');
    if (event.metadata?.epoch < epoch) wrong(event, `of epoch ${event.metadata.epoch}, which ended at ${epoch}`);
  }
}
