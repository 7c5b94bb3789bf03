import { z } from 'zod';
import type { CollectionSpec } from '../../../platform/store/collection.ts';

/**
 * One thing that an operator did: written before it is begun, and again when it is over. `begun` for long: the process
 * died in the middle, and the action may have happened or not.
 */
export const OperatorAction = z.strictObject({
  action_id: z.string(),
  /** Such as `approvals.approve`. */
  action: z.string(),
  /** The path of what it was done to. */
  target: z.string(),
  /** The body as parsed. */
  input: z.record(z.string(), z.unknown()),
  by: z.string(),
  at: z.string(),
  outcome: z.enum(['begun', 'done', 'refused', 'failed']),
  ended_at: z.string().nullable(),
  /** What was answered when it was done; null otherwise. */
  answer: z.record(z.string(), z.unknown()).nullable(),
  /** The code of the error it was refused or failed with; null otherwise. */
  error_code: z.string().nullable(),
  revision: z.int(),
});
export type OperatorAction = z.infer<typeof OperatorAction>;

export const OperatorActions: CollectionSpec<OperatorAction> = {
  name: 'operator_actions',
  key: 'action_id',
  schema: OperatorAction,
  indexes: [
    { name: 'at', fields: ['at'] },
    { name: 'target', fields: ['target', 'at'] },
    { name: 'by', fields: ['by', 'at'] },
  ],
};
