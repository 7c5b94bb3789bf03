import { z } from 'zod';
import { OPERATOR_ROLES } from '../../../directory/operator/operator.ts';
import type { CollectionSpec } from '../../../platform/store/collection.ts';
import { Change } from './change.ts';
import { RecordLink } from './record-link.ts';

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
  /** What its path named; absent before 0.2.0, and of what names nothing. */
  params: z.record(z.string(), z.string()).optional(),
  /** The body as parsed. */
  input: z.record(z.string(), z.unknown()),
  /** The name of who was authenticated. Before 0.2.0: what they said. */
  by: z.string(),
  /** The role that they had then, and who and with what that was; absent before 0.2.0. */
  role: z.enum(OPERATOR_ROLES).optional(),
  person_id: z.string().nullable().optional(),
  credential: z
    .object({ kind: z.enum(['shared_key', 'operator_key', 'session']), id: z.string().optional() })
    .optional(),
  /** Where the request came from. */
  address: z.string().optional(),
  /** What they said of who acts: a note, and no proof. */
  said_name: z.string().optional(),
  /** The action that it undid, when somebody asked for just that. */
  undo_of: z.string().optional(),
  at: z.string(),
  outcome: z.enum(['begun', 'done', 'refused', 'failed']),
  ended_at: z.string().nullable(),
  /** What was answered when it was done; null otherwise. */
  answer: z.record(z.string(), z.unknown()).nullable(),
  /**
   * How its target was seen right before it and right after, where that differs: not in one step with it, so that what others did at the
   * same moment is in it, too. Absent: nothing of the target differs, it has no view of its own, or it could not be read.
   */
  changed: Change.optional(),
  /** The code of the error it was refused or failed with; null otherwise. */
  error_code: z.string().nullable(),
  /** One of each write, by which all of it can be verified; absent before 0.2.0. */
  links: z.array(RecordLink).optional(),
  /** Absent before 0.2.0: those stay. */
  expires_at: z.string().optional(),
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
    { name: 'action', fields: ['action', 'at'] },
  ],
  expires: 'expires_at',
};
