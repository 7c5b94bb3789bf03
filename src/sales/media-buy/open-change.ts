import { z } from 'zod';
import type { ErrorBody } from '../../platform/errors.ts';
import { TaskId } from '../../platform/task-id.ts';
import { AdOrder, AdOrderState } from '../ad-server/ad-order.ts';
import { BuyChange } from './buy-change.ts';

const Timestamp = z.iso.datetime({ precision: 3 });
const Version = z.int().min(1);

/**
 * `hold`: a new buy's inventory is to be kept. `run`: a buy that waits is to run. `update`: a buyer's change.
 * `release`: one that the seller held back runs again. `system`: the ad server learns how the buy has come to stand.
 */
export const OpenChangeKind = z.enum(['hold', 'run', 'update', 'release', 'system']);
export type OpenChangeKind = z.infer<typeof OpenChangeKind>;

/** The one change of a buy that the ad server has been told, or is to be, and has not answered. */
export const OpenChange = z.object({
  kind: OpenChangeKind,
  /** Whose task waits for the answer; null for the system's own. */
  task_id: TaskId.nullable(),
  /** What it is told as, the same however often it is told; null while it is to be planned anew after a stop. See `cut`. */
  order: AdOrder.nullable(),
  /** Of an `update`: what the buy becomes once it holds. */
  change: BuyChange.optional(),
  /** Of an `update`: the leave of a person, where one was needed. */
  approval: z.object({ note: z.string().nullable(), task_id: TaskId, decided_by: z.string().nullable() }).optional(),
  /**
   * Of an `update` that takes budget away, at an ad server that can only be asked what was spent once nothing moves: the packages
   * that stand still for it, and since when that is known; null while the ad server has yet to stop them. While they are
   * counted, `order` is null.
   */
  cut: z.object({ package_ids: z.array(z.string()), paused_at: Timestamp.nullable() }).optional(),
  /** Of a `hold`: a person decides next. */
  awaits_approval: z.boolean().optional(),
  opened_at: Timestamp,
});
export type OpenChange = z.infer<typeof OpenChange>;

/** Who wants a buy stopped, and what its history is to say of it. */
export const StopCause = z.object({
  task_id: TaskId.nullable(),
  /** What becomes of the buy once the stop holds; null where it has become so already, by time or by a decision. */
  to_status: z.enum(['paused', 'canceled']).nullable(),
  action: z.string(),
  actor: z.enum(['buyer', 'seller', 'system']),
  note: z.string().nullable(),
});
export type StopCause = z.infer<typeof StopCause>;

/** A pause or an end on its way. It waits for no open change: it is told at once, over what is held. */
export const Stop = z.object({
  order: AdOrder,
  /** All whose stop it is, oldest first: a later one joins an earlier one that is not answered. */
  causes: z.array(StopCause).min(1),
  opened_at: Timestamp,
});
export type Stop = z.infer<typeof Stop>;

/** How a task's change came out, kept until the task is surely over: no late turn of it opens its change again. */
export const Verdict = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('done'), at: Timestamp }),
  z.object({
    outcome: z.literal('refused'),
    at: Timestamp,
    /** What the task answers. */
    error: z.custom<ErrorBody>((value) => typeof value === 'object' && value !== null && 'code' in value),
  }),
]);
export type Verdict = z.infer<typeof Verdict>;

/** What the ad server was last heard to hold. */
export const Holding = z.object({
  version: Version,
  /** See `digestOf`; null for what 0.1.0 told it. */
  digest: z.string().nullable(),
  state: AdOrderState,
});
export type Holding = z.infer<typeof Holding>;

/** What a buy's row says about telling the ad server. All of it is absent from rows of 0.1.0. */
export const telling = {
  /** The last version given out. */
  ad_version: z.int().min(0).optional(),
  held: Holding.nullable().optional(),
  open_change: OpenChange.nullable().optional(),
  stop: Stop.nullable().optional(),
  verdicts: z.record(z.string(), Verdict).optional(),
  /**
   * Packages that the ad server may have begun and that never became the buy's, since a stop came first, the last of them: what it
   * has served of them is nobody's to pay.
   */
  dropped_packages: z.array(z.string()).optional(),
  /** Of what the ad server would not take of the system's own, so that it is not told over and over. */
  refused_digest: z.string().nullable().optional(),
  /** The task that makes the buy may yet be canceled: until it has committed, nothing may run. */
  is_uncommitted: z.boolean().optional(),
  /** When the ad server is to be told, or asked, next; null while there is nothing to tell. */
  order_due_at: Timestamp.nullable().optional(),
  /** What of many waiting orders is told first: 0 a stop, 1 a cut, 2 the rest; null while there is nothing to tell. */
  order_urgency: z.int().min(0).max(2).nullable().optional(),
};
