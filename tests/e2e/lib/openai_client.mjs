// The realtime clients of the npm package `openai`, opened against a server of ours and logged.
import net from 'node:net';
import { OpenAI } from 'openai';
import { OpenAIRealtimeWebSocket as BetaWebSocket } from 'openai/beta/realtime/websocket';
import { OpenAIRealtimeWS as BetaWS } from 'openai/beta/realtime/ws';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { WebSocket } from 'ws';
import { EventLog } from './events.mjs';

const clients = { ga: { ws: OpenAIRealtimeWS, websocket: OpenAIRealtimeWebSocket }, beta: { ws: BetaWS, websocket: BetaWebSocket } };

/** kind 'ws' (headers) or 'websocket' (browser style: the key is a subprotocol); dialect 'ga' or 'beta'. */
export async function connect(server, { kind = 'ws', dialect = 'ga', model = 'scripted', key = 'sk-test' } = {}) {
  const client = new OpenAI({ apiKey: key, baseURL: server.httpUrl, dangerouslyAllowBrowser: true });
  // openai only speaks wss; `createConnection` is an option of `ws` that gives it a plain socket instead.
  const options = { createConnection: ({ host, port }) => net.connect({ host, port }) };
  if (kind === 'websocket') useInsecureWebSocket();
  const realtime = new clients[dialect][kind]({ model, ...(kind === 'ws' && { options }) }, client);
  const log = new EventLog(dialect);
  realtime.on('event', (event) => log.push(event));
  realtime.on('error', () => {}); // errors are read from the log
  const { socket } = realtime;
  const closed = new Promise((resolve) => socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason: String(reason) })));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    closed.then(({ code }) => reject(new Error(`closed ${code}`)));
  });
  return {
    log,
    socket,
    closed,
    send(event) {
      log.sent.push(event);
      realtime.send(event);
    },
    /** Sends the event and waits for the first answer of one of the types. */
    async ask(event, ...types) {
      const from = log.mark;
      this.send(event);
      return log.wait((one) => types.includes(one.type), from);
    },
    async close() {
      realtime.close();
      return closed;
    },
  };
}

let browserWebSocket;
function useInsecureWebSocket() {
  // The package asks the global WebSocket for wss; the server under test has no TLS.
  browserWebSocket ??= class extends WebSocket {
    constructor(url, protocols) {
      super(String(url).replace(/^wss:/, 'ws:'), protocols);
    }
  };
  globalThis.WebSocket = browserWebSocket;
}

export const userText = (text, extra = {}) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }], ...extra },
});
