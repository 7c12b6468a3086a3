// Tries fields on a running server and says of each what became of it: supported (the answer shows the value), refused
// (with code and param) or ignored (accepted, and nothing shows it), which is a fault.

/** rows of { label, outcomes: [{ value, kind, code, param, was }] } */
export async function probeFields(fields, tryOne, { deep = () => true } = {}) {
  const rows = [];
  for (const field of fields) {
    const outcomes = [];
    for (const { value, body } of field.variants) outcomes.push({ value, ...judged(field, value, await tryOne(body, field)) });
    rows.push({ label: field.label, outcomes });
    if (outcomes.some(({ kind }) => kind === 'supported') && deep(field)) rows.push(...(await probeFields(field.inner(), tryOne, { deep })));
  }
  return rows;
}

/** answer: { error } or { shown, before }, objects of the shape of the request. */
function judged({ steps }, value, { error, shown, before }) {
  if (error) return { kind: 'refused', code: error.code, param: error.param };
  const inside = (one, step) => (typeof one === 'string' && ['id', 'text'].includes(step) ? one : one?.[step]); // see asPlain
  const at = (whole) => steps.reduce(inside, whole);
  return { kind: matches(at(shown), value) ? 'supported' : 'ignored', is: at(shown), isDefault: isSame(at(before), value) };
}

const isSame = (shown, asked) => (asked !== null && typeof asked === 'object' && !Array.isArray(asked) ? matches(shown, asked) : JSON.stringify(shown ?? null) === JSON.stringify(asked));

/** Whether everything asked for is there; null and absent are the same. */
function matches(shown, asked) {
  if (asked === null || shown === undefined || shown === null) return (shown ?? null) === (asked ?? null);
  if (typeof asked !== 'object') return shown === asked;
  if (typeof shown === 'string') return shown === asPlain(asked);
  if (Array.isArray(asked) && asked.every((one) => typeof one !== 'object')) return asked.every((one) => shown.includes(one)); // audio comes with its text
  return Object.entries(asked).every(([name, each]) => matches(shown[name], each));
}
// Objects that say no more than a text: a voice by its id, a text of a prompt's variable.
const asPlain = ({ id, type, text }) => id ?? (type === 'input_text' ? text : undefined);

/** What must not be: values accepted and not shown, and fields of which only the default was tried. */
export function faultsOf(rows, what) {
  const short = (value) => JSON.stringify(value)?.slice(0, 80);
  return rows.flatMap(({ label, outcomes }) => {
    const ignored = outcomes.filter(({ kind }) => kind === 'ignored' && !withoutEffect(label));
    const found = ignored.map(({ value, is }) => `${what} ${label}: ${short(value)} was accepted and ignored, is ${short(is)}`);
    const supported = outcomes.filter(({ kind, value }) => kind === 'supported' && value !== null);
    if (supported.length && supported.every(({ isDefault }) => isDefault) && !hasOneValue(label))
      found.push(`${what} ${label}: only the default was tried, ${short(supported[0].value)}`);
    return found;
  });
}
// They can be nothing else; the type and the model of a session are settled when it is opened.
const hasOneValue = (label) => ['type', 'model'].includes(label) || ['.rate', ')', '.object', '].type', '(server_vad).type'].some((end) => label.endsWith(end));

// What items may carry and what changes nothing: the declarations say so of the status and the object, the items of a
// response's own input enter no conversation, and models are given what an assistant said as text.
const plain = (label) => label.replace(/\([^)]*\)/g, '');
export const withoutEffect = (label) =>
  /^(item|input\[\])\.(status|object)$/.test(plain(label)) || plain(label) === 'input[].id' || /^input\[\]\(assistant message\)\.content\[\]\.audio$/.test(label);

// ---- session ----------------------------------------------------------------------------------------------------------
/** open(): a fresh connection. The answer of the server to a session.update (or transcription_session.update). */
export const trySession = (open, request = 'session.update') => async (session) => {
  const client = await open();
  const { session: before } = await client.log.wait((event) => event.type.endsWith('session.created'), 0);
  const answer = await client.ask({ type: request, session }, 'session.updated', 'transcription_session.updated', 'error');
  await client.close();
  return answer.type === 'error' ? answer : { shown: answer.session, before };
};

// ---- items ------------------------------------------------------------------------------------------------------------
/** As conversation.item.retrieve shows it: with its sound. */
export const tryItem = (open) => async ({ item }) => {
  const client = await open();
  if (item.type === 'function_call_output')
    await client.ask({ type: 'conversation.item.create', item: { type: 'function_call', call_id: item.call_id, name: 'look', arguments: '{}' } }, 'conversation.item.added');
  const added = await client.ask({ type: 'conversation.item.create', item }, 'conversation.item.added', 'error');
  if (added.type === 'error') return client.close().then(() => added);
  const shown = await client.ask({ type: 'conversation.item.retrieve', item_id: added.item.id }, 'conversation.item.retrieved');
  await client.close();
  return { shown };
};

// ---- responses --------------------------------------------------------------------------------------------------------
/** What response.created shows, and for the rest what the language model was asked, in the shape of response.create. */
export const tryResponse = (open, chat) => async (response) => {
  const before = await respond(open, chat, {});
  const answer = await respond(open, chat, response);
  return answer.error ? answer : { shown: answer, before };
};

async function respond(open, chat, response) {
  const client = await open();
  await client.ask({ type: 'conversation.item.create', item: { id: 'item_of_the_client', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Referred.' }] } }, 'conversation.item.added', 'conversation.item.created');
  chat.asked.length = 0;
  const from = client.log.mark;
  const answer = await client.ask({ type: 'response.create', response: withPartner(response) }, 'response.created', 'error');
  if (answer.type === 'error') return client.close().then(() => answer);
  await client.log.wait('response.done', from);
  await client.close();
  return { ...answer.response, max_response_output_tokens: answer.response.max_output_tokens, ...asRequest(answer.response, chat.asked.at(-1), response.input?.[0]) };
}

// A call without its result is not shown to a model, a result without its call is refused.
function withPartner(response) {
  const [first] = response.input ?? [];
  const call = { type: 'function_call', call_id: first?.call_id ?? 'call_1', name: 'look', arguments: first?.arguments ?? '{}' };
  if (first?.type === 'function_call') return { ...response, input: [{ ...first, ...call }, { type: 'function_call_output', call_id: call.call_id, output: 'Sunny.' }] };
  if (first?.type === 'function_call_output') return { ...response, input: [call, first] };
  return response;
}

function asRequest(created, { messages, tools, tool_choice: choice, parallel_tool_calls, reasoning_effort }, first) {
  const instructions = messages.find(({ role }) => role === 'system')?.content ?? '';
  const named = /^You greet the guests of (.*?)(, kindly)?\.$/m.exec(instructions);
  const place = named && named[1] !== '{{place}}' ? { variables: { place: named[1] } } : {};
  return {
    instructions,
    tools: tools?.map(({ type, function: own }) => ({ type, ...own })),
    tool_choice: typeof choice === 'object' ? { type: choice.type, name: choice.function.name } : choice,
    parallel_tool_calls,
    reasoning: { effort: reasoning_effort },
    prompt: named && { id: 'greeter', ...(named[2] && { version: '2' }), ...place },
    conversation: created.conversation_id === null ? 'none' : 'auto',
    input: [inputAgain(messages, first)],
  };
}

// What a model was told as the part that was asked for: sound is told by its words, or by being heard at all.
function partAgain(role, content, asked) {
  if (Array.isArray(content)) {
    const image = content.find(({ type }) => type === 'image_url')?.image_url;
    return { type: 'input_image', image_url: image?.url, detail: image?.detail };
  }
  if (asked?.type === 'input_audio') return { type: asked.type, transcript: content, audio: asked.audio };
  if (asked?.type === 'output_audio') return { type: asked.type, transcript: content };
  return { type: role === 'assistant' ? 'output_text' : 'input_text', text: content };
}
function inputAgain(messages, asked) {
  if (asked?.type === 'item_reference') return messages.some(({ content }) => content === 'Referred.') ? asked : null;
  const items = messages.flatMap(({ role, content, tool_calls: calls, tool_call_id: id }) => {
    if (role === 'tool') return [{ type: 'function_call_output', call_id: id, output: content }];
    if (calls) return calls.map((call) => ({ type: 'function_call', call_id: call.id, ...call.function }));
    return [{ type: 'message', role, content: [partAgain(role, content, asked?.content?.[0])] }];
  });
  return items.find(({ type, role }) => type === asked?.type && role === asked?.role);
}
