// Speech for the tests: flite's rms voice (the server speaks with slt), as 24 kHz PCM16, and sending it at playing speed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export const rate = 24000; // Hz

/** Samples of the words, with silence around them. */
export function say(words, { before = 0.2, after = 0.2 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-say-'));
  try {
    const file = join(folder, 'speech.wav');
    execFileSync('flite', ['-voice', 'rms', '-t', words, '-o', file]);
    return concat(silence(before), resampled(wavSamples(readFileSync(file))), silence(after));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const silence = (seconds) => new Int16Array(Math.round(seconds * rate));

export function concat(...parts) {
  const all = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export const base64 = (samples) => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64');

/** Sends 100 ms pieces at playing speed until the end or until `stop()`; playing speed is what is under test here. */
export async function stream(samples, send, stop = () => false) {
  const piece = rate / 10;
  const start = performance.now();
  for (let at = 0; at < samples.length && !stop(); at += piece) {
    send(samples.slice(at, at + piece));
    await pause(Math.max(0, start + ((at + piece) / rate) * 1000 - performance.now()));
  }
}

function wavSamples(file) {
  const data = file.indexOf('data') + 8;
  return { rate: file.readUInt32LE(24), samples: new Int16Array(file.buffer.slice(file.byteOffset + data, file.byteOffset + file.length - ((file.length - data) % 2))) };
}

function resampled({ rate: from, samples }) {
  const made = new Int16Array(Math.floor((samples.length * rate) / from));
  for (let i = 0; i < made.length; i++) {
    const at = (i * from) / rate;
    const left = Math.floor(at);
    const right = Math.min(left + 1, samples.length - 1);
    made[i] = Math.round(samples[left] + (samples[right] - samples[left]) * (at - left));
  }
  return made;
}
