import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { operation } from '../operation.ts';
import type { Operation, OperatorCall } from '../operation.ts';
import { OperatorActions } from './action.ts';
import type { OperatorAction } from './action.ts';

/** So many of the last actions on one thing are looked at. */
const LOOKED_AT = 100;

/** Does the opposite of an action, for those who may do that, as long as nothing has come between. Once. */
export const undoAction = operation({
  method: 'post',
  path: '/actions/:action_id/undo',
  summary: 'Undo what an operator did, where its opposite is known and nothing has come between.',
  role: 'operator',
  action: 'actions.undo',
  /** Its opposite stands there, with what it undoes. */
  isOnRecordAsAnother: true,
  params: z.strictObject({ action_id: z.string().max(100) }),
  answer: z.object({
    undo_of: z.string(),
    /** What has been done. */
    action: z.string(),
    target: z.string(),
  }),
  async handle({ params: { action_id } }, call) {
    const row = await call.store.collection(OperatorActions).get(action_id);
    if (row === undefined)
      throw new AppError('NOT_FOUND', 'no action has this id; GET /actions lists them', { field: 'action_id' });
    const { operation: opposite, params } = oppositeOf(row, call.operationFor);
    await assertNothingSince(call, row, opposite);
    await call.perform(opposite, { params, undo_of: action_id });
    return { undo_of: action_id, action: opposite.action ?? '', target: row.target };
  },
});

/** @throws {AppError} `INVALID_STATE` where there is none. */
function oppositeOf(
  { action, target, outcome }: OperatorAction,
  operationFor: (action: string) => Operation | undefined,
): { operation: Operation; params: Record<string, string> } {
  if (outcome !== 'done')
    throw new AppError('INVALID_STATE', `this was ${outcome}: only what has been done can be undone`);
  const done = operationFor(action);
  const opposite = done?.undo === undefined ? undefined : operationFor(done.undo);
  const params = opposite && paramsOf(opposite.path, target);
  if (opposite === undefined || params === undefined)
    throw new AppError('INVALID_STATE', `${action} has no opposite: nothing of it can be undone from here`);
  return { operation: opposite, params };
}

/** Of `/buyers/org_1` by `/buyers/:organization_id/restore`. The last may hold slashes, as a receiver's address does. */
function paramsOf(path: string, target: string): Record<string, string> | undefined {
  const pattern = path.replace(/\/[^/]*$/, '').split('/');
  const last = pattern.findLastIndex((part) => part.startsWith(':'));
  const steps = target.split('/');
  const params: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const step = i === last && i === pattern.length - 1 ? steps.slice(i).join('/') : steps[i];
    if (step === undefined || (!part.startsWith(':') && step !== part)) return undefined;
    if (part.startsWith(':')) params[part.slice(1)] = step;
  }
  return params;
}

/** @throws {AppError} `INVALID_STATE` where it was done or undone again since. */
async function assertNothingSince(
  { store, action_id: own }: OperatorCall,
  row: OperatorAction,
  opposite: Operation,
): Promise<void> {
  const { rows } = await store.collection(OperatorActions).find({
    where: { target: row.target },
    sort: { field: 'at', direction: 'desc' },
    limit: LOOKED_AT,
  });
  const since = rows.slice(
    0,
    rows.findIndex(({ action_id }) => action_id === row.action_id),
  );
  const related = since.find(
    ({ action, outcome }) => outcome === 'done' && (action === row.action || action === opposite.action),
  );
  const isTooOld = rows.every(({ action_id }) => action_id !== row.action_id);
  if (isTooOld) throw new AppError('INVALID_STATE', 'too much has been done there since; do the opposite by itself');
  // The same click again is answered as it was.
  if (related === undefined || related.action_id === own) return;
  const { action, by, at, undo_of } = related;
  throw new AppError(
    'INVALID_STATE',
    undo_of === row.action_id
      ? `${by} has undone it already, at ${at}`
      : `${by} has done ${action} there since, at ${at}; look at how it stands now`,
  );
}
