import type { Core } from './compose.ts';

/** How often each step looks whether something is due. */
const EVERY_MS = 500;
/** A decision that its task has not acted on for this long has lost its wake-up. */
const UNACTED_MS = 10_000;

/** Work that time brings, by name. Each looks into the store for what is due; several processes may do it at once. */
const STEPS: Readonly<Record<string, (core: Core) => Promise<unknown>>> = {
  approvals: ({ approvals }) => approvals.wakeDue(UNACTED_MS),
  flights: ({ sales }) => sales.flights.attendDue(),
};

/** Takes every step again and again, each by itself, until stopped. */
export function startSteps(core: Core): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const loops = Object.entries(STEPS).map(([step, take]) => repeat(core, step, take, stopping.signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function repeat(
  core: Core,
  step: string,
  take: (core: Core) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await take(core);
    } catch (error) {
      core.log.warn({ err: error, step }, 'a step failed; trying again');
    }
    await pause(signal);
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, EVERY_MS);
    signal.addEventListener('abort', done);
  });
}
