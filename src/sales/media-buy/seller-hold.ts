import { z } from 'zod';

const Timestamp = z.iso.datetime({ precision: 3 });

/** A buy that a person at the seller holds back: nothing of it runs, whatever its buyer asks, until it is released. */
export const SellerHold = z.object({
  /** Told to the buyer. */
  reason: z.string(),
  /** Who holds it. */
  by: z.string(),
  at: Timestamp,
  /** It ran, or its buyer has had it resumed since: it runs again once it is released. Not where its buyer has paused it since. */
  resumes: z.boolean(),
  /** When it was released; what follows is on its way then, and this is gone once it has come about. */
  released_at: Timestamp.nullable(),
});
export type SellerHold = z.infer<typeof SellerHold>;

/** Whether a person at the seller holds a buy back now. Pure. */
export function isOnHold({ on_hold = null }: { on_hold?: SellerHold | null | undefined }): boolean {
  return on_hold !== null && on_hold.released_at === null;
}

/** The buy as its buyer has it who pauses it: no release resumes it. The very same where none would. Pure. */
export function withoutRelease<B extends { on_hold?: SellerHold | null | undefined }>(buy: B): B {
  return buy.on_hold?.resumes === true ? { ...buy, on_hold: { ...buy.on_hold, resumes: false } } : buy;
}
