import type { Clock } from '../../platform/clock.ts';
import type { GateEnd } from '../../platform/redis/destination-gate.ts';
import type { GateTarget, TargetGate } from '../../platform/redis/target-gate.ts';
import type { Pauses } from './paused-destinations.ts';

/** Leave to make one attempt now, or how long to wait; waiting spends no attempt. */
export type Admission =
  | { allowed: true; leave(end: GateEnd): Promise<void> }
  /** `paused`: by an operator; `closed`: the target takes nothing for now; `busy`: room comes by itself, soon. */
  | { allowed: false; reason: 'busy' | 'closed' | 'paused'; waitMs: number };

/** The slots of one lane of one process. */
export interface AttemptSlots {
  /**
   * Takes a slot; destinations that may hold it long get at most half of them, and each organization a share of that half: a
   * third of what is left, so that something is left for whoever comes next, however many there are.
   */
  acquire(isProven: boolean, organization_id: string): boolean;
  release(isProven: boolean, organization_id: string): void;
}

export interface AdmissionDependencies {
  gate: TargetGate;
  pauses: Pauses;
  /** Whose webhooks wait while they are suspended; absent: nobody's. */
  suspensions?: { areWebhooksStopped(organization_id: string): Promise<boolean> };
  clock: Clock;
  /** 0 up to 1. */
  random(): number;
}

/** How long an attempt for a destination that an operator has paused waits before it looks again, in milliseconds. */
const PAUSED_WAIT_MS = 5 * 60_000;

/** How long an attempt waits that found no slot, in milliseconds. */
const NO_SLOT_WAIT_MS = 250;

/** What asks to go. */
export interface AdmissionRequest {
  /** Those of the lane that it goes in. */
  slots?: AttemptSlots | undefined;
  /** See {@link TargetGate.enter}. */
  isProbe?: boolean;
}

/** Asks the operator's pauses, the target's gate and this process's own slots whether an attempt may be made now. */
export async function admit(
  deps: AdmissionDependencies,
  target: GateTarget,
  { slots, isProbe = false }: AdmissionRequest,
): Promise<Admission> {
  const { gate, clock } = deps;
  const pausedMs = await pausedFor(deps, target);
  if (pausedMs > 0) return { allowed: false, reason: 'paused', waitMs: pausedMs };
  const verdict = await gate.enter(target, clock.now(), { isProbe });
  if (!verdict.allowed) return verdict;
  const { permit, isProven } = verdict;
  if (slots?.acquire(isProven, target.organization_id) === false) {
    await gate.leave(target, permit, { outcome: 'unsent', nowMs: clock.now(), tookMs: 0 });
    return { allowed: false, reason: 'busy', waitMs: NO_SLOT_WAIT_MS * (1 + deps.random()) };
  }
  return {
    allowed: true,
    async leave(end) {
      slots?.release(isProven, target.organization_id);
      await gate.leave(target, permit, end);
    },
  };
}

/**
 * For how long a target is closed, in milliseconds; 0: about how many attempts it takes. Takes none of them.
 * @throws when Redis does not answer.
 */
export async function roomAt(
  deps: AdmissionDependencies,
  target: GateTarget,
): Promise<{ waitMs: number; room: number }> {
  const pausedMs = await pausedFor(deps, target);
  return pausedMs > 0 ? { waitMs: pausedMs, room: 0 } : deps.gate.roomOf(target, deps.clock.now());
}

/** How long to wait before what an operator holds back is looked at again, in milliseconds; 0 for what nobody holds. */
async function pausedFor(deps: AdmissionDependencies, { origin, organization_id }: GateTarget): Promise<number> {
  const isHeld =
    (await deps.pauses.isPaused(origin)) || (await deps.suspensions?.areWebhooksStopped(organization_id)) === true;
  return isHeld ? PAUSED_WAIT_MS * (1 + deps.random()) : 0;
}

/**
 * So many slots, at most half of them for destinations that are not known to answer well.
 * @param mostOfOne of these at most, for one organization.
 */
export function createAttemptSlots(count: number, mostOfOne = Infinity): AttemptSlots {
  const mostUnproven = Math.max(1, Math.floor(count / 2));
  const unproven = new Map<string, number>();
  let taken = 0;
  return {
    acquire(isProven, organization_id) {
      if (isProven) return true;
      const own = unproven.get(organization_id) ?? 0;
      const left = mostUnproven - taken;
      if (left === 0 || own >= mostOfOne || (own > 0 && own >= left / 3)) return false;
      unproven.set(organization_id, own + 1);
      taken++;
      return true;
    },
    release(isProven, organization_id) {
      if (isProven) return;
      const own = (unproven.get(organization_id) ?? 1) - 1;
      if (own === 0) unproven.delete(organization_id);
      else unproven.set(organization_id, own);
      taken--;
    },
  };
}

/** A gate that is always open: for one process that sends to nobody it must spare. */
export const openGate: TargetGate = {
  enter: () => Promise.resolve({ allowed: true, permit: '', isProven: true, isCounted: false }),
  leave: () => Promise.resolve(),
  roomOf: () => Promise.resolve({ waitMs: 0, room: 100 }),
  stateOf: () => Promise.resolve({ in_flight: 0, is_known: true, targets: [] }),
  reset: () => Promise.resolve(),
  close: () => Promise.resolve(),
};
