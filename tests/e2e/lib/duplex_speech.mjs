// Speech for the duplex tests, at 24 kHz in the pieces of a microphone.
import { rate, say, silence } from './speech.mjs';

const piece = rate / 10; // samples

export const pieces = (samples) => Array.from({ length: Math.ceil(samples.length / piece) }, (_, i) => samples.slice(i * piece, (i + 1) * piece));
/** The words with a little silence around them, in pieces of 100 ms. */
export const spokenWords = (words) => pieces(say(words));
/** Longer than what ends a turn. */
export const silenceBetween = silence(1.2);
