// What must hold in every GA event log: ids announced before they are used, order and number of the events of items and
// responses, deltas that add up. Returns the violations as texts.
export function violations(events) {
  const found = [];
  const eventIds = new Set();
  const items = new Map(); // id -> {added, done}
  const responses = new Map(); // id -> {outputs: Map(index -> output), done}
  const heard = new Map(); // item id -> joined transcription deltas; null once the transcription is over
  let active = null; // of the conversation
  const bad = (index, text) => found.push(`#${index} ${events[index].type}: ${text}`);

  events.forEach((event, index) => {
    if (!event.event_id || eventIds.has(event.event_id)) bad(index, `event_id ${event.event_id}`);
    eventIds.add(event.event_id);
    if (index === 0 && event.type !== 'session.created') bad(index, 'comes before session.created');
    if (index > 0 && event.type === 'session.created') bad(index, 'came twice');
    const response = responses.get(event.response_id);
    if (event.response_id && !response) bad(index, `response ${event.response_id} was not announced`);
    if (response?.done) bad(index, `comes after response.done of ${event.response_id}`);
    const output = response?.outputs.get(event.output_index);

    switch (event.type) {
      case 'conversation.item.added': {
        const { id } = event.item;
        if (items.has(id)) bad(index, `item ${id} was added before`);
        items.set(id, { done: false });
        if (event.previous_item_id !== null && !items.has(event.previous_item_id)) bad(index, 'unknown previous_item_id');
        if (event.previous_item_id === null && items.size > 1) bad(index, 'previous_item_id null');
        if (event.item.type === 'message' && !Array.isArray(event.item.content)) bad(index, 'no content');
        break;
      }
      case 'conversation.item.done': {
        const item = items.get(event.item.id);
        if (!item || item.done) bad(index, item ? 'came twice' : 'comes before added');
        if (item) item.done = true;
        break;
      }
      case 'conversation.item.input_audio_transcription.delta':
        if (heard.get(event.item_id) === null) bad(index, 'comes after the end of its transcription');
        heard.set(event.item_id, (heard.get(event.item_id) ?? '') + event.delta);
        break;
      case 'conversation.item.input_audio_transcription.completed':
        if (event.transcript !== (heard.get(event.item_id) ?? '')) bad(index, `differs from its deltas, "${heard.get(event.item_id)}"`);
        heard.set(event.item_id, null);
        break;
      case 'conversation.item.input_audio_transcription.failed':
        heard.set(event.item_id, null);
        break;
      case 'response.created': {
        const { id, status, output: made, conversation_id: conversation } = event.response;
        if (responses.has(id)) bad(index, 'came twice');
        if (status !== 'in_progress' || !Array.isArray(made) || made.length) bad(index, 'is no fresh response');
        if (conversation !== null && active) bad(index, `while ${active} is active`);
        if (conversation !== null) active = id;
        responses.set(id, { outputs: new Map(), conversation, done: false });
        break;
      }
      case 'response.done': {
        const own = responses.get(event.response.id);
        if (!own || own.done) {
          bad(index, own ? 'came twice' : 'was not announced');
          break;
        }
        own.done = true;
        if (active === event.response.id) active = null;
        if (event.response.output.length !== own.outputs.size) bad(index, 'output differs from what was announced');
        for (const one of own.outputs.values()) if (!one.done) bad(index, `item ${one.id} is not done`);
        break;
      }
      case 'response.output_item.added':
        if (event.output_index !== response?.outputs.size) bad(index, `output_index ${event.output_index}`);
        if (event.item.status !== 'in_progress') bad(index, `status ${event.item.status}`);
        response?.outputs.set(event.output_index, { id: event.item.id, text: '', transcript: '', bytes: 0, arguments: '', seen: new Set() });
        break;
      case 'response.output_item.done':
        if (!output || output.done) bad(index, 'is out of place');
        else if (response.conversation !== null && !items.get(output.id)?.done) bad(index, 'comes before conversation.item.done');
        if (output) output.done = true;
        break;
      default:
        if (event.type.startsWith('response.') && event.output_index !== undefined) part(event, index, output);
    }
  });

  function part(event, index, output) {
    if (!output || output.done || event.item_id !== output.id) return bad(index, `item ${event.item_id} is not open`);
    const kind = event.type.replace(/^response\./, '');
    if (!kind.endsWith('.delta')) {
      if (output.seen.has(kind)) bad(index, 'came twice');
      output.seen.add(kind);
    }
    if (kind !== 'content_part.added' && !kind.startsWith('function_call') && !output.seen.has('content_part.added')) bad(index, 'before its part');
    if (output.seen.has('content_part.done') && kind !== 'content_part.done') bad(index, 'after its part');
    switch (kind) {
      case 'output_text.delta': output.text += event.delta; break;
      case 'output_text.done': if (event.text !== output.text) bad(index, 'differs from its deltas'); break;
      case 'output_audio_transcript.delta': output.transcript += event.delta; break;
      case 'output_audio_transcript.done': if (event.transcript !== output.transcript) bad(index, 'differs from its deltas'); break;
      case 'function_call_arguments.delta': output.arguments += event.delta; break;
      case 'function_call_arguments.done': if (event.arguments !== output.arguments) bad(index, 'differs from its deltas'); break;
      case 'output_audio.delta': {
        const bytes = Buffer.from(event.delta, 'base64');
        if (!bytes.length || bytes.toString('base64') !== event.delta) bad(index, 'is empty or no base64');
        output.bytes += bytes.length;
        break;
      }
      case 'content_part.done': {
        const audio = event.part.type === 'audio';
        for (const needed of audio ? ['output_audio.done', 'output_audio_transcript.done'] : ['output_text.done'])
          if (!output.seen.has(needed)) bad(index, `before ${needed}`);
        break;
      }
    }
  }
  return found;
}
