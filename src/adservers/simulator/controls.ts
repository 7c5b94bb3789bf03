import { z } from 'zod';
import { CreativeReasonCode } from '../../sales/creative/creative.ts';
import { AdCounts } from '../../sales/ad-server/line-state.ts';
import { AdInstant, Minor } from '../../sales/ad-server/port-values.ts';
import { Reason } from '../../sales/ad-server/put-answer.ts';

/** How many of the next answers a fault is for. */
const NextAnswers = z.int().min(0).max(1_000_000);
/** A year. */
const Seconds = z.number().min(0).max(31_536_000);

/** What a simulator that is reached over HTTP does wrong in its answers; without meaning for the embedded one. */
export const HttpControl = z.strictObject({
  /** Holds each call for so long before it takes effect and is answered, even when its caller has gone; 0: not at all. */
  latency_ms: z.int().min(0).max(600_000).optional(),
  /** The share of calls that fail with 503 and without effect; 0: none. */
  fail_rate: z.number().min(0).max(1).optional(),
  /** Which of them fail: the same, in the order in which they come, for the same seed. Absent: by chance. */
  fail_seed: z.int().min(0).optional(),
  /** The next `times` calls (default 1) are answered with this status and have no effect. */
  status: z.int().min(400).max(599).optional(),
  times: NextAnswers.optional(),
  /** Seconds, sent as `Retry-After` with `status`. */
  retry_after: z.int().min(0).max(86_400).optional(),
  /** So many of the next answers are dropped with their connection, after what was asked for has taken effect. */
  drop_answer_after_apply: NextAnswers.optional(),
  /** So many of the next answers break off in the middle of the body, after what was asked for has taken effect. */
  half_body: NextAnswers.optional(),
});
export type HttpControl = z.infer<typeof HttpControl>;

/** Ways in which a statement can be wrong. */
export const LieControl = z.enum([
  'negative',
  'future',
  'foreign',
  'going_back',
  'thousandfold',
  'misaligned',
  'clicks_over_impressions',
]);
export type LieControl = z.infer<typeof LieControl>;

/** What a person at the ad server does to an order, or to one line of it. */
export const TraffickerControl = z.strictObject({
  media_buy_id: z.string(),
  /** Absent: every line. */
  package_id: z.string().optional(),
  /** `edit` sets `budget_minor`, or without one changes the line's name. `archive` ends it. */
  action: z.enum(['pause', 'resume', 'edit', 'archive']),
  budget_minor: Minor.optional(),
});
export type TraffickerControl = z.infer<typeof TraffickerControl>;

/** What the ad server's review says of a creative from now on. */
export const ReviewControl = z.strictObject({
  /** Absent: of every one that is asked about later, and was not named. */
  creative_id: z.string().optional(),
  verdict: z.enum(['undecided', 'approved', 'rejected', 'suspended']),
  reason: z.string().optional(),
  reason_code: CreativeReasonCode.optional(),
});
export type ReviewControl = z.infer<typeof ReviewControl>;

/** An hour that is stated otherwise from now on. */
export const RestateControl = z.strictObject({
  media_buy_id: z.string(),
  package_id: z.string(),
  /** The bucket's first instant. */
  hour: AdInstant,
  counts: AdCounts,
  /** Absent: in proportion to the impressions. */
  spend_minor: Minor.optional(),
});
export type RestateControl = z.infer<typeof RestateControl>;

/**
 * What steers the simulated ad server, as JSON. A key that is absent leaves what it is about as it is; `reset` comes before
 * the others of the same control.
 */
export const SimulatorControl = HttpControl.extend({
  /** No faults from now on, and what was called is forgotten. Orders, reviews of named creatives and the clock stay. */
  reset: z.literal(true).optional(),
  /** Orders, or what is said of one package, that are refused from now on; null: none any more. */
  refuse: z
    .strictObject({
      media_buy_id: z.string().optional(),
      package_id: z.string().optional(),
      reasons: z.array(Reason).min(1),
    })
    .nullable()
    .optional(),
  /** Versions put from now on are decided so much later; 0: at once. With `refuse`, they are refused then. */
  pending_for_s: Seconds.optional(),
  /** How statements lie from now on; null: not at all. */
  lie: LieControl.nullable().optional(),
  trafficker: TraffickerControl.optional(),
  review: ReviewControl.optional(),
  restate: RestateControl.optional(),
  /** The n-th native write from now does not happen, and its call throws; 0: none. */
  stop_before_native_write: z.int().min(0).optional(),
  /** Moves its clock forward. */
  advance_s: Seconds.optional(),
});
export type SimulatorControl = z.infer<typeof SimulatorControl>;

/** One step that changes what the simulated ad server holds, in the words of its own. */
export const NativeWriteKind = z.enum([
  'create_order',
  'create_line',
  'create_creative',
  'associate_creative',
  'dissociate_creative',
  'pause',
  'cut',
  'edit',
  'raise',
  'resume',
  'release',
  'end',
]);
export type NativeWriteKind = z.infer<typeof NativeWriteKind>;

/** What was called and written since the start or the last reset, oldest first; the last 10,000 of each. */
export const SimulatorCalls = z.strictObject({
  calls: z.array(
    z.strictObject({
      at: AdInstant,
      method: z.enum(['describe', 'check', 'put', 'read', 'statements', 'putCreative', 'forecast', 'inventory']),
      media_buy_id: z.string().optional(),
      version: z.int().optional(),
      creative_id: z.string().optional(),
      /** The answer's `outcome` or `verdict`, `answered` where there is none, or the fault's name. */
      outcome: z.string(),
    }),
  ),
  native_writes: z.array(
    z.strictObject({
      at: AdInstant,
      kind: NativeWriteKind,
      media_buy_id: z.string().optional(),
      package_id: z.string().optional(),
      creative_id: z.string().optional(),
      version: z.int().optional(),
    }),
  ),
  /** How many of each were made. */
  creates: z.strictObject({ orders: z.int(), lines: z.int(), creatives: z.int() }),
});
export type SimulatorCalls = z.infer<typeof SimulatorCalls>;
