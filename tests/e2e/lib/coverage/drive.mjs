// Conversations that make a server say everything it can: what is seen in them is what COVERAGE.md calls supported.
import { finished } from '../events.mjs';
import { base64, concat, say, silence, stream } from '../speech.mjs';

const text = (words, more = {}) => ({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: words }], ...more } });
const append = (samples) => ({ type: 'input_audio_buffer.append', audio: base64(samples) });
const look = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };

// The names of the two APIs, where a scenario needs them.
const names = {
  ga: { added: 'conversation.item.done', audio: 'response.output_audio.delta', settings: (input, more = {}) => ({ type: 'realtime', audio: { input }, ...more }), text: { output_modalities: ['text'] } },
  beta: {
    added: 'conversation.item.created', audio: 'response.audio.delta', text: { modalities: ['text'] },
    settings: ({ turn_detection, transcription }, more = {}) => ({ ...(turn_detection !== undefined && { turn_detection }), ...(transcription && { input_audio_transcription: transcription }), ...more }),
  },
};

async function answered(client, more) {
  const from = client.log.mark;
  client.send({ type: 'response.create', ...(more && { response: more }) });
  return finished(client.log, from);
}

/** Text, speech, a tool, cancel, truncate, delete, clear and an error, without turn detection. */
export async function driveByHand(client, dialect) {
  const { added, audio, settings, text: textOnly } = names[dialect];
  await client.ask({ type: 'session.update', session: settings({ turn_detection: null, transcription: { model: 'any' } }, { tools: [look] }) }, 'session.updated');
  const item = await client.ask(text('Good morning.', { id: 'item_to_delete' }), added);
  await answered(client, textOnly);
  await client.ask(text('Please look.'), added);
  const { done } = await answered(client, textOnly);
  await client.ask({ type: 'conversation.item.create', item: { type: 'function_call_output', call_id: done.output[0].call_id, output: 'Nothing.' } }, added);
  await answered(client);
  await client.ask({ type: 'conversation.item.delete', item_id: item.item.id }, 'conversation.item.deleted');

  client.send(append(silence(1)));
  await client.ask({ type: 'input_audio_buffer.clear' }, 'input_audio_buffer.cleared');
  client.send(append(silence(1)));
  await client.ask({ type: 'input_audio_buffer.commit' }, 'conversation.item.input_audio_transcription.completed');
  await client.ask(text('Tell me a story.'), added);
  const from = client.log.mark;
  client.send({ type: 'response.create' });
  const { item_id } = await client.log.wait(audio, from);
  await client.ask({ type: 'response.cancel' }, 'response.done');
  await client.ask({ type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: 0 }, 'conversation.item.truncated');
  if (dialect === 'ga') {
    await client.ask({ type: 'conversation.item.retrieve', item_id }, 'conversation.item.retrieved');
    await client.ask({ type: 'playback.ack', item_id, played_ms: 0 }, 'playback.acknowledged');
  }
  await client.ask({ type: 'no.such.event' }, 'error');
}

/** A spoken question, its answer, and, where the API has it, the silence behind it. */
export async function driveByVoice(client, dialect) {
  const { settings } = names[dialect];
  const detection = { type: 'server_vad', silence_duration_ms: 300, ...(dialect === 'ga' && { idle_timeout_ms: 5000 }) };
  await client.ask({ type: 'session.update', session: settings({ turn_detection: detection }) }, 'session.updated');
  const from = client.log.mark;
  await stream(concat(say('what is the weather in paris today'), silence(2)), (piece) => client.send(append(piece)), () => client.log.since(from, 'response.created').length > 0);
  await client.log.wait('response.done', from);
  if (dialect === 'ga') await client.log.wait('input_audio_buffer.timeout_triggered', from);
}

/** A turn that gets no recogniser, because the only one is busy with another caller. */
export async function driveIntoFailure(open) {
  const manual = { type: 'session.update', session: { type: 'realtime', audio: { input: { turn_detection: null, transcription: { model: 'any' } } } } };
  const [busy, failing] = [await open(), await open()];
  for (const client of [busy, failing]) await client.ask(manual, 'session.updated');
  const words = say('what is the weather in paris today');
  busy.send(append(words));
  busy.send({ type: 'input_audio_buffer.commit' });
  busy.send(append(words));
  await busy.log.wait('conversation.item.input_audio_transcription.delta', 0);
  failing.send(append(words));
  await failing.ask({ type: 'input_audio_buffer.commit' }, 'conversation.item.input_audio_transcription.failed', 'conversation.item.input_audio_transcription.completed');
  await busy.close();
  await failing.close();
  return [busy, failing];
}
