import type { TaskDefinition } from '../runtime/task-definition.ts';
import { complyTestController } from './comply-test-controller/task.ts';
import { createMediaBuy } from './create-media-buy/task.ts';
import type { TaskDependencies } from './dependencies.ts';
import { getAgentCapabilities } from './get-agent-capabilities/task.ts';
import { getMediaBuyDelivery } from './get-media-buy-delivery/task.ts';
import { getMediaBuys } from './get-media-buys/task.ts';
import { getProducts } from './get-products/task.ts';
import { listAccounts } from './list-accounts/task.ts';
import { getTaskStatus } from './get-task-status/task.ts';
import { listAuthorizedProperties } from './list-authorized-properties/task.ts';
import { listCreativeFormats } from './list-creative-formats/task.ts';
import { listCreatives } from './list-creatives/task.ts';
import { listTasks } from './list-tasks/task.ts';
import { providePerformanceFeedback } from './provide-performance-feedback/task.ts';
import { syncAccounts } from './sync-accounts/task.ts';
import { syncGovernance } from './sync-governance/task.ts';
import { syncCreativesTask } from './sync-creatives/task.ts';
import { updateMediaBuy } from './update-media-buy/task.ts';
import { withFixtures } from './with-fixtures.ts';

/** Every task a buyer can call, in the order of the card. Routes, card skills and workers follow from this list. */
const TASKS = [
  getProducts,
  listAuthorizedProperties,
  listCreativeFormats,
  createMediaBuy,
  updateMediaBuy,
  syncCreativesTask,
  listCreatives,
  getMediaBuys,
  getMediaBuyDelivery,
  providePerformanceFeedback,
  syncAccounts,
  listAccounts,
  syncGovernance,
  getAgentCapabilities,
  getTaskStatus,
  listTasks,
] as const;

/** The tasks by name. */
export function taskDefinitions({ tasks, ...given }: GivenDependencies): ReadonlyMap<string, TaskDefinition> {
  const definitions = new Map<string, TaskDefinition>();
  const deps: TaskDependencies = { ...given, tasks: { ...tasks, names: () => [...definitions.keys()] } };
  const { tested } = deps;
  for (const define of TASKS) {
    const task = tested === undefined ? define(deps) : withFixtures(define, deps, tested.fixtures);
    definitions.set(task.name, task);
  }
  if (tested !== undefined) {
    const task = complyTestController(deps, tested);
    definitions.set(task.name, task);
  }
  return definitions;
}

/** The names of the tasks are known here alone. */
export type GivenDependencies = Omit<TaskDependencies, 'tasks'> & { tasks: Omit<TaskDependencies['tasks'], 'names'> };
