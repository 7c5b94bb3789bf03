import { z } from 'zod';
import { CreativeStatus } from '../../sales/creative/creative.ts';
import { CreativeId, CreativeInput } from '../../sales/creative/creative-input.ts';
import { mutationFields } from '../mutation-fields.ts';

/** At most this many creatives a call (rule B11). */
const MAX_CREATIVES = 100;

/**
 * A creative as sent. Only its id is checked with the request: whatever else is wrong with one creative is told of that
 * one and never stops the others (rule B11).
 */
const SentCreative = z.looseObject({ creative_id: CreativeId });

const PackageName = z.string().min(1).max(255);

/** One step of what becomes of creatives in packages. */
export const AssignmentOperation = z.discriminatedUnion('operation', [
  z.strictObject({ operation: z.literal('assign'), creative_id: CreativeId, package_id: PackageName }),
  z.strictObject({ operation: z.literal('unassign'), creative_id: CreativeId, package_id: PackageName }),
  z.strictObject({
    operation: z.literal('replace'),
    creative_id: CreativeId,
    replaces_creative_id: CreativeId,
    package_id: PackageName,
  }),
]);
export type AssignmentOperation = z.infer<typeof AssignmentOperation>;

/** The request of `sync_creatives` (rule C.tasks.sync_creatives). */
export const SyncCreativesRequest = z.strictObject({
  creatives: z
    .array(SentCreative)
    .min(1, 'send at least one creative')
    .max(MAX_CREATIVES, `send at most ${MAX_CREATIVES} creatives`)
    .optional(),
  assignments: z
    .record(
      CreativeId,
      z.array(z.string().min(1).max(255)).max(MAX_CREATIVES, `send at most ${MAX_CREATIVES} packages`),
    )
    .refine(
      (assignments) => Object.keys(assignments).length <= MAX_CREATIVES,
      `send at most ${MAX_CREATIVES} creatives`,
    )
    .default({})
    .describe('Package ids by creative id: these packages get the creative besides those they have.'),
  assignment_operations: z
    .array(AssignmentOperation)
    .min(1, 'send at least one operation')
    .max(500, 'send at most 500 operations')
    .optional()
    .describe('Instead of assignments: what becomes of creatives in packages, all of it or nothing.'),
  dry_run: z.boolean().default(false).describe('Answers what would become of each, and changes nothing.'),
  delete_missing: z
    .boolean()
    .default(false)
    .describe('Archives your creatives that are neither sent nor named in assignments or operations.'),
  validation_mode: z
    .enum(['lenient', 'strict'])
    .default('lenient')
    .describe('strict: where anything is wrong with one creative, the whole request is refused and nothing is stored.'),
  ...mutationFields,
});
export type SyncCreativesRequest = z.infer<typeof SyncCreativesRequest>;

/** The same as callers are told of it: what is wrong with one creative is found when that one is looked at. */
export const SyncCreativesTold = SyncCreativesRequest.extend({
  creatives: z
    .array(CreativeInput)
    .min(1)
    .max(MAX_CREATIVES)
    .optional()
    .describe('What is wrong with one is told of that one, and stops the others only in validation_mode strict.'),
});

/** As an error of the whole request (rule B12). */
const ErrorView = z.object({
  code: z.string(),
  message: z.string(),
  recovery: z.enum(['transient', 'correctable', 'terminal']),
  field: z.string().optional(),
  suggestion: z.string().optional(),
  issues: z.array(z.object({ pointer: z.string(), message: z.string() })).optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

/** What became of one creative. */
export const SyncedCreative = z.strictObject({
  creative_id: z.string(),
  action: z.enum(['created', 'updated', 'unchanged', 'failed', 'archived']),
  /** The state right after the sync; absent when it failed. */
  status: CreativeStatus.optional(),
  /** What was changed, such as `assets.image`; present when updated. */
  changes: z.array(z.string()).optional(),
  /** Present when it failed. */
  errors: z.array(ErrorView).optional(),
  /** Present when assignments were asked for it. */
  assigned_to: z.array(z.string()).optional(),
  /** Why not, by package id. */
  assignment_errors: z.record(z.string(), z.string()).optional(),
});
export type SyncedCreative = z.infer<typeof SyncedCreative>;

/** The response of `sync_creatives`: the creatives sent, in their order, then others that were assigned or archived. */
export const SyncCreativesResponse = z.strictObject({
  dry_run: z.boolean(),
  creatives: z.array(SyncedCreative),
});
export type SyncCreativesResponse = z.infer<typeof SyncCreativesResponse>;
