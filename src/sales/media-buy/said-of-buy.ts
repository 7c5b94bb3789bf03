import { z } from 'zod';
import { JsonObject } from '../../platform/json-object.ts';
import type { MediaBuy } from './media-buy.ts';

/** What a buyer says of a media buy in a dialect of its own, by which people know it or bill it: kept, and told again. */
export const SaidOfBuy = z.object({
  name: z.string().optional(),
  po_number: z.string().optional(),
  agency_estimate_number: z.string().optional(),
  advertiser_industry: z.string().optional(),
  /** A plan at a governance agent of the buyer's, which nobody is asked about. */
  plan_id: z.string().optional(),
  /** Which insertion order the buyer has signed, when and by whom. */
  io_acceptance: JsonObject.optional(),
  ext: JsonObject.optional(),
});
export type SaidOfBuy = z.infer<typeof SaidOfBuy>;

/** The same of a package. */
export const SaidOfPackage = z.object({
  agency_estimate_number: z.string().optional(),
  context: JsonObject.optional(),
  ext: JsonObject.optional(),
});
export type SaidOfPackage = z.infer<typeof SaidOfPackage>;

const OfPackages = z.object({ packages: z.array(z.unknown()).optional() });

/** What was said of a buy, under the name that it has by now; whatever a former release has kept in another form is left out. Pure. */
export function saidOfBuy({ asked, name }: Pick<MediaBuy, 'asked' | 'name'>): SaidOfBuy {
  return { ...wellFormed(SaidOfBuy, asked), ...(name !== undefined && { name }) };
}

/** What was said of its packages, by `package_id`; of those of which nothing was said, nothing. Pure. */
export function saidOfPackages({ asked, packages }: MediaBuy): ReadonlyMap<string, SaidOfPackage> {
  const first = OfPackages.safeParse(asked).data?.packages ?? [];
  return new Map(
    packages.flatMap(({ package_id, asked: added }, i) => {
      const said = wellFormed(SaidOfPackage, added ?? first[i]);
      return Object.keys(said).length === 0 ? [] : [[package_id, said] as const];
    }),
  );
}

/** Field by field, so that one that is of another form hides no other. */
function wellFormed<T extends z.ZodRawShape>(
  { shape }: z.ZodObject<T>,
  value: unknown,
): Partial<z.infer<z.ZodObject<T>>> {
  const { data = {} } = JsonObject.safeParse(value);
  const fields = Object.entries(shape).flatMap(([name, field]) => {
    const read = z.safeParse(field, data[name]);
    return read.success && read.data !== undefined ? [[name, read.data]] : [];
  });
  return Object.fromEntries(fields) as Partial<z.infer<z.ZodObject<T>>>;
}
