import { WAIT_LIMITS } from '../../a2a/wait-limits.ts';
import { eventPresenter } from '../../dialects/dialects.ts';
import { mayAct } from '../../directory/operator/operator.ts';
import { activePerson } from '../../directory/operator/person.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { RUN_QUEUE } from '../../runtime/dependencies.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { TaskRuns } from '../../runtime/task-run.ts';
import { taskServices } from '../../runtime/task-services.ts';
import { createApprovalDesk } from '../../sales/approval/approval-desk.ts';
import type { ApprovalDesk, ApprovalDeskDependencies } from '../../sales/approval/approval-desk.ts';
import { approvalOver, isAbove } from '../../sales/approval/approval-policy.ts';
import type { ApprovalThresholds } from '../../sales/approval/approval-policy.ts';
import { mayAskPerson } from '../../sales/approval/may-ask-person.ts';
import type { TwoPeople } from '../../sales/approval/two-people.ts';
import type { TaskDependencies } from '../../tasks/dependencies.ts';
import { callingGuide } from '../../tasks/calling-guide.ts';
import type { CallingGuide } from '../../tasks/calling-schema.ts';
import { taskDefinitions } from '../../tasks/index.ts';
import { termsNow } from '../../tasks/update-media-buy/granted.ts';
import { advertisedLegacySchemes } from '../../webhooks/schemes/named-schemes.ts';
import type { Closers } from '../process/closers.ts';
import { dialectSources } from './dialect-sources.ts';
import type { Sales } from './sales.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Notifications } from './notifications.ts';

/** What runs tasks, and who decides about some of them. */
export interface Engine {
  runtime: Runtime;
  approvals: ApprovalDesk;
  /** Lets a task that waits for somebody else go on; answers whether there was one. */
  wakeTask: (task_id: TaskId) => Promise<boolean>;
  /** How the tasks are called. */
  calling: CallingGuide;
}

export async function composeEngine(
  infrastructure: Infrastructure,
  sales: Sales & Pick<TaskDependencies, 'tested'>,
  { webhooks, reporting, accountWebhooks }: Notifications,
  closers: Closers,
): Promise<Engine> {
  const {
    config,
    catalog,
    ranker,
    store,
    queues,
    changeSignal,
    outbound,
    clock,
    ids,
    log,
    names,
    baseUrl,
    budgets,
    suspensions,
    metrics,
  } = infrastructure;
  const queue = queues.queue(RUN_QUEUE);
  const { notifier } = webhooks;
  const base = {
    runs: store.collection(TaskRuns),
    queue,
    changeSignal,
    notifier,
    clock,
    ids,
    log,
    suspensions,
    counters: metrics,
  };
  const services = taskServices(base);
  const wakeTask = (task_id: TaskId) => services.wake(task_id, { interrupted: true });
  const calling = callingGuide({ baseUrl, catalog, nowMs: clock.now(), ...WAIT_LIMITS });
  const tasks = taskDefinitions({
    ...{ ...sales, clock, catalog, names, outbound, wakeTask, counters: metrics },
    ranker,
    approvalPolicy: approvalOver(config.approvalOver, config.secondApproverOver),
    buyWebhooks: reporting.buyWebhooks,
    accountWebhooks,
    redirectTask: services.redirect,
    tasks: services,
    webhookActivity: (of) => webhooks.activity(of),
    capabilities: {
      legacySchemes: advertisedLegacySchemes(config),
      mayAskPerson: mayAskPerson(config.approvalOver, sales.credit.limitsOf),
      impairmentWindowSeconds: config.impairmentWindowSeconds,
      calling,
    },
  });
  const present = eventPresenter({
    ...(await dialectSources(infrastructure, sales, { webhooks })),
    log,
    runtime: () => runtime,
  });
  const runtime: Runtime = await createRuntime({ ...base, tasks, budgets, present });
  closers.add(() => {
    runtime.close();
  });
  const twoPeople = twoPeopleOver(config.secondApproverOver, store);
  const desk = createApprovalDesk({ ...sales, clock, wake: wakeTask, termsNow: termsOn(sales), twoPeople });
  return { runtime, wakeTask, approvals: desk, calling };
}

/** What an approval would come to on its buy as that stands. */
export function termsOn({ mediaBuys }: Pick<Sales, 'mediaBuys'>): ApprovalDeskDependencies['termsNow'] {
  return async (approval) => {
    const buy = await mediaBuys.get(approval.media_buy_id);
    return buy && termsNow(buy, approval);
  };
}

/** Two people above these totals, of whom each is active still and may decide. */
function twoPeopleOver(thresholds: ApprovalThresholds, store: Store): TwoPeople {
  return {
    areNeeded: (total_minor, currency) => isAbove(thresholds, total_minor, currency),
    async mayApprove(person_id) {
      const person = await activePerson({ store }, person_id);
      return person !== undefined && mayAct(person.role, 'operator');
    },
  };
}
