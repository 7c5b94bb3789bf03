import { claimDue, giveBack } from '../../directory/scheduled-check/claim-due.ts';
import type { CheckLane } from '../../directory/scheduled-check/claim-due.ts';
import { SLOW_MS } from '../../directory/scheduled-check/scheduled-check.ts';
import type { CheckDeps, CheckKind, ScheduledCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { createBell } from '../../platform/bell.ts';
import type { Logger } from '../../platform/log.ts';

export interface RunDeps extends CheckDeps {
  log: Logger;
  /** Asked before more is taken. Default: always. */
  mayTake?: () => Promise<boolean>;
  /** Settles once a look of the usual lane is taken to be slow. Default: after {@link SLOW_MS}. */
  untilSlow?: (subject: string) => Promise<void>;
}

export interface CheckRun {
  kind: CheckKind;
  /** Hosts at which one process looks at once. Default: 64, and 32 slow ones. */
  places?: Readonly<Record<CheckLane, number>>;
  hostOf: (subject: string) => string;
  /**
   * One look, which notes by itself how it went. Throws the signal's reason when that aborts. `onAnswer`: its host has answered, and
   * whatever takes time from then on is our own doing.
   */
  look: (check: ScheduledCheck, signal: AbortSignal, onAnswer: () => void) => Promise<void>;
}

const PLACES: Readonly<Record<CheckLane, number>> = { usual: 64, slow: 32 };
const LANES: readonly CheckLane[] = ['usual', 'slow'];
/** While something is under way and nothing is due, it looks this often whether something has come up; in milliseconds. */
const LOOK_EVERY_MS = 2_000;

/**
 * Looks at everything of a kind that is due, until nothing is due and nothing under way: many hosts at once, each host once at a time.
 * A look that takes long is moved to the slow lane, or broken off and done there when it has a place, so that no other waits for it.
 * Any number of processes may run; each look is one process's. Answers how many looks there were.
 */
export async function runDueChecks(deps: RunDeps, run: CheckRun, stop?: AbortSignal): Promise<number> {
  const { log, mayTake = () => Promise.resolve(true), untilSlow = afterSlowMs } = deps;
  const { places = PLACES } = run;
  const used: Record<CheckLane, number> = { usual: 0, slow: 0 };
  const busy = new Set<string>();
  const underWay = new Set<AbortController>();
  const bell = createBell();
  let looks = 0;

  /** `isFull`: a lane was not asked, since all of its places were taken. */
  async function fill(): Promise<{ found: number; isFull: boolean }> {
    let found = 0;
    let isFull = false;
    for (const lane of LANES) {
      const most = places[lane] - used[lane];
      isFull ||= most <= 0;
      if (most <= 0 || stop?.aborted === true || !(await mayTake())) continue;
      const claimed = await claimDue(
        deps,
        { kind: run.kind, lane, most },
        { of: run.hostOf, isBusy: (host) => busy.has(host) },
      );
      found += claimed.found;
      for (const check of claimed.taken) void begin(check, lane);
    }
    return { found, isFull };
  }

  async function begin(check: ScheduledCheck, lane: CheckLane): Promise<void> {
    const host = run.hostOf(check.subject);
    const ending = new AbortController();
    let place = lane;
    let hasAnswered = false;
    const onAnswer = () => {
      hasAnswered = true;
    };
    busy.add(host);
    underWay.add(ending);
    used[place]++;
    looks++;
    if (stop?.aborted === true) ending.abort(new Error('the process stops'));
    if (lane === 'usual')
      void untilSlow(check.subject).then(() => {
        if (hasAnswered) return;
        if (used.slow >= places.slow) ending.abort(new Error('it takes long'));
        else {
          [used.usual, used.slow, place] = [used.usual - 1, used.slow + 1, 'slow'];
          bell.ring();
        }
      });
    try {
      await run.look(check, ending.signal, onAnswer);
    } catch (error) {
      await afterFailure(check, ending.signal.aborted ? (stop?.aborted === true ? place : 'slow') : undefined, error);
    } finally {
      onAnswer();
      used[place]--;
      busy.delete(host);
      underWay.delete(ending);
      bell.ring();
    }
  }

  /** What was broken off is due at once; what failed by a fault comes up again when its claim runs out. */
  async function afterFailure(
    check: ScheduledCheck,
    brokenOffTo: CheckLane | undefined,
    error: unknown,
  ): Promise<void> {
    try {
      if (brokenOffTo !== undefined) await giveBack(deps, check, brokenOffTo);
      else log.warn({ err: error, subject: check.subject }, 'a check of the registry failed; it comes up again');
    } catch (cause) {
      log.warn({ err: cause, subject: check.subject }, 'a check of the registry could not be given back');
    }
  }

  const breakOff = () => {
    for (const ending of underWay) ending.abort(new Error('the process stops'));
  };
  stop?.addEventListener('abort', breakOff);
  try {
    for (;;) {
      const rung = bell.next();
      const { found, isFull } = await fill();
      if (found > 0) continue;
      // All of a full lane may have ended while the other one was asked.
      if (underWay.size === 0 && !isFull) return looks;
      await rung(LOOK_EVERY_MS);
    }
  } finally {
    stop?.removeEventListener('abort', breakOff);
    while (underWay.size > 0) await bell.next()(LOOK_EVERY_MS);
  }
}

function afterSlowMs(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SLOW_MS).unref());
}
