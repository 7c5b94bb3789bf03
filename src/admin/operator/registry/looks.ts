import { z } from 'zod';
import { checkId, ScheduledCheck, scheduledChecks } from '../../../directory/scheduled-check/scheduled-check.ts';
import type { CheckKind } from '../../../directory/scheduled-check/scheduled-check.ts';
import type { Store } from '../../../platform/store/collection.ts';

/** How the looks at something go: the last one, the next one, and since when they fail. */
export const LookView = z
  .object(ScheduledCheck.shape)
  .pick({ due_at: true, last_tried_at: true, last_ok_at: true, last_error: true })
  .extend({ failing_since: z.string().nullable(), failures: z.int() });
export type LookView = z.infer<typeof LookView>;

/** Of these subjects, those that somebody looks at. */
export async function looksOf(
  store: Store,
  kind: CheckKind,
  subjects: readonly string[],
): Promise<Map<string, LookView>> {
  const rows = await store.collection(scheduledChecks).getMany(subjects.map((subject) => checkId(kind, subject)));
  return new Map(rows.map((row) => [row.subject, viewOfLook(row)]));
}

function viewOfLook(row: ScheduledCheck): LookView {
  const { due_at, last_tried_at, last_ok_at, last_error, failing_since = null, failures = 0 } = row;
  return { due_at, last_tried_at, last_ok_at, last_error, failing_since, failures };
}
