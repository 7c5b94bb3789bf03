import { z } from 'zod';

/** A list of publisher domains (rule C.resources.check-request). */
export const CheckRequest = z.object({
  domains: z.array(z.string()).max(10_000, 'send at most 10000 domains').describe('Publisher domains, in any spelling'),
});
export type CheckRequest = z.infer<typeof CheckRequest>;
