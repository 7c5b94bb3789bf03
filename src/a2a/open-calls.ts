import type { ServerResponse } from 'node:http';
import type { Budgets } from '../platform/budget/budgets.ts';
import type { A2aCall } from './call.ts';

export interface OpenCalls {
  /** Aborts when the client has gone before its answer has ended, and when the server stops. */
  signal(response: ServerResponse): AbortSignal;
  /** Counts a stream of this caller. @throws {AppError} `RATE_LIMITED` when it has too many. */
  openStream(call: A2aCall): Promise<{ close(): void }>;
  /** Streams open in this process. */
  streams(): number;
}

export interface OpenCallsOptions {
  /** Absent: there is no end of streams. */
  budgets?: Budgets | undefined;
  /** Ends every stream when it aborts. */
  stopping?: AbortSignal | undefined;
}

/** What is under way at this process. */
export function openCalls({ budgets, stopping }: OpenCallsOptions): OpenCalls {
  const controllers = new Set<AbortController>();
  let open = 0;
  stopping?.addEventListener('abort', () => {
    for (const controller of controllers) controller.abort();
  });

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
    async openStream({ caller }) {
      const place = await budgets?.hold('a2a_streams', caller.organization_id);
      open++;
      return {
        close: () => {
          open--;
          place?.letGo();
        },
      };
    },
    streams: () => open,
  };
}
