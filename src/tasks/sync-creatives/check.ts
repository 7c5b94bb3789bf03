import type { TaskDependencies } from '../dependencies.ts';
import { buysOfPackages, ownCreatives, unknownNames } from '../own-rows.ts';
import type { Named } from '../own-rows.ts';
import { refusalOf } from '../problems.ts';
import type { SyncCreativesRequest } from './schema.ts';

/**
 * Refuses assignments of creatives or to packages that are nothing of the caller's, before anything is stored.
 * @throws {AppError} `CREATIVE_NOT_FOUND` or `PACKAGE_NOT_FOUND` with the path, all of them in `issues` (rule B13).
 */
export async function checkAssignments(
  { creatives, mediaBuys }: Pick<TaskDependencies, 'creatives' | 'mediaBuys'>,
  organization_id: string,
  request: SyncCreativesRequest,
): Promise<void> {
  const assignments = Object.entries(request.assignments);
  const sent = new Set(request.creatives.map(({ creative_id }) => creative_id));
  const elsewhere = assignments
    .map(([id]): Named => ({ id, path: ['assignments', id] }))
    .filter(({ id }) => !sent.has(id));
  const packages = assignments.flatMap(([creative_id, ids]) =>
    ids.map((id, i): Named => ({ id, path: ['assignments', creative_id, i] })),
  );
  const [library, buys] = await Promise.all([
    ownCreatives(
      creatives,
      organization_id,
      elsewhere.map(({ id }) => id),
    ),
    buysOfPackages(
      mediaBuys,
      organization_id,
      packages.map(({ id }) => id),
    ),
  ]);
  const problems = [
    ...unknownNames('CREATIVE_NOT_FOUND', elsewhere, library),
    ...unknownNames('PACKAGE_NOT_FOUND', packages, buys),
  ];
  if (problems.length > 0) throw refusalOf(problems);
}
