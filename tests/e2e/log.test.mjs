// The log's reader is nobody the server depends on.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { WebSocket } from 'ws';

// A server whose standard error is read by nobody; `gone`: both pipes have no reader any more once it is up.
async function unread(gone) {
  const child = spawn(process.env.PARLEY_BIN, ['--listen', '127.0.0.1:0', '--model', 'scripted'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  if (gone) {
    child.stdout.destroy();
    child.stderr.destroy();
  } else {
    child.stderr.pause();
  }
  return { child, exited, url: /ws:\S+/.exec(line)[0] };
}

async function session(url) {
  const socket = new WebSocket(url);
  await once(socket, 'message');
  socket.close();
  await once(socket, 'close');
}

test('F6: the server lives on when the reader of its log has gone, and ends as asked', async () => {
  const { child, exited, url } = await unread(true);
  try {
    for (let i = 0; i < 20; ++i) await session(url);
  } finally {
    child.kill('SIGTERM');
  }
  assert.deepEqual(await exited, [0, null]);
});

test('F6: the server serves on when nobody reads its log, and ends as asked', async () => {
  const { child, exited, url } = await unread(false);
  try {
    // Two lines a session of 80 bytes: more than the pipe holds.
    for (let i = 0; i < 700; i += 10) await Promise.all(Array.from({ length: 10 }, () => session(url)));
  } finally {
    child.kill('SIGTERM');
  }
  assert.deepEqual(await exited, [0, null]);
});
