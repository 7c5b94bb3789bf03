import { z } from 'zod';
import { JsonObject } from '../platform/json-object.ts';
import { Dialect } from './registration.ts';

/**
 * In which public dialect a task was asked for, and what of the request its answers need besides; absent from a run that was asked
 * for in our own words. Results are stored in those whatever was spoken, and put into words for whoever asks.
 */
export const Spoken = z.strictObject({
  dialect: z.literal('adcp'),
  /** The task by its public name. */
  skill: z.string(),
  /** The release that its first answer was in, such as `3.1`. */
  release: z.string(),
  /** The release as it was asked for, where that is another name of it. */
  alias: z.string().optional(),
  /** The first answer said that the work goes on; so do all repeats of the request. */
  was_submitted: z.literal(true).optional(),
  /** What that first answer said, in place of the usual words. */
  submitted_message: z.string().optional(),
  /** The account that it is for, where the dialect has such. */
  account_id: z.string().optional(),
  /** That account is a sandbox, and its answers say so. */
  sandbox: z.literal(true).optional(),
  /** What was asked besides, to be told again as it was. */
  extra: JsonObject.optional(),
});
export type Spoken = z.infer<typeof Spoken>;

/** In what the webhooks are written that such a request registers: what it says itself; nothing for one in our own words. Pure. */
export function inDialectOf(spoken: Spoken | undefined): { dialect?: Dialect } {
  return spoken === undefined ? {} : { dialect: Dialect.parse(`${spoken.dialect}/${spoken.release}`) };
}
