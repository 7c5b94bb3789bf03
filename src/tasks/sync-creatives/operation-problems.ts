import type { Problem } from '../../platform/errors.ts';
import { TaskId } from '../../platform/task-id.ts';
import { assignCreatives } from '../../sales/creative/assign.ts';
import type { Assigned, Assignment } from '../../sales/creative/assign.ts';
import { creativesSeen } from '../../sales/creative/creative-library.ts';
import type { LibraryOwner } from '../../sales/creative/creative-library.ts';
import { creativeIdOf } from '../../sales/creative/creative-ref.ts';
import { readCreative } from '../../sales/creative/read-creative.ts';
import { actionRefusal } from '../../sales/media-buy/buyer-actions.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { buysOfPackages, unknownNames } from '../own-rows.ts';
import { wishOf } from './assign-all.ts';
import type { AssignmentOperation, SyncCreativesRequest } from './schema.ts';

const LIST = 'assignment_operations';

/** What is wrong with how the parts of a request go together. Pure. */
export function formProblems(request: SyncCreativesRequest): Problem[] {
  const { creatives, assignments, assignment_operations, delete_missing, validation_mode } = request;
  const isAssigning = Object.keys(assignments).length > 0;
  const problem = (name: string, message: string): Problem => ({ code: 'INVALID_REQUEST', path: [name], message });
  return [
    ...(creatives === undefined && !isAssigning && assignment_operations === undefined
      ? [problem('creatives', 'send at least one creative, or assignments')]
      : []),
    ...(creatives === undefined && delete_missing
      ? [problem('delete_missing', 'send it with the creatives that are to stay')]
      : []),
    ...(assignment_operations !== undefined && isAssigning ? [problem(LIST, 'send either these or assignments')] : []),
    ...(assignment_operations !== undefined && validation_mode !== 'strict'
      ? [problem('validation_mode', `${LIST} are done all or none; send strict`)]
      : []),
  ];
}

/**
 * What keeps operations from being done as things stand: all of them are, or none. A creative is named once a package, so that they
 * come to the same in whichever order, and done again.
 */
export async function operationProblems(
  deps: Pick<TaskDependencies, 'creatives' | 'mediaBuys' | 'catalog'>,
  owner: LibraryOwner,
  { creatives: sent = [], assignment_operations: operations = [] }: SyncCreativesRequest,
): Promise<Problem[]> {
  if (operations.length === 0) return [];
  const brought = new Map<string, Assigned>();
  for (const one of sent) {
    const read = readCreative(one, [], deps.catalog);
    if (!read.ok) continue;
    const { creative_id, format_id } = read.creative;
    brought.set(creative_id, { account_id: owner.account_id, creative_id, format_id, status: 'processing' });
  }
  const ids = operations.map(({ creative_id }) => creative_id);
  const seen = await creativesSeen(deps.creatives, owner, ids);
  const package_ids = operations.map(({ package_id }) => package_id);
  const buys = await buysOfPackages(deps.mediaBuys, owner, package_ids);
  const sentIds = new Set(sent.map(({ creative_id }) => creative_id));
  const isKnown = ({ creative_id, package_id }: AssignmentOperation) =>
    sentIds.has(creative_id) || seen.has(creative_id) || names(buys.get(package_id), package_id, creative_id);
  const at = operations.map((operation, i) => ({ operation, path: [LIST, i] as const }));
  const problems = [
    ...at.flatMap(({ operation, path }) => {
      const named = [{ id: operation.creative_id, path: [...path, 'creative_id'] }];
      return unknownNames('CREATIVE_NOT_FOUND', named, { has: () => isKnown(operation) });
    }),
    ...unknownNames(
      'PACKAGE_NOT_FOUND',
      at.map(({ operation, path }) => ({ id: operation.package_id, path: [...path, 'package_id'] })),
      buys,
    ),
    ...namedAgain(operations),
  ];
  if (problems.length > 0) return problems;
  const wished = new Map<MediaBuy, { wish: Assignment; path: readonly PropertyKey[] }[]>();
  for (const { operation, path } of at) {
    const buy = buys.get(operation.package_id);
    const wish = wishOf(operation, (id) => brought.get(id) ?? seen.get(id));
    if (buy !== undefined && wish !== undefined) wished.set(buy, [...(wished.get(buy) ?? []), { wish, path }]);
  }
  return [...wished].flatMap(([buy, wishes]) => misdone(deps, buy, wishes));
}

function names(buy: MediaBuy | undefined, package_id: string, creative_id: string): boolean {
  const line = buy?.packages.find((one) => one.package_id === package_id);
  return line?.creative_ids.some((ref) => creativeIdOf(ref) === creative_id) === true;
}

function namedAgain(operations: readonly AssignmentOperation[]): Problem[] {
  const seen = new Set<string>();
  return operations.flatMap((operation, i): Problem[] => {
    const fields = [
      ['creative_id', operation.creative_id],
      ...(operation.operation === 'replace' ? [['replaces_creative_id', operation.replaces_creative_id]] : []),
    ] as [string, string][];
    return fields.flatMap(([field, id]): Problem[] => {
      const key = JSON.stringify([operation.package_id, id]);
      if (!seen.has(key)) {
        seen.add(key);
        return [];
      }
      const message = 'is named before for the same package; say once what is to become of it';
      return [{ code: 'INVALID_REQUEST', path: [LIST, i, field], message }];
    });
  });
}

/** What is only planned is in no history. */
const NOBODYS = TaskId.parse('planned');

/** Which operations cannot be done on the buy as it stands, and why. */
function misdone(
  { catalog }: Pick<TaskDependencies, 'catalog'>,
  buy: MediaBuy,
  wishes: readonly { wish: Assignment; path: readonly PropertyKey[] }[],
): Problem[] {
  const cause = { at: buy.updated_at, task_id: NOBODYS };
  const productOf = (id: string) => catalog.products.get(id);
  const all = wishes.map(({ wish }) => wish);
  const code = actionRefusal(buy, 'sync_creatives') === undefined ? 'INVALID_REQUEST' : 'INVALID_STATE';
  return assignCreatives(buy, all, productOf, cause).outcomes.flatMap(({ error }, i): Problem[] =>
    error === undefined ? [] : [{ code, path: wishes[i]?.path ?? [LIST], message: error }],
  );
}
