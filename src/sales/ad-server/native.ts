import { z } from 'zod';

/** The ad server's own ids: of the order, of its lines by `package_id`, of creatives by `creative_id`. */
export const Native = z.strictObject({
  order: z.string(),
  lines: z.record(z.string(), z.string()),
  creatives: z.record(z.string(), z.string()),
});
export type Native = z.infer<typeof Native>;
