import { listPerformanceFeedback } from '../../operator/performance-feedback/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { Pages } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import { Day, IdLink, pageOfId, Said, When } from '../parts/words.tsx';

/** What buyers say of how their media buys have done, newest first; of one media buy, or of one buyer. */
export const performanceFeedbackPage: ConsolePage = {
  path: '/performance-feedback',
  list: { of: listPerformanceFeedback, rows: 'feedback' },
  async show({ query, read, now }) {
    const { organization_id, media_buy_id } = query;
    const { feedback, cursor } = await read(listPerformanceFeedback, { query });
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/buys">Media buys</a>
          {' / how they have done'}
        </p>
        <h1>What buyers say of it</h1>
        <p class="quiet">
          How well a media buy did for its buyer: 1 is as expected, 0 of no value. It is kept for two years, for people
          to read; nothing is done by it.
        </p>
        {(media_buy_id ?? organization_id) !== undefined && (
          <p class="note">
            {'Of '}
            {media_buy_id !== undefined && <IdLink of={media_buy_id} to={pageOfId('/buys', media_buy_id)} />}
            {media_buy_id === undefined && organization_id !== undefined && (
              <IdLink of={organization_id} to={pageOfId('/buyers', organization_id)} />
            )}
            {' alone. '}
            <a href="/admin/performance-feedback">Show all</a>
          </p>
        )}
        <Table
          caption="What buyers say, newest first"
          rows={feedback}
          empty="Nobody has said anything. Buyers do by provide_performance_feedback."
          columns={[
            { heading: 'When', cell: (one) => <When at={one.created_at} now={now} /> },
            { heading: 'Buyer', cell: (one) => <BuyerLink of={one} /> },
            {
              heading: 'Media buy',
              cell: (one) => <IdLink of={one.media_buy_id} to={pageOfId('/buys', one.media_buy_id)} />,
            },
            { heading: 'Of what', cell: (one) => <Said>{one.creative_id ?? one.package_id ?? 'all of it'}</Said> },
            { heading: 'Measured', cell: (one) => one.metric_type.replaceAll('_', ' ') },
            { heading: 'By', cell: (one) => one.feedback_source.replaceAll('_', ' ') },
            { heading: 'How well', isNumber: true, cell: (one) => one.performance_index },
            {
              heading: 'In',
              cell: ({ measurement_period: { start, end } }) => (
                <>
                  <Day at={start} />
                  {' to '}
                  <Day at={end} />
                </>
              ),
            },
          ]}
        />
        <Pages path="/performance-feedback" query={query} cursor={cursor} />
      </>
    );
    return { title: 'What buyers say', body };
  },
};
