// A language model's HTTP API for tests: says "Good." to every chat completion and keeps what it was asked.
import { createServer } from 'node:http';
import { once } from 'node:events';

const chunk = (delta, more = {}) => `data: ${JSON.stringify({ choices: [{ index: 0, delta, ...more }] })}\n\n`;

export async function startChatServer() {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    asked.push(JSON.parse(body));
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(`${chunk({ role: 'assistant', content: 'Good.' })}${chunk({}, { finish_reason: 'stop' })}data: [DONE]\n\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/v1/chat/completions`,
    asked,
    stop: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}
