import type { ServerResponse } from 'node:http';
import type { Caller } from '../directory/caller.ts';
import type { CredentialWatch } from '../directory/credential/credential-watch.ts';

/** What ends the work for one answer. */
export interface LiveSignals {
  /** Aborts when the client has gone. */
  gone: AbortSignal;
  /** Aborts then, and when the server stops; with an `AppError`, when the credential opens nothing any more (rule S5.streams). */
  signal: AbortSignal;
  /** To be called when the answer is out. */
  close: () => void;
}

export function liveSignals({ stopping, watch }: { stopping: AbortSignal; watch: CredentialWatch }) {
  /** One listener for all: those of a signal that lives as long as the process would be kept by it. */
  const open = new Set<AbortController>();
  stopping.addEventListener('abort', () => {
    for (const waiting of open) waiting.abort();
  });
  return (caller: Caller, response: ServerResponse): LiveSignals => {
    const [client, waiting] = [new AbortController(), new AbortController()];
    const left = () => {
      if (response.writableFinished) return;
      client.abort();
      waiting.abort();
    };
    if (stopping.aborted) waiting.abort();
    if (response.closed) left();
    open.add(waiting);
    response.once('close', left);
    const unwatch = watch.watch(caller, (why) => {
      waiting.abort(why);
    });
    return {
      gone: client.signal,
      signal: waiting.signal,
      close: () => {
        open.delete(waiting);
        unwatch();
      },
    };
  };
}
