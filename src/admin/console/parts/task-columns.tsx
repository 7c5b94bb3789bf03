import type { TaskRowView } from '../../operator/tasks/operations.ts';
import type { Column } from './table.tsx';
import { tookOf } from './timeline.tsx';
import { When } from './words.tsx';

/** From being asked until it was over. Pure. */
export function tookInAll({ created_at, ended_at }: TaskRowView): string {
  if (ended_at === undefined) return 'goes on';
  const took = tookOf(created_at, ended_at);
  return took === '' ? 'no time' : took;
}

/** What holds those up that are not over; where none is held up, nothing. */
export function waitingColumns(tasks: readonly TaskRowView[], now: number): Column<TaskRowView>[] {
  const waitsFor: Column<TaskRowView> = {
    heading: 'Waits for',
    cell: (task) => task.waits_for?.replaceAll('_', ' ') ?? '',
  };
  const owed: Column<TaskRowView> = {
    heading: 'Owed a turn since',
    cell: ({ owed_since }) => owed_since !== undefined && <When at={owed_since} now={now} />,
  };
  return [
    ...(tasks.some(({ waits_for }) => waits_for !== undefined) ? [waitsFor] : []),
    ...(tasks.some(({ owed_since }) => owed_since !== undefined) ? [owed] : []),
  ];
}
