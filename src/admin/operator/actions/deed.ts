import type { Operation, OperatorDeps } from '../operation.ts';
import { OperatorActions } from './action.ts';

/** What has been done, as whoever did it is told. */
export interface DoneAction {
  operation: Operation;
  words: string;
  /** It undid another. */
  isUndo: boolean;
}

/** What is on record as done under this id; undefined where nothing is, or it answered what this release does not know. */
export async function deedOf(
  { store, operationFor }: Pick<OperatorDeps, 'store' | 'operationFor'>,
  action_id: string,
): Promise<DoneAction | undefined> {
  const row = await store.collection(OperatorActions).get(action_id);
  if (row?.outcome !== 'done') return undefined;
  const operation = operationFor(row.action);
  const answered = operation?.answer.safeParse(row.answer);
  if (operation?.done === undefined || answered?.success !== true) return undefined;
  return { operation, words: operation.done(answered.data), isUndo: row.undo_of !== undefined };
}
