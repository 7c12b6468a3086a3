// A bare WebSocket to a server of ours, logged: for what no published client sends.
import { WebSocket } from 'ws';
import { EventLog } from './events.mjs';

/** query: what follows `?`; beta: by the header. Rejects when the handshake is refused. */
export async function dial(server, { query = '', beta = false, headers = {}, protocols = [] } = {}) {
  const url = `${server.url}/realtime${query && `?${query}`}`;
  const socket = new WebSocket(url, protocols, { headers: { ...(beta && { 'OpenAI-Beta': 'realtime=v1' }), ...headers } });
  const log = new EventLog(beta ? 'beta' : 'ga');
  socket.on('message', (data) => log.push(JSON.parse(data)));
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    log,
    send: (event) => socket.send(JSON.stringify(event)),
    /** Sends the event and waits for the first answer of one of the types. */
    async ask(event, ...types) {
      const from = log.mark;
      this.send(event);
      return log.wait((one) => types.includes(one.type), from);
    },
    close() {
      socket.close(1000);
      return closed;
    },
  };
}
