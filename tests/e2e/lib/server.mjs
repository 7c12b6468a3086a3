// Starts a parley of this build on a free loopback port and stops it by its own pid.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const binary = process.env.PARLEY_BIN;
if (!binary) throw new Error('PARLEY_BIN names no parley program');

export async function startServer(...args) {
  const child = spawn(binary, ['--listen', '127.0.0.1:0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /listening on (ws:\/\/\S+)\/realtime$/.exec(line);
      if (found) resolve(found[1]); // ws://127.0.0.1:PORT/v1
    });
    exited.then((how) => reject(new Error(`parley ended ${JSON.stringify(how)}:\n${log.join('\n')}`)));
  });
  return {
    url,
    httpUrl: url.replace(/^ws/, 'http'),
    pid: child.pid,
    log,
    exited,
    kill: (signal) => child.kill(signal),
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
