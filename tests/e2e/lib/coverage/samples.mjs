// A value to try for every declared field whose type is open. A field without a sample stops the test: somebody must
// think about what a new declaration needs. No sample is the default of its field, so that an echo proves something.
import { base64 } from '../speech.mjs';

export const sound = base64(Int16Array.from({ length: 2400 }, (_, index) => (index % 100) * 100)); // 100 ms
// One pixel.
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Of a type that is open and yet has a few known values. */
const several = (...values) => ({ several: values });

const byLabel = {
  'output.voice(ID).id': 'voice_1',
  'transcription.model': 'whisper-1',
  'input_audio_transcription.model': 'whisper-1',
  'transcription.prompt': 'the sea',
  'input_audio_transcription.prompt': 'the sea',
  'noise_reduction.strength': 0.4,
  'prompt.id': 'greeter',
  'tools[].name': 'look',
  'tool_choice.name': 'look',
  'tools[].parameters': { type: 'object', properties: { city: { type: 'string' } } },
  'tools[].description': 'Looks at a place',
  'tracing.metadata': { team: 'blue' },
  'content[].audio': sound,
  'content[].text': 'A word.',
  'content[].transcript': 'A heard word.',
};
const byName = {
  // sessions and responses
  instructions: 'Be brief.', model: 'gpt-realtime', voice: 'alloy', speed: 1.25, max_output_tokens: 321, max_response_output_tokens: 321, temperature: 0.9,
  threshold: 0.7, prefix_padding_ms: 250, silence_duration_ms: 650, idle_timeout_ms: 6000,
  language: 'en', languages: ['en'], keywords: ['lighthouse'],
  group_id: 'group-1', workflow_name: 'flow', metadata: { team: 'blue' },
  retention_ratio: 0.5, post_instructions: 5000,
  version: '2', 'variables.*': 'Paris', 'metadata.*': 'blue', conversation: several('auto', 'none'), tool_choice: several('auto', 'none', 'required'),
  seconds: 60,
  // items
  id: 'item_of_the_client', call_id: 'call_of_the_client', name: 'look', arguments: '{"city":"Paris"}', output: 'It is sunny.', image_url: `data:image/png;base64,${png}`,
  // MCP
  server_label: 'maps', approval_request_id: 'approval_1', approve: true, reason: 'fine', input_schema: { type: 'object' }, code: 1, message: 'text',
  // what a prompt's variable can be besides a text
  text: 'Paris', file_data: 'data:text/plain;base64,QQ==', file_id: 'file_1', file_url: 'https://example.org/a.txt', filename: 'a.txt', include: ['item.input_audio_transcription.logprobs'],
};

const plain = (label) => label.replace(/\([^)]*\)/g, '');

export function sample(label) {
  const names = plain(label).split('.');
  for (const key of [label.split('.').slice(-2).join('.'), names.slice(-2).join('.'), names.at(-1)]) {
    if (key in byLabel) return byLabel[key];
    if (key in byName) return byName[key];
  }
  throw new Error(`no sample for ${label}: lib/coverage/samples.mjs needs one`);
}

const tool = { type: 'function', name: 'look' };
// What a field needs beside it in its object, by the end of its label or by the name of the object's type.
const beside = [
  [/turn_detection\.eagerness$/, { type: 'semantic_vad' }],
  [/turn_detection\.[^.]+$/, { type: 'server_vad' }],
  [/transcription\.[^.]+$/, { model: 'whisper-1' }],
  [/noise_reduction\.[^.]+$/, { type: 'near_field' }],
  [/\btools\[\](\(function\))?\.[^.]*$/, tool],
  [/^(tool_choice|parallel_tool_calls)[^.]*$/, { tools: [tool] }],
  [/\(message user\)\.content\[\]\.type$/, { text: 'A word.', audio: sound, image_url: byName.image_url }],
  [/\(message user\)\.content\[\]\.(audio|transcript)$/, { type: 'input_audio', audio: sound }],
  [/\(message user\)\.content\[\]\.(image_url|detail)$/, { type: 'input_image', image_url: byName.image_url }],
  [/\(message (user|system)\)\.content\[\]\.[^.]*$/, { type: 'input_text', text: 'A word.' }],
  [/\(assistant message\)\.content\[\]\.type$/, { text: 'A word.', transcript: 'A heard word.' }],
  [/\(assistant message\)\.content\[\]\.(audio|transcript)$/, { type: 'output_audio', transcript: 'A heard word.' }],
  [/\(assistant message\)\.content\[\]\.[^.]*$/, { type: 'output_text', text: 'A word.' }],
];

export const companions = (label) => beside.find(([end]) => end.test(label))?.[1] ?? {};
