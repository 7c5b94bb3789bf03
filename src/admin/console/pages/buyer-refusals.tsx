import type { RefusalView } from '../../operator/buyers/refusals.ts';
import type { Markup } from '../html/markup.ts';
import { Table } from '../parts/table.tsx';
import { IdLink, pageOfId, Said, State, When } from '../parts/words.tsx';

/** What of a buyer's calls was refused of late, and why. */
export function BuyerRefusals({ refusals, now }: { refusals: readonly RefusalView[]; now: number }): Markup {
  return (
    <section>
      <h2>Calls that were refused or failed</h2>
      <Table
        caption="The newest calls that were refused or failed"
        rows={refusals}
        empty="None of those that are kept."
        columns={[
          { heading: 'When', cell: (one) => <When at={one.at} now={now} /> },
          { heading: 'What', cell: (one) => one.task_type.replaceAll('_', ' ') },
          { heading: 'State', cell: (one) => <State of={one.state} /> },
          { heading: 'Code', cell: (one) => one.code ?? '' },
          { heading: 'Field', cell: (one) => <Said>{one.field}</Said> },
          { heading: 'Message', isWide: true, cell: (one) => <Said>{one.message}</Said> },
          { heading: 'Task', cell: (one) => <IdLink of={one.task_id} to={pageOfId('/tasks', one.task_id)} /> },
        ]}
      />
      <p class="quiet">
        What only reads, and what the public protocol refused before there was a task, is kept for an hour. What our own
        protocol refused so, and what was over a budget or came too often, is kept by no buyer. Metrics count it:{' '}
        <code>mba_a2a_calls_total</code> and <code>mba_mcp_calls_total</code> by outcome,{' '}
        <code>mba_budget_refused_total</code> by budget, <code>mba_rate_limited_total</code> by edge. With{' '}
        <code>REQUEST_LOG_LEVEL=info</code> the log has such requests, too: lines of event <code>request</code> with{' '}
        <code>route</code>, <code>status</code> and <code>request_id</code>, which the buyer was answered as{' '}
        <code>X-Request-Id</code>.
      </p>
    </section>
  );
}
