import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { operation } from '../operation.ts';
import type { Json, Operation, OperatorCall } from '../operation.ts';
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
  done: () => 'Undone.',
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
    const { operation: opposite, params, body } = oppositeOf(row, call.operationFor);
    await assertNothingSince(call, row, opposite);
    await call.perform(opposite, { params, body, undo_of: action_id });
    return { undo_of: action_id, action: opposite.action ?? '', target: row.target };
  },
});

/** @throws {AppError} `INVALID_STATE` where there is none. */
function oppositeOf(
  { action, outcome, params, answer }: OperatorAction,
  operationFor: (action: string) => Operation | undefined,
): { operation: Operation; params: Record<string, string>; body: Json } {
  if (outcome !== 'done')
    throw new AppError('INVALID_STATE', `this was ${outcome}: only what has been done can be undone`);
  const done = operationFor(action);
  const opposite = done?.undo === undefined ? undefined : operationFor(done.undo);
  if (opposite === undefined)
    throw new AppError('INVALID_STATE', `${action} has no opposite: nothing of it can be undone from here`);
  if (params === undefined)
    throw new AppError(
      'INVALID_STATE',
      'this is on record by an earlier release, without its opposite; do that by itself',
    );
  const body = bodyOfUndo(opposite, answer);
  if (body === undefined)
    throw new AppError('INVALID_STATE', `${action} changed nothing that can be brought back, or it is for good`);
  return { operation: opposite, params, body };
}

/** What undoes an action that answered this; undefined where nothing does. Pure. */
export function bodyOfUndo({ asUndo = {} }: Pick<Operation, 'asUndo'>, answer: Json | null): Json | undefined {
  return typeof asUndo === 'function' ? asUndo(answer ?? {}) : asUndo;
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
  if (!rows.some(({ action_id }) => action_id === row.action_id))
    throw new AppError('INVALID_STATE', 'too much has been done there since; do the opposite by itself');
  const since = changedSince(row, rows, opposite);
  // The same click again is answered as it was.
  if (since === undefined || since.action_id === own) return;
  const { action, by, at, undo_of } = since;
  throw new AppError(
    'INVALID_STATE',
    undo_of === row.action_id
      ? `${by} has undone it already, at ${at}`
      : `${by} has done ${action} there since, at ${at}; look at how it stands now`,
  );
}

/** The last time that an action was done again, or its opposite, on the same thing since; `rows`: newest first. Pure. */
export function changedSince<R extends Pick<OperatorAction, 'action_id' | 'action' | 'target' | 'outcome'>>(
  row: R,
  rows: readonly R[],
  opposite: Pick<Operation, 'action'>,
): R | undefined {
  return rows
    .slice(
      0,
      rows.findIndex(({ action_id }) => action_id === row.action_id),
    )
    .find(
      ({ target, action, outcome }) =>
        target === row.target && outcome === 'done' && (action === row.action || action === opposite.action),
    );
}
