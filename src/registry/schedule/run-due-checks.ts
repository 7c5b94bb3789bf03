import { claimDue, giveBack } from '../../directory/scheduled-check/claim-due.ts';
import type { CheckLane } from '../../directory/scheduled-check/claim-due.ts';
import { SLOW_MS } from '../../directory/scheduled-check/scheduled-check.ts';
import type { CheckDeps, CheckKind, ScheduledCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { createBell } from '../../platform/bell.ts';
import type { Logger } from '../../platform/log.ts';
import type { Turns } from '../probe/ask.ts';
import { createOriginTurns, OriginBusy } from './origin-turns.ts';
import { createLookPlaces } from './look-places.ts';

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
   * whatever takes time from then on is our own doing. `turns`: where it waits for an origin that another look asks, and has no place
   * meanwhile, so that nobody waits for those who wait.
   */
  look: (check: ScheduledCheck, signal: AbortSignal, onAnswer: () => void, turns: Turns) => Promise<void>;
}

const PLACES: Readonly<Record<CheckLane, number>> = { usual: 64, slow: 32 };
/** A look waits for origins this long in all, and comes back later then, so that its claim does not run out; in milliseconds. */
const MOST_WAIT_MS = 60_000;
/** After this and up to twice as long, in milliseconds. */
const COMES_BACK_MS = 60_000;
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
  const most = run.places ?? PLACES;
  const places = { usual: createLookPlaces(most.usual), slow: createLookPlaces(most.slow) };
  const origins = createOriginTurns();
  const busy = new Set<string>();
  const underWay = new Set<AbortController>();
  const bell = createBell();
  let looks = 0;

  /** `isFull`: a lane was not asked, since all of its places were taken. */
  async function fill(): Promise<{ found: number; isFull: boolean }> {
    let found = 0;
    let isFull = false;
    for (const lane of LANES) {
      const most = places[lane].free();
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
    const { signal } = ending;
    let place: CheckLane | undefined = lane;
    let [isSlow, hasAnswered, waits] = [lane === 'slow', false, 0];
    const onAnswer = () => {
      hasAnswered = true;
    };
    /** Of the time from one wait to the next. */
    const watch = () => {
      const before = waits;
      if (!isSlow)
        void untilSlow(check.subject).then(() => {
          if (hasAnswered || waits !== before) return;
          if (places.slow.free() <= 0) ending.abort(new Error('it takes long'));
          else {
            places.slow.take();
            places.usual.leave();
            [place, isSlow] = ['slow', true];
            bell.ring();
          }
        });
    };
    const turns = {
      waitedMs: 0,
      async inTurn<T>(url: string, work: () => Promise<T>): Promise<T> {
        const { origin } = new URL(url);
        const leave = origins.takeFree(origin) ?? (await waitFor(origin));
        try {
          return await work();
        } finally {
          leave();
        }
      },
    };
    const giveUpPlace = () => {
      if (place !== undefined) places[place].leave();
      place = undefined;
    };
    /** Whoever waits has no place, so what is waited for can always have one. */
    const waitFor = async (origin: string): Promise<() => void> => {
      const since = performance.now();
      const left = isSlow ? 'slow' : 'usual';
      waits++;
      giveUpPlace();
      bell.ring();
      const leave = await origins.wait(origin, MOST_WAIT_MS - turns.waitedMs, signal);
      try {
        await places[left].takeNext(signal);
      } catch (error) {
        leave();
        throw error;
      }
      place = left;
      turns.waitedMs += performance.now() - since;
      watch();
      return leave;
    };
    busy.add(host);
    underWay.add(ending);
    places[lane].take();
    looks++;
    if (stop?.aborted === true) ending.abort(new Error('the process stops'));
    watch();
    try {
      await run.look(check, signal, onAnswer, turns);
    } catch (error) {
      if (error instanceof OriginBusy) await comeBack(check, isSlow ? 'slow' : 'usual', later());
      else if (!signal.aborted) log.warn({ err: error, subject: check.subject }, FAILED);
      else await comeBack(check, isSlow || stop?.aborted !== true ? 'slow' : 'usual', 0);
    } finally {
      onAnswer();
      giveUpPlace();
      busy.delete(host);
      underWay.delete(ending);
      bell.ring();
    }
  }

  /** What was broken off; what failed by a fault comes up again when its claim runs out. */
  async function comeBack(check: ScheduledCheck, lane: CheckLane, afterMs: number): Promise<void> {
    try {
      await giveBack(deps, check, lane, afterMs);
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

const FAILED = 'a check of the registry failed; it comes up again';

/** Not all at once. */
function later(): number {
  return COMES_BACK_MS * (1 + Math.random());
}

function afterSlowMs(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SLOW_MS).unref());
}
