import { Command } from 'commander';
import { listPerformanceFeedback } from '../../admin/operator/performance-feedback/operations.ts';
import type { PerformanceFeedbackView } from '../../admin/operator/performance-feedback/operations.ts';
import { BUYER_ASKED, more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

interface Filters extends PagingOptions {
  buyer?: string;
  mediaBuy?: string;
}

/** `performance-feedback`: what buyers say of how their media buys have done. */
export function performanceFeedbackCommands(run: Run): Command {
  const command = new Command('performance-feedback')
    .description(listPerformanceFeedback.summary)
    .option('--buyer <buyer>', BUYER_ASKED)
    .option('--media-buy <media_buy_id>', 'default: of all');
  return run(paged(command), {
    ask: (client, _args, { buyer, mediaBuy, limit, cursor }: Filters) =>
      client.call(listPerformanceFeedback, {
        query: { organization_id: buyer, media_buy_id: mediaBuy, limit, cursor },
      }),
    rows: (answer) => answer.feedback,
    show: (answer) => listed(answer.feedback) + more(answer),
  });
}

function listed(feedback: readonly PerformanceFeedbackView[]): string {
  return table(
    ['RECEIVED', 'MEDIA BUY', 'OF', 'METRIC', 'INDEX', 'FROM', 'TO', 'BY'],
    feedback.map(({ created_at, media_buy_id, package_id, creative_id, metric_type, ...row }) => [
      ...[created_at, media_buy_id, [package_id, creative_id].filter(Boolean).join(' ') || 'all', metric_type],
      ...[String(row.performance_index), row.measurement_period.start, row.measurement_period.end],
      row.feedback_source,
    ]),
  );
}
