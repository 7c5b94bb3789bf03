import { z } from 'zod';
import { instantsOfDays } from '../../platform/hours.ts';

/** How many rows a list is to have: as many as this, where nothing else is said. */
export function rowsAsked(byDefault: number) {
  return z
    .string()
    .regex(/^([1-9]\d?|100)$/, 'must be a whole number from 1 to 100')
    .default(String(byDefault))
    .transform(Number);
}

/** What every list takes in its query (rule B8). */
export const pageQuery = {
  limit: rowsAsked(50),
  /** The `cursor` of the page before, with the same filters. */
  cursor: z.string().max(2048, 'must be at most 2048 characters').optional(),
};

/** An id in a path or a filter. */
export const Id = z.string().min(1, 'must not be empty').max(512, 'must be at most 512 characters');

/** The same, of one kind. */
export const IdOfTask = Id.brand<'TaskId'>();
export const IdOfMediaBuy = Id.brand<'MediaBuyId'>();
export const IdOfOrganization = Id.brand<'OrganizationId'>();

/** Whose rows a list is to have: what {@link withBuyerMeant} makes an id of. */
export const BuyerAsked = IdOfOrganization.describe(
  'A buyer’s id, its name, or how that begins: where several are meant, it is refused, and they are named',
);

/** Words that a person writes for others to read. */
export const Words = z.string().trim().min(1, 'must not be empty').max(2000, 'must be at most 2000 characters');

/** What people call something or someone. */
export const Name = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Cf}]{1,100}$/u, 'must be 1 to 100 characters, none of which is for control');

/** One day of UTC. */
export const DayOfUtc = z.iso.date({ error: 'must be a day, such as 2026-01-31' });

/** From which day to which, both with them, of UTC. */
export const days = { since: DayOfUtc.optional(), until: DayOfUtc.optional() };

/** The condition on a timestamp that these say; none where neither is said. Pure. */
export function withinDays<Field extends string>(
  field: Field,
  { since, until }: { since?: string | undefined; until?: string | undefined },
): Partial<Record<Field, { gte?: string; lt?: string }>> {
  if (since === undefined && until === undefined) return {};
  const range = instantsOfDays({ since, until });
  return { [field]: range } as Record<Field, typeof range>;
}
