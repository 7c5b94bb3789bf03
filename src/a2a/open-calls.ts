import type { ServerResponse } from 'node:http';
import type { Caller } from '../directory/caller.ts';
import { AppError } from '../platform/errors.ts';
import type { A2aCall } from './call.ts';

export interface OpenCalls {
  /** Aborts when the client has gone before its answer has ended, and when the server stops. */
  signal(response: ServerResponse): AbortSignal;
  /** Counts a stream of this caller. @throws {AppError} `RATE_LIMITED` when it has too many. */
  openStream(call: A2aCall): { close(): void };
  /** Streams open in this process. */
  streams(): number;
}

export interface OpenCallsOptions {
  /** Most streams of one organization at this process at a time. */
  streamsPerCaller: number;
  /** Ends every stream when it aborts. */
  stopping?: AbortSignal | undefined;
}

/** What is under way at this process. */
export function openCalls({ streamsPerCaller, stopping }: OpenCallsOptions): OpenCalls {
  const controllers = new Set<AbortController>();
  const counts = new Map<string, number>();
  stopping?.addEventListener('abort', () => {
    for (const controller of controllers) controller.abort();
  });

  const count = ({ organization_id }: Caller, change: 1 | -1): number => {
    const now = (counts.get(organization_id) ?? 0) + change;
    if (now === 0) counts.delete(organization_id);
    else counts.set(organization_id, now);
    return now;
  };

  return {
    signal(response) {
      const controller = new AbortController();
      if (stopping?.aborted === true || response.closed) controller.abort();
      else controllers.add(controller);
      response.once('close', () => {
        controllers.delete(controller);
        if (!response.writableFinished) controller.abort();
      });
      return controller.signal;
    },
    openStream({ caller }) {
      if (count(caller, 1) > streamsPerCaller) {
        count(caller, -1);
        throw new AppError('RATE_LIMITED', `close a stream first; at most ${streamsPerCaller} may be open at a time`, {
          retry_after: 5,
        });
      }
      return { close: () => void count(caller, -1) };
    },
    streams: () => [...counts.values()].reduce((sum, some) => sum + some, 0),
  };
}
