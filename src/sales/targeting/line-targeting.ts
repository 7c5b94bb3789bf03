import { z } from 'zod';

const Choice = z.strictObject({ any: z.array(z.string()).optional(), none: z.array(z.string()).optional() }).optional();

/**
 * Whom a line may reach. All axes hold at once: one of `any` and none of `none`; an axis that is absent leaves it open, and
 * an empty `any` reaches nobody. Metros and postal areas are `system:value`, dayparts `mon-fri 06:00-10:00 Zone/City`.
 */
export const LineTargeting = z.strictObject({
  countries: Choice,
  regions: Choice,
  metros: Choice,
  postal: Choice,
  devices: Choice,
  languages: Choice,
  audiences: Choice,
  topics: Choice,
  dayparts: Choice,
  key_values: Choice,
});
export type LineTargeting = z.infer<typeof LineTargeting>;
