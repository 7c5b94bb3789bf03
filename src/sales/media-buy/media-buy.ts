import { z } from 'zod';
import { MAX_MINOR } from '../../platform/money.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import { TaskId } from '../../platform/task-id.ts';
import { BuyFlight } from './buy-flight.ts';
import { MediaBuyId } from './media-buy-id.ts';
import { MediaBuyPackage } from './media-buy-package.ts';
import { SellerHold } from './seller-hold.ts';
import { telling } from './open-change.ts';

/** States of a media buy (rule B1). `reporting_delayed` is a state of reports and never stored here. */
export const MediaBuyStatus = z.enum(['pending', 'active', 'paused', 'completed', 'canceled', 'rejected']);
export type MediaBuyStatus = z.infer<typeof MediaBuyStatus>;

/** What a pending buy waits for (rule B1). */
export const PendingReason = z.enum(['approval', 'creatives', 'start_time', 'ad_server']);
export type PendingReason = z.infer<typeof PendingReason>;

/** RFC 3339, UTC, milliseconds. */
const Timestamp = z.iso.datetime({ precision: 3 });
const Minor = z.int().min(0).max(MAX_MINOR);
const Json = z.record(z.string(), z.unknown());

/** One thing that happened to a buy, oldest first. */
export const MediaBuyEvent = z.object({
  at: Timestamp,
  /** Such as `created`, `approved`, `paused`, `budget_changed`. */
  action: z.string(),
  /** Who did it: the buyer's request, a person at the seller, or the system by itself. */
  actor: z.enum(['buyer', 'seller', 'system']),
  /** Which person at the seller, as they named themselves. Buyers are not told. */
  by: z.string().optional(),
  from_status: MediaBuyStatus.nullable(),
  to_status: MediaBuyStatus,
  /** Words for people; null when the action says it all. */
  note: z.string().nullable(),
  /** The task whose request it was; null for the system's own. */
  task_id: TaskId.nullable(),
  /** The packages that an update changed; absent where nothing was updated. */
  affected_packages: z.array(z.string()).optional(),
  /** Of these, the packages that it added, in the request's order; absent where it added none. */
  new_packages: z.array(z.string()).optional(),
  /** The buyer's revision after an update; absent where nothing was updated. */
  revision: z.int().optional(),
});
export type MediaBuyEvent = z.infer<typeof MediaBuyEvent>;

/** A media buy as stored. One currency for all its packages. */
export const MediaBuy = z.object({
  media_buy_id: MediaBuyId.min(1).max(128),
  organization_id: OrganizationId,
  /** The buyer's unique id for the campaign; unique per organization among open buys (rule B7). */
  buyer_ref: z.string(),
  /** False once the status is terminal: what the unique index on `buyer_ref` is partial on. */
  open: z.boolean(),
  status: MediaBuyStatus,
  /** Null unless `pending`, or paused while it was pending. */
  pending_reason: PendingReason.nullable(),
  /** Of one paused while it was pending: its buyer has had it resumed, and it runs once nothing is left to wait for. See `isToRun`. */
  resumes: z.literal(true).optional(),
  currency: z.string(),
  /** The sum of the packages' budgets. */
  total_budget_minor: Minor,
  /** `asap` has been resolved to an instant. */
  start_time: Timestamp,
  /** After `start_time`. */
  end_time: Timestamp,
  /** `{url}` or an inline manifest, as sent. */
  brand_manifest: Json,
  /** For whom it is bought, of the organization's accounts; absent where the buyer named none. */
  account_id: z.string().optional(),
  /** How far a test of the public protocol has moved its flight ahead, in milliseconds; see `Booked`. */
  flight_ahead_ms: z.int().min(0).optional(),
  /** What the buyer said of it besides, in a dialect of its own, to be told again as it was. */
  asked: Json.optional(),
  /** Of that, the number of the buyer's purchase order, by which people look for it; absent where it named none, and where an earlier release booked it. */
  po_number: z.string().optional(),
  /** By which its buyer knows it by now, and the ad server is told of it; absent where it gave none, and where an earlier release booked it. */
  name: z.string().optional(),
  packages: z.array(MediaBuyPackage).min(1),
  /** Null or absent: nobody at the seller holds it back. */
  on_hold: SellerHold.nullable().optional(),
  history: z.array(MediaBuyEvent),
  /** The task that created it: one buy a task, however often the task runs. */
  task_id: TaskId,
  ...telling,
  /** How far its delivery is counted; absent where nobody looks after it yet, and where a row in `flights` still says so. */
  flight: BuyFlight.optional(),
  /** When to look at the flight again, by the wall clock; null when nothing can change any more. */
  flight_due_at: z.string().nullable().optional(),
  /** What its webhooks are owed; see `BuySchedule`. Null: it has none. Absent: `buy_schedules` may have a row of it. */
  reporting: Json.nullable().optional(),
  /** When to look again at what they are owed; null when nothing is. */
  reporting_due_at: z.string().nullable().optional(),
  created_at: Timestamp,
  /** When what the buyer sees of it changed last. */
  updated_at: Timestamp,
  /** The buyer's: one more with each change that a buyer can see (rule B2). See `revision.ts`. */
  revision: z.int(),
  /** How often the row was written: what compare-and-swap goes by. */
  row_version: z.int(),
});
export type MediaBuy = z.infer<typeof MediaBuy>;
