// The models of the duplex tests: scripted ones that hear units of a fifth of a second and have their speech at once.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const longText =
  'Once there was a lighthouse keeper who wrote a letter to the sea every evening. He put it in a bottle and let the tide take it away. For years no answer came, and still he wrote to the sea.';

// 400 ms of speech where a turn ends: no more than delivery sends ahead, so that the answer is there at once.
const talker = {
  adapter: 'scripted',
  native: true,
  chunk_period_ms: 200,
  rate: 0,
  ms_per_word: 100,
  delta_ms: 100,
  replies: [{ when: 'story', text: longText }, { text: 'I heard you well.' }],
};
// More than ten seconds, so that there is time to interrupt it.
const storyteller = { ...talker, ms_per_word: 300, delta_ms: 200, replies: [{ text: longText }] };
const turns = { adapter: 'scripted', rate: 0, ms_per_word: 100, delta_ms: 100, transcript: 'hello there', replies: [{ when: 'story', text: longText }, { text: 'I heard you well.' }] };

export const models = {
  talker,
  storyteller,
  listener: { ...talker, keep_listening: true },
  second_unit_talker: { ...talker, speak_on_units: [2] },
  eager_storyteller: { ...storyteller, speak_on_units: [1] },
  failing: { ...talker, fail_on_unit: 1 },
  failing_at_the_end: { ...talker, fail_on_unit: 6 },
  failing_later: { ...talker, speak_on_units: [9], fail_on_unit: 2 },
  stalling_at_the_end: { ...talker, stall_on_unit: 6 },
  stalling: { ...talker, stall_on_unit: 1 },
  lost: { ...storyteller, speak_on_units: [1], lose_on_unit: 2 },
  uninterruptible: { ...storyteller, capabilities: { barge_in: false } },
  // Two seconds: several units pass under an answer that ends in time.
  two_seconds: { ...talker, ms_per_word: 250, replies: [{ text: 'These are the eight words of one turn.' }] },
  eager_two_seconds: { ...talker, ms_per_word: 250, speak_on_units: [1], replies: [{ text: 'These are the eight words of one turn.' }] },
  // 2,400 ms.
  eight_words: { ...talker, ms_per_word: 300, replies: [{ text: 'These are the eight words of one turn.' }] },
  // Can nothing but listen and speak.
  limited: {
    ...storyteller,
    capabilities: { barge_in: false, resume: false, text: false, images: false, video: 'none', audio_truncate: false, instructions_update: false, response_options: false },
  },
  seeing: { ...talker, capabilities: { video: 'required' } },
  reading: { ...talker, capabilities: { text_appends: true } },
  voiceless: { ...talker, capabilities: { reference_voice: true } },
  silent: { ...talker, replies: [{ text: '' }] },
  // Four minutes at once, whether there is room or not.
  flood: { ...storyteller, ms_per_word: 6000, ignore_flow_control: true },
  // Turn-based: parley finds the turns.
  turns,
  turns_storyteller: { ...turns, ms_per_word: 300, replies: [{ text: longText }] },
};

/** A configuration file with these models (YAML, as JSON is). */
export function configurationFile() {
  const file = join(mkdtempSync(join(tmpdir(), 'parley-duplex-')), 'models.yaml');
  writeFileSync(file, JSON.stringify({ models, default_model: 'talker', log: { level: 'warn' } }));
  return file;
}
