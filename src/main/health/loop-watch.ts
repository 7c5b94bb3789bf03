/** How often it is looked at whether the event loop turns, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** Who asks a process that was held up for longer had no answer, in milliseconds. */
const STUCK_MS = 5_000;
/** So long is told of it afterwards, in milliseconds: once seen by who asks each 10 s, and not so often that one time starts a process anew. */
const TOLD_FOR_MS = 10_000;

/** Watches whether the event loop of this process turns, for `/healthz`. */
export interface LoopWatch {
  /** Whether it was held up for more than 5 s, of late. */
  isStuck(): boolean;
  stop(): void;
}

/** `now` is in milliseconds from any moment on. */
export function watchLoop(now: () => number = () => performance.now()): LoopWatch {
  let lookedAt = now();
  let heldUpUntil = -Infinity;
  const look = () => {
    const at = now();
    if (at - lookedAt > LOOK_EVERY_MS + STUCK_MS) heldUpUntil = at;
    lookedAt = at;
  };
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    isStuck() {
      // What was held up may be asked before its own look has its turn.
      look();
      return lookedAt - heldUpUntil < TOLD_FOR_MS;
    },
    stop() {
      clearInterval(timer);
    },
  };
}

/** What `/healthz` answers: 503 for a process that should be started anew. */
export function livenessOf(loop: LoopWatch): { code: 200 | 503; told: { status: 'ok' | 'stuck' } } {
  return loop.isStuck() ? { code: 503, told: { status: 'stuck' } } : { code: 200, told: { status: 'ok' } };
}
