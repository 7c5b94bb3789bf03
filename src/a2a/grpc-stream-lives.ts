import { AppError } from '../platform/errors.ts';

/** How long streams over gRPC are told. */
export interface StreamLives {
  /** Begins one; it is over when its call has closed. */
  begin(call: { once(event: 'cancelled' | 'close', heard: () => void): unknown }): AbortSignal;
  /** Why a stream ends that has nothing more to tell; undefined: because all of it was told, or the agent stops. */
  endOf(call: object): AppError | undefined;
  /** Ends all, as a server does that stops. */
  endAll(): void;
}

/**
 * Ends each stream after `lifeMs`, so that no connection must be kept for ever for the sake of one: as `UNAVAILABLE`, the status
 * after which clients try again, and with words that say how. A stream begins with the task as it stands, so nothing is missed
 * by whoever subscribes anew.
 */
export function streamLives(lifeMs: number): StreamLives {
  const streams = new Set<AbortController>();
  const aged = new WeakSet<object>();
  return {
    begin(call) {
      const stream = new AbortController();
      streams.add(stream);
      const timer = setTimeout(() => {
        aged.add(call);
        stream.abort();
      }, lifeMs).unref();
      call.once('cancelled', () => {
        stream.abort();
      });
      call.once('close', () => {
        clearTimeout(timer);
        streams.delete(stream);
      });
      return stream.signal;
    },
    endOf: (call) =>
      aged.has(call)
        ? new AppError('SERVICE_UNAVAILABLE', `a stream is told for ${minutes(lifeMs)}; subscribe to the task again`, {
            retry_after: 1,
          })
        : undefined,
    endAll() {
      for (const stream of streams) stream.abort();
    },
  };
}

function minutes(ms: number): string {
  return `${Math.max(1, Math.round(ms / 60_000))} minutes`;
}
