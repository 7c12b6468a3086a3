// One text turn with a running parley: node talk.mjs ws://HOST:PORT/v1/realtime KEY. Needs the packages of tests/e2e.
import { createRequire } from 'node:module';
const { WebSocket } = createRequire(new URL('../tests/e2e/package.json', import.meta.url))('ws');

const [url, key] = process.argv.slice(2);
const health = await fetch(url.replace(/^ws/, 'http').replace(/v1\/realtime$/, 'healthz'));
if (health.status !== 200) throw new Error(`/healthz says ${health.status}`);
const refused = await fetch(url.replace(/^ws/, 'http').replace(/realtime$/, 'models'));
if (refused.status !== 401) throw new Error(`/v1/models without a key says ${refused.status}`);

const socket = new WebSocket(url, { headers: { Authorization: `Bearer ${key}` } });
const send = (event) => socket.send(JSON.stringify(event));
const deadline = setTimeout(() => fail('no answer in 30 s'), 30_000);
function fail(why) {
  console.error(why);
  process.exit(1);
}
socket.on('error', (error) => fail(error.message));
socket.on('message', (data) => {
  const event = JSON.parse(data);
  if (event.type === 'error') fail(JSON.stringify(event.error));
  if (event.type === 'session.created') {
    send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } });
    send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Good morning.' }] } });
    send({ type: 'response.create' });
  }
  if (event.type === 'response.done') {
    clearTimeout(deadline);
    console.log(`answer: ${event.response.output[0].content[0].text}`);
    socket.close();
  }
});
