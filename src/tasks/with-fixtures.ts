import type { Caller } from '../directory/caller.ts';
import type { QueuedTask, TaskDefinition } from '../runtime/task-definition.ts';
import type { Catalog } from '../sales/catalog.ts';
import type { Fixtures } from '../sales/fixture/fixtures.ts';
import type { TaskDependencies } from './dependencies.ts';

/** A task as it is for each caller: of an organization with fixtures, it works on the catalog with those over it. */
export function withFixtures(
  define: (deps: TaskDependencies) => TaskDefinition,
  deps: TaskDependencies,
  fixtures: Fixtures,
): TaskDefinition {
  const base = define(deps);
  const made = new WeakMap<Catalog, TaskDefinition>([[deps.catalog, base]]);
  async function taskOf({ organization_id }: Pick<Caller, 'organization_id'>): Promise<TaskDefinition> {
    const catalog = await fixtures.catalogOf(organization_id);
    const task = made.get(catalog) ?? define({ ...deps, catalog });
    made.set(catalog, task);
    return task;
  }
  if (base.mode === 'inline') {
    return {
      ...base,
      async answer(input, context) {
        const task = await taskOf(context.caller);
        return task.mode === 'inline' ? task.answer(input, context) : base.answer(input, context);
      },
    };
  }
  const queued = async (caller: Caller): Promise<QueuedTask> => {
    const task = await taskOf(caller);
    return task.mode === 'queued' ? task : base;
  };
  return {
    ...base,
    check: async (input, context) => (await queued(context.caller)).check(input, context),
    run: async (input, context) => (await queued(context.caller)).run(input, context),
    ...(base.undo && { undo: async (input, context) => (await queued(context.caller)).undo?.(input, context) }),
    ...(base.checkParts && {
      checkParts: async (input, context) => (await (await queued(context.caller)).checkParts?.(input, context)) ?? [],
    }),
  };
}
