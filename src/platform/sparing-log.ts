import type { Logger } from './log.ts';

/** How often the same cause is logged, in milliseconds. */
const EVERY_MS = 60_000;

/** Causes remembered at once; beyond, the oldest is logged again. */
const MAX_CAUSES = 100;

/** Who writes the line; of `repeated` ones since the last nothing was logged. */
export type WriteLine = (repeated: number) => void;

/**
 * Logs one line a minute for each cause, however often it comes: what fails thousands of times a second, such as a Redis that refuses
 * every command, fills no disk. Numbers in a cause make it no other.
 * @param nowMs any clock that only goes forward.
 */
export function createSparingLog(
  nowMs: () => number = () => performance.now(),
): (cause: string, write: WriteLine) => void {
  const told = new Map<string, { atMs: number; repeated: number }>();
  return (cause, write) => {
    const kind = cause.replace(/\d+/g, '#').slice(0, 200);
    const last = told.get(kind);
    if (last !== undefined && nowMs() - last.atMs < EVERY_MS) {
      last.repeated++;
      return;
    }
    told.delete(kind);
    if (told.size >= MAX_CAUSES) for (const oldest of told.keys()) if (told.delete(oldest)) break;
    told.set(kind, { atMs: nowMs(), repeated: 0 });
    write(last?.repeated ?? 0);
  };
}

const ofLoggers = new WeakMap<Logger, ReturnType<typeof createSparingLog>>();

/**
 * Warns of what fails alike for many rows while something that all need is away: one line a minute for each message and
 * reason, which names one of the rows.
 */
export function warnSparingly(log: Logger, { err, ...facts }: Record<string, unknown>, message: string): void {
  const sparing = ofLoggers.get(log) ?? createSparingLog();
  ofLoggers.set(log, sparing);
  sparing(`${message}: ${err instanceof Error ? err.message : ''}`, (repeated) => {
    log.warn({ ...facts, ...(repeated > 0 && { repeated }), ...(err !== undefined && { err }) }, message);
  });
}
