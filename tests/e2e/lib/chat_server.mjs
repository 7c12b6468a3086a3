// A language model's HTTP API for tests: says "Good." to every chat completion, or what `answer` makes of the request (a list of
// deltas and a finish_reason), and keeps what it was asked.
import { createServer } from 'node:http';
import { once } from 'node:events';

const chunk = (delta, more = {}) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;

const good = () => ({ deltas: [{ role: 'assistant', content: 'Good.' }], finish_reason: 'stop' });

export async function startChatServer(answer = good) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    asked.push(JSON.parse(body));
    const { deltas, finish_reason } = answer(asked.at(-1));
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(`${deltas.map((delta) => chunk(delta)).join('')}${chunk({}, { finish_reason })}data: [DONE]\n\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1/chat/completions`,
    asked,
    stop: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}
