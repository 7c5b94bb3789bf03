import { z } from 'zod';
import { operation } from '../operation.ts';
import { MovedOut } from './moved-out.ts';

/** Takes what 0.1.0 left out of the store, and seals everything stored with the present secret (rule S4). */
export const moveOutSecret = operation({
  method: 'post',
  path: '/secret/move-out',
  summary: 'Seal everything stored anew with the present secret, and take the one that 0.1.0 left out of the store.',
  role: 'admin',
  action: 'secret.move_out',
  answer: MovedOut,
  handle: (_input, { moveOutSecret: moveOut }) => moveOut(),
});

/** How a walk over everything stored went. */
const Resealed = z.object({
  /** Rows in which something was sealed anew. */
  rows: z.int(),
  /** Values that a former secret sealed and still does: while there are any, keep it in `PREVIOUS_SECRET_KEYS`. */
  stuck: z.int(),
  /** Rows that cannot be read, in which there may be more. */
  unread: z.int(),
});
export type Resealed = z.infer<typeof Resealed>;

/** After a secret has leaked and another is set: what the former sealed is sealed anew, so that it can be taken away. */
export const resealStore = operation({
  method: 'post',
  path: '/secret/reseal',
  summary: 'Seal everything stored anew with the present secret, so that a former one can be taken away.',
  role: 'admin',
  action: 'secret.reseal',
  answer: Resealed,
  handle: (_input, { resealStore: reseal }) => reseal(),
});
