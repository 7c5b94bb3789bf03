import type { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { Problem } from '../../platform/errors.ts';
import { fittingParts, inPlace } from '../../platform/fitting-parts.ts';
import { refusalOf } from '../../platform/problem.ts';
import { queuedTask } from '../../runtime/task-definition.ts';
import type { CallContext, TaskDefinition, TaskExample } from '../../runtime/task-definition.ts';
import type { Catalog } from '../../sales/catalog.ts';
import { readCreative } from '../../sales/creative/read-creative.ts';
import { exampleCreative } from '../../sales/creative/example-creative.ts';
import { examplesOf } from '../action-examples.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { creativesSeen } from '../../sales/creative/creative-library.ts';
import type { LibraryOwner } from '../../sales/creative/creative-library.ts';
import { buysOfPackages, unknownNames } from '../own-rows.ts';
import type { Named } from '../own-rows.ts';
import { saidOfCreatives } from '../said-of-creatives.ts';
import { formProblems, operationProblems } from './operation-problems.ts';
import { SyncCreativesRequest, SyncCreativesResponse, SyncCreativesTold } from './schema.ts';
import type { SyncedCreative } from './schema.ts';
import { SYNC_STEPS } from './sync-context.ts';
import { syncCreatives } from './sync.ts';

/**
 * Makes the caller's library what is sent (rules C.tasks.sync_creatives, B11). Completes when it is stored; the
 * review goes on from there, and `list_creatives` shows it. It commits before its first write (rule T1.no-return): a canceled
 * sync has stored nothing, and there is nothing to undo. A dry run writes nothing and can be canceled until it is over.
 */
export function syncCreativesTask(deps: TaskDependencies): TaskDefinition {
  return queuedTask<SyncCreativesRequest>({
    name: 'sync_creatives',
    title: 'Sync creatives',
    description:
      'Creates and updates up to 100 creatives by creative_id, assigns them to packages, and archives what is left out when asked. A creative has creative_id, name, format_id and assets by the asset keys of its format (list_creative_formats). Answers what became of each; dry_run answers the same and changes nothing.',
    tags: ['creative'],
    examples: [...syncCreativesExamples(deps.catalog), ...examplesOf('sync_creatives', deps)],
    scope: 'tasks:write',
    mutates: true,
    input: SyncCreativesRequest,
    toldInput: SyncCreativesTold,
    output: SyncCreativesResponse,
    async checkParts(request, context) {
      const fitting = fittingParts(SyncParts, request);
      if (fitting === undefined) return [];
      return inPlace(fitting, [
        ...wrongCreatives(fitting.parts, deps.catalog),
        ...(await assignmentProblems(deps, ownerOf(context), fitting.parts, fitting.parts.creatives !== undefined)),
      ]);
    },
    makes: ({ creatives = [], dry_run }) => ({ budget: 'creatives', amount: dry_run ? 0 : creatives.length }),
    async check(request, context) {
      const isStrict = request.validation_mode === 'strict';
      const problems = [
        ...formProblems(request),
        ...(isStrict ? [...wrongCreatives(request, deps.catalog), ...sentTwice(request)] : []),
        ...(await assignmentProblems(deps, ownerOf(context), request)),
        ...(await operationProblems(deps, ownerOf(context), request)),
      ];
      if (problems.length > 0) throw refusalOf(problems, request);
    },
    async run(request, context) {
      const { task_id, organization_id, committed_at } = context.run;
      // The buys may have changed since the request was taken; once committed, what is left is done.
      if (committed_at === null) {
        const problems = await operationProblems(deps, { organization_id, account_id: context.account_id }, request);
        if (problems.length > 0) throw refusalOf(problems, request);
      }
      const response = await syncCreatives(deps, request, {
        ...{ task_id, organization_id, account_id: context.account_id, at: toTimestamp(context.now()) },
        ...saidOfCreatives(context.run.spoken),
        async commit() {
          await (request.dry_run ? context.checkpoint() : context.commit());
        },
        step: (name) =>
          context.step({
            current_step: name,
            step_number: SYNC_STEPS.indexOf(name) + 1,
            total_steps: SYNC_STEPS.length,
          }),
      }).catch((error: unknown) => {
        throw context.run.committed_at === null ? error : faultOf(error);
      });
      return { done: response, message: summaryOf(response.creatives, response.dry_run) };
    },
  });
}

/** Whose library is synced. */
function ownerOf({ caller, account_id }: Pick<CallContext, 'caller' | 'account_id'>): LibraryOwner {
  return { organization_id: caller.organization_id, account_id };
}

/** A sync that is committed fails never: a refusal would say that nothing was stored. What is left to do stays owed instead. */
function faultOf(error: unknown): unknown {
  return error instanceof AppError ? new Error('a committed sync was refused', { cause: error }) : error;
}

/** Such as `2 created, 1 failed`. */
function summaryOf(creatives: readonly SyncedCreative[], isDry: boolean): string {
  const counts = SyncCreativesResponse.shape.creatives.element.shape.action.options
    .map((action) => ({ action, count: creatives.filter((one) => one.action === action).length }))
    .filter(({ count }) => count > 0)
    .map(({ action, count }) => `${count} ${action}`);
  return `${isDry ? 'dry run: ' : ''}${counts.join(', ')}`;
}

/** What is wrong with creatives, each at its place. */
function wrongCreatives({ creatives = [] }: z.infer<typeof SyncParts>, catalog: Catalog): Problem[] {
  return creatives.flatMap((sent, i) => {
    const read = readCreative(sent, ['creatives', i], catalog);
    return read.ok ? [] : read.problems;
  });
}

function sentTwice({ creatives = [] }: SyncCreativesRequest): Problem[] {
  const ids = creatives.map(({ creative_id }) => creative_id);
  return ids.flatMap((id, i): Problem[] => {
    const path = ['creatives', i, 'creative_id'];
    return ids.indexOf(id) === i ? [] : [{ code: 'INVALID_REQUEST', path, message: SENT_TWICE }];
  });
}

const SENT_TWICE = 'it is sent earlier in this request; send each creative once';

/** A request of which parts may be missing; a whole one is one, too. */
const SyncParts = SyncCreativesRequest.partial();

/**
 * Assignments of creatives or to packages that are nothing of the caller's: `CREATIVE_NOT_FOUND` or `PACKAGE_NOT_FOUND` at
 * their paths (rule B13). Without the creatives that are sent, nobody knows which are unknown.
 */
async function assignmentProblems(
  { creatives, mediaBuys }: Pick<TaskDependencies, 'creatives' | 'mediaBuys'>,
  owner: LibraryOwner,
  request: Pick<z.infer<typeof SyncParts>, 'assignments' | 'creatives'>,
  isWhole = true,
): Promise<Problem[]> {
  const assignments = Object.entries(request.assignments ?? {});
  const sent = new Set(request.creatives?.map(({ creative_id }) => creative_id));
  const elsewhere = assignments
    .map(([id]): Named => ({ id, path: ['assignments', id] }))
    .filter(({ id }) => isWhole && !sent.has(id));
  const packages = assignments.flatMap(([creative_id, ids]) =>
    ids.map((id, i): Named => ({ id, path: ['assignments', creative_id, i] })),
  );
  const [library, buys] = await Promise.all([
    creativesSeen(
      creatives,
      owner,
      elsewhere.map(({ id }) => id),
    ),
    buysOfPackages(
      mediaBuys,
      owner,
      packages.map(({ id }) => id),
    ),
  ]);
  return [
    ...unknownNames('CREATIVE_NOT_FOUND', elsewhere, library),
    ...unknownNames('PACKAGE_NOT_FOUND', packages, buys),
  ];
}

/** Examples that work when pasted: the catalog's first formats, each with a creative that fits. */
function syncCreativesExamples(catalog: Catalog): TaskExample[] {
  const formats = [...catalog.formats.values()].slice(0, 2);
  const creatives = formats.map((format, i) =>
    exampleCreative(format, `acme-trail-${i + 1}`, `Acme trail shoes, ${format.name}`),
  );
  return [
    { title: 'Two creatives', input: { creatives } },
    { title: 'A look at what a sync would do', input: { creatives: creatives.slice(0, 1), dry_run: true } },
  ];
}
