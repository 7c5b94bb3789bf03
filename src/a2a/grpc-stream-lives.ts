import { AppError } from '../platform/errors.ts';

/** How long streams over gRPC are told. */
export interface StreamLives {
  /** Begins a stream; it is over when its call has closed. */
  begin(call: { once(event: 'cancelled' | 'close', heard: () => void): unknown }): AbortSignal;
  /** Begins a call that is answered once; `end` says that it was. */
  beginCall(call: { once(event: 'cancelled', heard: () => void): unknown }): AbortSignal;
  endCall(call: object): void;
  /** Why a stream ends that has nothing more to tell; undefined: because all of it was told. */
  endOf(call: object): AppError | undefined;
  /** Ends all streams and all waits, as a server does that stops. */
  endAll(): void;
}

/**
 * Ends each stream after `lifeMs`, so that no connection must be kept for ever for the sake of one, and when the server stops: as
 * `UNAVAILABLE`, the status after which clients try again, and with words that say how. A stream begins with the task as it stands, so nothing is missed
 * by whoever subscribes anew.
 */
export function streamLives(lifeMs: number): StreamLives {
  const streams = new Map<object, AbortController>();
  const calls = new Map<object, AbortController>();
  const [aged, left] = [new WeakSet<object>(), new WeakSet<object>()];
  let isEnding = false;
  const controller = () => {
    const made = new AbortController();
    if (isEnding) made.abort();
    return made;
  };
  return {
    begin(call) {
      const stream = controller();
      streams.set(call, stream);
      if (isEnding) left.add(call);
      const timer = setTimeout(() => {
        aged.add(call);
        stream.abort();
      }, lifeMs).unref();
      call.once('cancelled', () => {
        stream.abort();
      });
      call.once('close', () => {
        clearTimeout(timer);
        streams.delete(call);
      });
      return stream.signal;
    },
    beginCall(call) {
      const begun = controller();
      calls.set(call, begun);
      call.once('cancelled', () => {
        calls.delete(call);
        begun.abort();
      });
      return begun.signal;
    },
    endCall(call) {
      calls.delete(call);
    },
    endOf(call) {
      if (aged.has(call)) return endedEarly(`a stream is told for ${minutes(lifeMs)}`);
      return left.has(call) ? endedEarly('this server is stopping') : undefined;
    },
    endAll() {
      isEnding = true;
      for (const [call, stream] of streams) {
        left.add(call);
        stream.abort();
      }
      for (const call of calls.values()) call.abort();
    },
  };
}

function endedEarly(why: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `${why}; subscribe to the task again`, { retry_after: 1 });
}

function minutes(ms: number): string {
  return `${Math.max(1, Math.round(ms / 60_000))} minutes`;
}
