import { z } from 'zod';
import { operation } from '../operation.ts';

/** What a walk over everything stored came to. */
const MovedOut = z.object({
  /** Stored rows in which something was sealed anew. */
  rows: z.int(),
  /** Whether a secret lay in the store until now. */
  was_in_store: z.boolean(),
});
export type MovedOut = z.infer<typeof MovedOut>;

/** Seals everything stored with the present secret, and only then takes what 0.1.0 left out of the store (rule S4). */
export const moveOutSecret = operation({
  method: 'post',
  path: '/secret/move-out',
  summary: 'Seal everything stored anew with the present secret, and take the one that 0.1.0 left out of the store.',
  role: 'admin',
  action: 'secret.move_out',
  answer: MovedOut,
  handle: (_input, { moveOutSecret: moveOut }) => moveOut(),
});
