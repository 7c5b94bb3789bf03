/** Looks that wait at one origin; further ones come back later. */
const MOST_WAITING = 64;

/** An origin is asked by others for so long that a look had better come back. */
export class OriginBusy extends Error {}

/** Turns at origins: each is had by one at a time, first come first served. What is had is given back by calling it. */
export interface OriginTurns {
  /** Undefined: another has it. */
  takeFree(origin: string): (() => void) | undefined;
  /** @throws {OriginBusy} where too many wait, or after so many milliseconds; the signal's reason when that aborts. */
  wait(origin: string, mostMs: number, signal: AbortSignal): Promise<() => void>;
}

export function createOriginTurns(): OriginTurns {
  /** Of each origin that somebody has, those who wait for it. */
  const waiting = new Map<string, Set<() => void>>();

  function giveBackOf(origin: string): () => void {
    return () => {
      const [next] = waiting.get(origin) ?? [];
      if (next === undefined) waiting.delete(origin);
      else next();
    };
  }

  function takeFree(origin: string): (() => void) | undefined {
    if (waiting.has(origin)) return undefined;
    waiting.set(origin, new Set());
    return giveBackOf(origin);
  }

  async function wait(origin: string, mostMs: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const queue = waiting.get(origin);
    if (queue === undefined) {
      waiting.set(origin, new Set());
      return giveBackOf(origin);
    }
    if (queue.size >= MOST_WAITING || mostMs <= 0) throw new OriginBusy(`too many wait for ${origin}`);
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        queue.delete(go);
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const go = () => {
        end();
        resolve();
      };
      const giveUp = (error: Error) => {
        end();
        reject(error);
      };
      const onAbort = () => {
        giveUp(signal.reason as Error);
      };
      const timer = setTimeout(giveUp, mostMs, new OriginBusy(`others ask ${origin} for too long`)).unref();
      signal.addEventListener('abort', onAbort);
      queue.add(go);
    });
    return giveBackOf(origin);
  }

  return { takeFree, wait };
}
