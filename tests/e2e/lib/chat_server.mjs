// A language model's HTTP API for tests: says "Good." to every chat completion, or what `answer` makes of the request (a list of
// deltas and a finish_reason), and keeps what it was asked. A delta is an object, or a Buffer of its JSON for what no
// object can hold.
import { createServer } from 'node:http';
import { once } from 'node:events';

const json = (value) => (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value)));
const chunk = (delta, more = '') => Buffer.concat([Buffer.from('data: {"choices":[{"index":0,"delta":'), json(delta), Buffer.from(`${more}}]}\n\n`)]);

const good = () => ({ deltas: [{ role: 'assistant', content: 'Good.' }] });

export async function startChatServer(answer = good) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    asked.push(JSON.parse(body));
    const { deltas, finish_reason = 'stop' } = answer(asked.at(-1));
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const delta of deltas) response.write(chunk(delta));
    response.end(Buffer.concat([chunk({}, `,"finish_reason":${JSON.stringify(finish_reason)}`), Buffer.from('data: [DONE]\n\n')]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1/chat/completions`,
    asked,
    stop: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}
