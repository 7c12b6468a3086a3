// The npm package `@openai/agents-realtime` with its defaults against a scripted parley: text, speech, a tool, interruption.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { RealtimeAgent, RealtimeSession, tool } from '@openai/agents-realtime';
import { z } from 'zod';
import { EventLog } from './lib/events.mjs';
import { startServer } from './lib/server.mjs';
import { concat, say, silence, stream } from './lib/speech.mjs';

let server;
before(async () => (server = await startServer('--model', 'scripted')));
after(async () => assert.equal((await server.stop()).code, 0));

async function open(tools = []) {
  const agent = new RealtimeAgent({ name: 'Tester', instructions: 'Answer briefly.', tools });
  const session = new RealtimeSession(agent, { transport: 'websocket', apiKey: 'sk-test', model: 'scripted' });
  const log = new EventLog(); // the wire
  const seen = new EventLog(null); // what the SDK tells its user
  session.on('transport_event', (event) => log.push(event));
  session.on('error', () => {});
  for (const name of ['agent_start', 'agent_end', 'audio', 'audio_interrupted', 'agent_tool_start', 'agent_tool_end'])
    session.on(name, (...values) => seen.push({ type: name, text: name === 'agent_end' ? values[2] : undefined }));
  await session.connect({ apiKey: 'sk-test', url: `${server.url}/realtime?model=scripted` });
  await log.wait((event) => event.type === 'session.updated' && event.session.instructions === 'Answer briefly.', 0);
  return { session, log, seen };
}
const bytes = (samples) => samples.buffer.slice(samples.byteOffset, samples.byteOffset + samples.byteLength);

test('a message is answered in speech and lands in the history', async () => {
  const { session, log, seen } = await open();
  session.sendMessage('Good morning.');
  const { text } = await seen.wait('agent_end', 0);
  assert.ok(text.length > 0);
  assert.ok(seen.since(0, 'audio').length > 0);
  assert.equal(seen.since(0, 'agent_start').length, 1);
  const assistant = session.history.find(({ role }) => role === 'assistant');
  assert.equal(assistant.content[0].transcript, text);
  assert.deepEqual(log.since(0, 'error'), []);
  session.close();
});

test('speech is heard, transcribed and answered; speech over the answer interrupts it', async () => {
  const { session, log, seen } = await open();
  const speak = (samples, stop) => stream(samples, (piece) => session.sendAudio(bytes(piece)), stop);
  await speak(concat(say('what is the weather in paris today'), silence(2.5)), () => log.since(0, 'response.created').length > 0);
  await seen.wait('agent_end', 0);
  await log.wait('conversation.item.retrieved', 0); // the SDK asks for what was transcribed

  const from = log.mark, mark = seen.mark;
  session.sendMessage('Tell me a long story.');
  const { response_id: story } = await log.wait('response.output_audio.delta', from);
  await speak(concat(say('please stop talking now'), silence(2.5)), () => log.since(from, 'response.created').length > 1);
  const done = await log.wait((event) => event.type === 'response.done' && event.response.id === story, from);
  assert.equal(done.response.status_details.reason, 'turn_detected');
  await seen.wait('audio_interrupted', mark);
  await log.wait('conversation.item.truncated', from);
  await log.wait((event) => event.type === 'response.done' && event.response.id !== story, from);
  assert.deepEqual(log.since(0, 'error'), []);

  // The history is in the order in which things were said, and holds of the story no more than was heard.
  assert.deepEqual(session.history.map(({ role }) => role), ['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
  const [question, , , cut, , last] = session.history;
  assert.equal(question.content[0].transcript, 'hello'); // what the script says it heard
  assert.equal(cut.status, 'incomplete');
  const said = done.response.output[0].content[0].transcript;
  assert.ok(said.startsWith(cut.content[0].transcript), cut.content[0].transcript);
  assert.equal(last.status, 'completed');
  session.close();
});

test('a tool of the session is called and its result is spoken', async () => {
  let city;
  const weather = tool({ name: 'get_weather', description: 'Weather of a city', parameters: z.object({ city: z.string() }), execute: async (given) => `It is sunny in ${(city = given.city)}.` });
  const { session, log, seen } = await open([weather]);
  session.sendMessage('Use the get_weather tool: what is the weather in Paris?');
  await seen.wait('agent_tool_end', 0);
  assert.ok(city.length > 0);
  const call = await log.wait((event) => event.type === 'response.done' && event.response.output.some((one) => one.type === 'function_call'), 0);
  const answer = await log.wait((event) => event.type === 'response.done' && event.response.id !== call.response.id, 0);
  assert.match(answer.response.output[0].content[0].transcript, /sunny/);
  assert.deepEqual(session.history.map(({ type }) => type), ['message', 'function_call', 'message']);
  assert.equal(session.history[1].output, `It is sunny in ${city}.`);
  assert.deepEqual(log.since(0, 'error'), []);
  session.close();
});

test('interrupt() in the middle of an answer gives no error and cuts the item', async () => {
  const { session, log, seen } = await open();
  session.sendMessage('Tell me a long story.');
  await seen.wait((event) => event.type === 'audio' && seen.since(0, 'audio').length >= 3, 0);
  await pause(120); // so that something was heard: the SDK cuts by the wall clock
  session.interrupt();
  const { response } = await log.wait('response.done', 0);
  assert.equal(response.status, 'cancelled');
  await log.wait('conversation.item.truncated', 0);
  await seen.wait('agent_end', 0);
  assert.deepEqual(log.since(0, 'error'), []);
  session.close();
});
