/** One event of a stream as it was sent, without its wrapping. */
export interface SseEvent {
  event?: string;
  data: unknown;
}

/** Reads a stream of server-sent events as a client does; comments are told to `onComment`. */
export async function* readEvents(
  response: Response,
  onComment: (text: string) => void = () => undefined,
): AsyncGenerator<SseEvent, void, undefined> {
  let buffer = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    buffer += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = buffer.indexOf('\n\n'); end >= 0; end = buffer.indexOf('\n\n')) {
      const lines = buffer.slice(0, end).split('\n');
      buffer = buffer.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      for (const line of lines) if (line.startsWith(':')) onComment(line);
      const [data, event] = [field('data'), field('event')];
      if (data !== undefined) yield { data: JSON.parse(data) as unknown, ...(event !== undefined && { event }) };
    }
  }
}

/** All events until the stream ends. */
export async function allEvents(response: Response): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}
