import { toTimestamp } from '../../../src/platform/clock.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import { effectsDue, recheckImpaired } from '../../../src/sales/creative/effects.ts';
import { reviewDue } from '../../../src/sales/creative/review/review-due.ts';
import type { Buyer } from './buyer-steps.ts';
import type { Ledger } from './ledger.ts';
import { faultable } from './seller-steps.ts';
import { JOBS } from './step.ts';
import type { Job, WorkStep } from './step.ts';
import { NEVER } from './walked-agent.ts';
import type { WalkedAgent } from './walked-agent.ts';

/** A decision, or a change of a creative, that nobody has acted on for so long is acted on, in milliseconds. */
const OVERDUE_MS = 5_000;

/** What the periodic jobs of a worker are, each done once (`src/main/wiring/periodic-jobs.ts`). */
const DO: Record<Job, (core: WalkedAgent['core']) => Promise<unknown>> = {
  approvals: ({ approvals }) => approvals.wakeDue(OVERDUE_MS),
  orders: ({ sales }) => sales.courier.tellDue(),
  order_looks: ({ sales }) => sales.orders.lookDue(),
  probe: ({ sales }) => sales.breaker.probeDue(),
  flights: ({ sales }) => sales.flights.processDue(),
  creative_reviews: ({ sales, log }) => reviewDue({ ...sales, log }),
  creative_effects: ({ sales }) => effectsDue(sales, OVERDUE_MS),
  impairments: ({ sales }) => recheckImpaired(sales),
  reporting: ({ reporting }) => reporting.processDue(),
  reconcile: ({ runtime }) => runtime.reconcile(0),
};

/** Does work as a worker would, in the order that the walk wants; answers what it was. */
export async function work(agent: WalkedAgent, ledger: Ledger, buyer: Buyer, step: WorkStep): Promise<string> {
  switch (step.do) {
    case 'job':
      return job(agent, step.job);
    case 'turn': {
      const owed = owedTurns(agent, ledger, buyer);
      const run = owed[step.which % Math.max(1, owed.length)];
      if (run === undefined) return 'no turn is owed';
      await takeTurn(agent, run);
      return `of ${run.task_type} ${run.task_id.slice(0, 8)}: ${ledger.tasks.last(run.task_id)?.state ?? 'gone'}`;
    }
    case 'all': {
      const owed = owedTurns(agent, ledger, buyer);
      for (const run of owed) await takeTurn(agent, run);
      const said = [];
      for (const name of JOBS) said.push(await job(agent, name));
      const faults = said.filter((text) => text !== 'done');
      return [`${owed.length} turns`, ...faults].join('; ');
    }
  }
}

function job({ core }: WalkedAgent, name: Job): Promise<string> {
  return faultable(async () => {
    await DO[name](core);
    return 'done';
  });
}

/** Tasks whose turn is owed by now, in the order in which they were asked for. */
export function owedTurns({ clock }: WalkedAgent, { tasks }: Ledger, { asked }: Buyer): TaskRun[] {
  const now = toTimestamp(clock.now());
  const runs = asked.flatMap(({ task_ids }) => task_ids.flatMap((task_id) => tasks.last(task_id) ?? []));
  return runs.filter(({ run_due_at }) => run_due_at !== null && run_due_at <= now);
}

async function takeTurn({ core }: WalkedAgent, { task_id, turn }: TaskRun): Promise<void> {
  await core.runtime.execute({ task_id, turn }, NEVER);
}
