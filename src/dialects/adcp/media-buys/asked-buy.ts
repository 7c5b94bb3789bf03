import { z } from 'zod';

/** What a buyer said of a package in the public protocol that we have no word for, and tell again as it was. */
export const AskedPackage = z.looseObject({
  context: z.unknown().optional(),
  ext: z.looseObject({}).optional(),
  agency_estimate_number: z.string().optional(),
  format_ids: z.array(z.looseObject({})).optional(),
  format_option_refs: z.array(z.looseObject({})).optional(),
  format_kind: z.string().optional(),
  params: z.looseObject({}).optional(),
});

export type AskedPackage = z.infer<typeof AskedPackage>;

/** The same of a media buy. */
export const AskedInPublic = z.looseObject({
  /** Of `buy_products`. */
  name: z.string().optional(),
  brand: z.looseObject({}).optional(),
  packages: z.array(AskedPackage).optional(),
});
export type AskedInPublic = z.infer<typeof AskedInPublic>;

/** What of a stored buy this dialect has written; nothing where the buy was made in other words. */
export function askedOf(asked: unknown): AskedInPublic {
  const parsed = AskedInPublic.safeParse(asked);
  return parsed.success ? parsed.data : {};
}
