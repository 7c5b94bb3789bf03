import { z } from 'zod';

/** A form that was sent under a sign-in that is too old for it, as it was sent: it waits in its session for another. */
export const HeldForm = z.object({
  /** Of the operation, with its parameters in it. */
  path: z.string(),
  /** The form's own id, by which it is done once however often it is sent. */
  click: z.string(),
  /** The page that it was on. */
  back: z.string(),
  /** What was to be typed to confirm it, and was; absent: nothing. */
  phrase: z.string().optional(),
  /** What was typed and chosen. */
  body: z.record(z.string(), z.union([z.string(), z.array(z.string()), z.literal(true)])),
  held_at: z.string(),
  /** It has been done: what sends it again, such as a page that is loaded anew, is answered, and no sign-in leads to it. */
  is_done: z.boolean(),
});
export type HeldForm = z.infer<typeof HeldForm>;

/** Longer than a one-time link is good for. */
export const HELD_FOR_MS = 30 * 60_000;

/** Where whoever has to sign in again is told how, and comes back to. */
export const AGAIN_PATH = '/sign-in-again';
