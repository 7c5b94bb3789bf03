import { z } from 'zod';
import { TaskRuns } from '../../../runtime/task-run.ts';
import type { TaskRun } from '../../../runtime/task-run.ts';
import { rowsAsked } from '../fields.ts';
import { operation } from '../operation.ts';
import { BuyerParams, knownBuyer } from './operations.ts';

/** So many of the newest are told. */
export const MOST_REFUSALS = 100;

/** One call of a buyer that was refused, or failed. */
export const RefusalView = z.object({
  at: z.string().describe('When it was called'),
  task_id: z.string(),
  task_type: z.string(),
  state: z.enum(['rejected', 'failed']),
  code: z.string().nullable().describe('Why, as `docs/errors.md` has it; null: it ended without an error'),
  field: z.string().nullable().describe('What of the request; null: nothing of it alone'),
  message: z.string(),
});
export type RefusalView = z.infer<typeof RefusalView>;

/** By an index each, whether they only read or not; no count is made. */
export const listRefusals = operation({
  method: 'get',
  path: '/buyers/:organization_id/refusals',
  summary: `Show the newest ${MOST_REFUSALS} calls of a buyer that were refused or failed and left a task, with the field.`,
  role: 'viewer',
  params: BuyerParams,
  query: z.strictObject({ limit: rowsAsked(MOST_REFUSALS) }),
  answer: z.object({
    refusals: z
      .array(RefusalView)
      .describe(
        'Newest first. What only read, and what the public protocol refused before there was a task, is kept for an hour; what our own protocol refused so, and what was over a budget or came too often, leaves none: metrics count it (`mba_a2a_calls_total`, `mba_mcp_calls_total`, `mba_budget_refused_total`, `mba_rate_limited_total`), and with `REQUEST_LOG_LEVEL=info` the log has such requests by their `request_id`',
      ),
  }),
  async handle({ params: { organization_id }, query: { limit } }, { store }) {
    await knownBuyer(store, organization_id);
    const ended = async (state: RefusalView['state']) => {
      const { rows } = await store.collection(TaskRuns).find({
        where: { organization_id, is_read: { in: [null, true] }, state },
        ...{ sort: { field: 'created_at', direction: 'desc' }, limit },
      });
      return rows.map((run) => refusalOf(run, state));
    };
    const all = (await Promise.all([ended('rejected'), ended('failed')])).flat();
    all.sort((a, b) => (a.at < b.at ? 1 : -1));
    return { refusals: all.slice(0, limit) };
  },
});

const Told = z.object({ error: z.object({ code: z.string(), field: z.string().optional() }) });

function refusalOf({ created_at, task_id, task_type, events }: TaskRun, state: RefusalView['state']): RefusalView {
  const last = events.findLast((event) => event.kind === 'status');
  const error = Told.safeParse(last?.data).data?.error;
  return {
    ...{ at: created_at, task_id, task_type, state, message: last?.message ?? '' },
    ...{ code: error?.code ?? null, field: error?.field ?? null },
  };
}
