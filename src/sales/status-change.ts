import { z } from 'zod';
import { canonicalDigest } from '../platform/crypto/canonical-json.ts';

/** RFC 3339, UTC, milliseconds. */
const Timestamp = z.iso.datetime({ precision: 3 });

/** A change of state that subscribers are to be told, as it stands in the row that changed until they are. */
export const StatusChange = z.object({
  /** Stands for this change, whoever is told of it and however often. */
  notification_id: z.string(),
  at: Timestamp,
  from_status: z.string(),
  to_status: z.string(),
  /** A person or the review at the seller, or the system by itself. */
  initiator: z.enum(['seller', 'system']),
  /** As in the row that changed. */
  reason_code: z.string().nullable(),
  /** Words that its buyer may read. */
  note: z.string().nullable(),
});
export type StatusChange = z.infer<typeof StatusChange>;

/** What a row says of changes that nobody has been told yet; absent in rows of former releases. Written with the change itself. */
export const UNTOLD_FIELDS = {
  /** Oldest first. */
  untold: z.array(StatusChange).optional(),
  /** Since when there are some, or when telling was tried last; null when there are none. */
  untold_since: Timestamp.nullable().optional(),
};

interface Untold {
  untold?: StatusChange[] | undefined;
  untold_since?: string | null | undefined;
  revision: number;
}

/** The row with one more change to be told. One write makes no change twice, so key, revision and states make it one. Pure. */
export function withUntold<R extends Untold>(row: R, key: string, change: Omit<StatusChange, 'notification_id'>): R {
  const { at, from_status, to_status } = change;
  const digest = canonicalDigest({ key, revision: row.revision, at, from_status, to_status });
  const untold = [...(row.untold ?? []), { notification_id: `ntf_${digest.slice(0, 32)}`, ...change }];
  return { ...row, untold, untold_since: row.untold_since ?? at };
}

/** The row once these have been told; undefined where others told them. Pure. */
export function withTold<R extends Untold>(row: R, told: readonly StatusChange[]): R | undefined {
  const ids = new Set(told.map(({ notification_id }) => notification_id));
  const untold = (row.untold ?? []).filter(({ notification_id }) => !ids.has(notification_id));
  if (untold.length === (row.untold ?? []).length) return undefined;
  return { ...row, untold, untold_since: untold.length === 0 ? null : (row.untold_since ?? null) };
}
