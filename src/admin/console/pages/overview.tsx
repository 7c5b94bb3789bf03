import { listApprovals } from '../../operator/approvals/operations.ts';
import { listCreativesInReview } from '../../operator/creatives/operations.ts';
import type { SetupStep } from '../../operator/doctor/installation.ts';
import { listOrders } from '../../operator/orders/operations.ts';
import { showOverview } from '../../operator/overview/operations.ts';
import { DELIVERY_ENDS, showStats } from '../../operator/stats/operations.ts';
import { listTasksOfAll } from '../../operator/tasks/operations.ts';
import { listDestinations } from '../../operator/webhooks/destination-list.ts';
import { isInTrouble, stateOfReceiver } from '../../operator/webhooks/receiver-state.ts';
import { STAT_RANGES } from '../../../platform/stats/read-stats.ts';
import { TERMINAL_STATES } from '../../../runtime/states.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Child, Markup } from '../html/markup.ts';
import { MoneyBars } from '../parts/money-bars.tsx';
import { Tabs } from '../parts/paging.tsx';
import { StepBars } from '../parts/step-bars.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, Money, pageOfId, State, Said, When } from '../parts/words.tsx';
import { whyPaused } from './receivers.tsx';

/** So many of what waits are named here. */
const FEW = '5';

/** What needs somebody, and how all stands. */
export const overviewPage: ConsolePage = {
  path: '',
  menu: 'Overview',
  topics: ['approvals', 'buys', 'creatives', 'tasks', 'deliveries'],
  async show({ read, now, query: { range = 'hour' } }) {
    const few = { query: { limit: FEW } };
    const [counts, { approvals }, { creatives }, { tasks }, { ad_servers }, { destinations }, stats] =
      await Promise.all([
        read(showOverview),
        read(listApprovals, few),
        read(listCreativesInReview, few),
        read(listTasksOfAll, few),
        read(listOrders, { query: { limit: '1' } }),
        read(listDestinations),
        read(showStats, { query: { range } }),
      ]);
    const failing = destinations.filter(isInTrouble);
    const away = ad_servers.filter(({ state }) => state !== 'closed');
    const isNothingLeft = counts.orders_waiting === 0 && counts.tasks_with_faults === 0;
    const isQuiet = isNothingLeft && [approvals, creatives, failing, away].every(({ length }) => length === 0);
    const body = (
      <>
        <h1>Overview</h1>
        {away.map(({ id, since }) => (
          <p class="note bad">
            {`The ad server ${id} cannot be reached: orders wait. Since `}
            <When at={since} now={now} />
          </p>
        ))}
        <div class="cards">
          <Card title="Approvals that wait" to="/approvals" count={counts.approvals_open} />
          <Card title="Creatives in review" to="/creatives" count={counts.creatives_in_review} />
          <Card title="Receivers in trouble" to="/webhooks/receivers" count={failing.length} />
          <Card title="Orders waiting for the ad server" to="/orders" count={counts.orders_waiting} />
          <Card title="Tasks with faults" to="/tasks?state=working&has_faults=true" count={counts.tasks_with_faults} />
          {counts.media_buys.map(({ status, count }) => (
            <Card title={`Media buys ${status}`} to={`/buys?status=${status}`} count={count} />
          ))}
        </div>
        {isQuiet && (
          <p class="empty">
            Nothing needs you: no approval waits, no creative and no order, no task has faults, and no receiver is in
            trouble.
          </p>
        )}
        {counts.media_buys.every(({ count }) => count === 0) && (
          <p>
            {'Nothing has been sold yet. A buyer’s agent buys with an API key, which you make on '}
            <a href="/admin/buyers">its page among the buyers</a>
            {'; what there is to buy stands in '}
            <a href="/admin/catalog">the catalog</a>.
          </p>
        )}
        <Setup steps={counts.setup} />
        <Section title="Longest waiting approvals" to="/approvals" of={approvals}>
          <Table
            caption="Longest waiting approvals"
            rows={approvals}
            empty="Nothing waits for you."
            columns={[
              {
                heading: 'Approval',
                cell: (one) => <IdLink of={one.approval_id} to={pageOfId('/approvals', one.approval_id)} />,
              },
              { heading: 'Asked', cell: (one) => <When at={one.requested_at} now={now} /> },
              { heading: 'Buyer', cell: (one) => <Said>{one.buyer.name ?? one.buyer.organization_id}</Said> },
              { heading: 'Reference', cell: (one) => <Said>{one.buyer_ref}</Said> },
              {
                heading: 'Budget',
                isNumber: true,
                cell: (one) => <Money of={one.money.total_budget} currency={one.money.currency} />,
              },
            ]}
          />
        </Section>
        <Section title="Creatives in review" to="/creatives" of={creatives}>
          <Table
            caption="Creatives in review"
            rows={creatives}
            empty="None waits for review."
            columns={[
              {
                heading: 'Creative',
                cell: (one) => (
                  <IdLink
                    of={one.creative_id}
                    to={`${pageOfId('/creatives', one.organization_id)}/${encodeURIComponent(one.creative_ref)}`}
                  />
                ),
              },
              { heading: 'Name', cell: (one) => <Said>{one.name}</Said> },
              { heading: 'Account', cell: (one) => <Said>{one.account_id ?? 'shared'}</Said> },
              { heading: 'Came in', cell: (one) => <When at={one.submitted_at} now={now} /> },
            ]}
          />
        </Section>
        <Section title="Tasks that failed last" to="/tasks" of={tasks}>
          <Table
            caption="Tasks that failed last"
            rows={tasks}
            empty="None has failed."
            columns={[
              { heading: 'Task', cell: (one) => <IdLink of={one.task_id} to={pageOfId('/tasks', one.task_id)} /> },
              { heading: 'Type', cell: (one) => one.task_type.replaceAll('_', ' ') },
              { heading: 'When', cell: (one) => <When at={one.updated_at} now={now} /> },
              { heading: 'Why', cell: (one) => <Said>{one.message}</Said> },
            ]}
          />
        </Section>
        <Section title="Receivers in trouble" to="/webhooks/receivers" of={failing}>
          <Table
            caption="Receivers in trouble"
            rows={failing}
            empty="All receivers take their webhooks."
            columns={[
              {
                heading: 'Receiver',
                cell: (one) => (
                  <a href={`/admin${pageOfId('/webhooks/receivers', one.destination)}`}>
                    <Said>{one.destination}</Said>
                  </a>
                ),
              },
              { heading: 'State', cell: (one) => <State of={stateOfReceiver(one, one.last_attempt)} /> },
              { heading: 'Failures in a row', isNumber: true, cell: (one) => one.consecutive_failures },
              { heading: 'Waiting', isNumber: true, cell: (one) => one.waiting },
              ...whyPaused(failing),
            ]}
          />
        </Section>
        <Section title="Money by day" of={stats.money}>
          <p class="quiet">
            {
              'Of the last 30 days of UTC. Booked: the budgets, as they stand now, of media buys made on a day, without those that wait for approval, or were rejected or canceled. Delivered: what was delivered on a day, as it is billed. Summed '
            }
            <When at={stats.money_until} now={now} />.
          </p>
          {stats.money.map((one) => (
            <MoneyBars of={one} />
          ))}
        </Section>
        <h2 id="pace">How it goes</h2>
        <p class="quiet">Tasks that only read are counted, too; the list of tasks leaves them out.</p>
        <Tabs label="How far back" path="" name="range" choices={STAT_RANGES} chosen={stats.range} none="hour" />
        <StepBars
          what="Tasks"
          good="completed"
          states={TERMINAL_STATES}
          stepSeconds={stats.step_seconds}
          steps={stats.points.map((point) => ({
            ...{ at: point.at, counts: point.tasks, p95Seconds: point.task_p95_seconds, queued: point.queued },
          }))}
        />
        <StepBars
          what="Webhooks"
          good="delivered"
          states={DELIVERY_ENDS}
          stepSeconds={stats.step_seconds}
          steps={stats.points.map((point) => ({
            ...{ at: point.at, counts: point.deliveries, p95Seconds: point.delivery_p95_seconds, queued: point.queued },
          }))}
        />
      </>
    );
    return { title: 'Overview', body };
  },
};

function Card({ title, to, count }: { title: string; to: string; count: number }): Markup {
  return (
    <section class="card">
      <h2>
        <a href={`/admin${to}`}>{title}</a>
      </h2>
      <p class="big">{count >= 1000 ? '1,000 or more' : String(count)}</p>
    </section>
  );
}

/** What is left to do before this is used for real; nothing once all is done. */
function Setup({ steps }: { steps: readonly SetupStep[] }): Markup {
  const left = steps.filter(({ is_done }) => !is_done);
  if (left.length === 0) return <></>;
  return (
    <section>
      <h2 id="setup">Before it sells for real</h2>
      <details>
        <summary>{`${steps.length - left.length} of ${steps.length} steps are done`}</summary>
        <Table
          caption="Steps of setting up"
          rows={steps}
          empty="There are none."
          columns={[
            { heading: 'Step', isWide: true, cell: (one) => one.step },
            { heading: 'State', cell: (one) => <State of={one.is_done ? 'done' : 'to_do'} /> },
            { heading: 'How', isWide: true, cell: (one) => (one.is_done ? '' : one.how) },
          ]}
        />
      </details>
    </section>
  );
}

/** A list that somebody may have to look at; where there is nothing, nothing. */
function Section({
  title,
  to,
  of,
  children,
}: {
  title: string;
  /** Absent: nowhere else. */
  to?: string;
  of: readonly unknown[];
  children?: Child;
}): Markup {
  if (of.length === 0) return <></>;
  return (
    <section>
      <h2>{to === undefined ? title : <a href={`/admin${to}`}>{title}</a>}</h2>
      {children}
    </section>
  );
}
