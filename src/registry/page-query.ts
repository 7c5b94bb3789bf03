import { z } from 'zod';

/** Of a list that comes by pages: where the page before ended. */
export const PageQuery = z.strictObject({ cursor: z.string().max(4000).optional() });
