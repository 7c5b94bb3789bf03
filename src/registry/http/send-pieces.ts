import type { ServerResponse } from 'node:http';
import { readiness } from '../../platform/readiness.ts';

/**
 * Writes each piece once the client has taken those before it, and gives up a client that takes nothing for `stallMs` (default: a
 * minute). The stream is always begun and brought to its end, for what it holds is let go there: also where the client went before. The
 * connection tells that, for an answer that waits behind another one on it never hears of it.
 */
export async function sendPieces(
  res: ServerResponse,
  stream: (signal: AbortSignal) => AsyncIterable<string>,
  stallMs?: number,
): Promise<void> {
  const { socket } = res.req;
  const gone = new AbortController();
  const leave = () => {
    gone.abort();
  };
  socket.once('close', leave);
  if (socket.destroyed) leave();
  const ready = readiness(res, stallMs, gone.signal);
  try {
    res.flushHeaders();
    for await (const piece of stream(gone.signal)) {
      if (gone.signal.aborted || res.destroyed || res.req.method === 'HEAD') break;
      if (!res.write(piece)) await ready();
    }
    res.end();
  } finally {
    socket.off('close', leave);
  }
}
