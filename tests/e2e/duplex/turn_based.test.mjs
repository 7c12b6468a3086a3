// A turn-based model in the duplex dialect: parley finds the turns for it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open, openAsPublicClient, openByQuery, startDuplexServer, stopServers, userText } from '../lib/duplex.mjs';
import { silenceBetween, spokenWords } from '../lib/duplex_speech.mjs';

let server;
before(async () => (server = await startDuplexServer()));
after(() => stopServers(server));

const hear = (client, ...parts) => parts.forEach((samples) => client.append(samples, { sample_rate_hz: 24000 }));
const speech = spokenWords('good morning to you');

test('turn-based: a committed turn is transcribed and answered', async () => {
  const client = await open(server, 'turns', { input_audio_transcription: { model: 'whisper-1' } });
  client.speak();
  const { done, transcript, deltas } = await client.response();
  assert.deepEqual([done.status, transcript], ['completed', 'I heard you well.']);
  assert.ok(deltas.length > 0);
  const committed = client.of('input_audio_buffer.committed')[0];
  const heard = client.of('conversation.item.input_audio_transcription.completed');
  assert.deepEqual(heard.map(({ item_id, transcript: words }) => [item_id, words]), [[committed.item_id, 'hello there']]);
});

test('turn-based: on a session that answers on its own every second without an end of turn is a listen', async () => {
  const client = await openAsPublicClient(server, 'turns', { auto: true });
  for (let second = 0; second < 3; ++second) {
    client.silence(1000);
    const { response } = await client.next('response.listen');
    assert.equal(response.metadata.model_listen, true);
  }
  assert.deepEqual(client.of('response.created'), []);
});

test('turn-based: and the end of a turn is answered', async () => {
  const client = await openAsPublicClient(server, 'turns', { auto: true });
  hear(client, ...speech, silenceBetween, silenceBetween);
  const { done, transcript } = await client.response();
  assert.deepEqual([done.status, transcript], ['completed', 'I heard you well.']);
});

test('turn-based: so is a commit', async () => {
  const client = await openAsPublicClient(server, 'turns', { auto: true });
  for (let turn = 0; turn < 2; ++turn) {
    hear(client, ...speech);
    client.commit();
    await client.next('input_audio_buffer.committed');
    assert.equal((await client.response()).done.status, 'completed');
  }
});

test('turn-based: ref_audio is taken, and changes nothing', async () => {
  const client = await open(server, 'turns', { ref_audio: 'data:audio/wav;base64,UklGRg==' });
  client.speak();
  assert.equal((await client.response()).transcript, 'I heard you well.');
});

test('turn-based: text is answered, spoken answers can be cancelled', async () => {
  const client = await openByQuery(server, 'turns');
  client.send(userText('Tell me a story.'));
  await client.next('conversation.item.done');
  client.send({ type: 'response.create' });
  const { id } = await client.speaking();
  client.send({ type: 'response.cancel' });
  assert.equal((await client.ended(id)).done.status, 'cancelled');
});
