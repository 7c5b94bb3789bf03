import { Command, Option } from 'commander';
import type { ApprovalView, DecisionView } from '../../admin/operator/approvals/approval-view.ts';
import type { GrantView } from '../../admin/operator/approvals/grant-view.ts';
import { approve, ask, listApprovals, reject, showApproval } from '../../admin/operator/approvals/operations.ts';
import { Approval, ApprovalStatus } from '../../sales/approval/approval.ts';
import { shownAmount } from '../../platform/money.ts';
import { BUYER_ASKED, more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { age, facts, printableJson, table } from './table.ts';

interface ListOptions extends PagingOptions {
  status?: string;
  operation?: string;
  organization?: string;
  mediaBuy?: string;
}

/** `approvals …`: the operations that wait for a person. */
export function approvalCommands(run: Run): Command {
  const approvals = new Command('approvals').description('The operations that wait for a person.');
  const list = new Command('list')
    .description(listApprovals.summary)
    .addOption(
      new Option('--status <status>', 'default: open, which is pending and asked').choices([
        'open',
        ...ApprovalStatus.options,
        'all',
      ]),
    )
    .addOption(new Option('--operation <name>', 'one kind only').choices(Approval.shape.operation.options))
    .option('--organization <buyer>', BUYER_ASKED)
    .option('--media-buy <id>', "one media buy's only");
  return approvals
    .addCommand(
      run(paged(list), {
        ask: (client, _args, { status, operation, organization, mediaBuy, limit, cursor }: ListOptions) =>
          client.call(listApprovals, {
            query: {
              ...{ status, operation, limit, cursor },
              ...{ organization_id: organization, media_buy_id: mediaBuy },
            },
          }),
        rows: (answer) => answer.approvals,
        show: (answer) => listed(answer.approvals) + more(answer),
      }),
    )
    .addCommand(
      run(new Command('show').description(showApproval.summary).argument('<approval_id>'), {
        ask: (client, [approval_id]: [string]) => client.call(showApproval, { params: { approval_id } }),
        show: shown,
      }),
    )
    .addCommand(
      run(
        new Command('approve')
          .description(approve.summary)
          .argument('<approval_id>')
          .option('--note <words>', 'words to the buyer')
          .option('--digest <digest>', 'grant the terms that show printed with it; default: those it was asked with'),
        {
          ask: (client, [approval_id]: [string], { note, digest }: { note?: string; digest?: string }) =>
            client.call(approve, { params: { approval_id }, body: { note, digest } }),
          show: decided,
        },
      ),
    )
    .addCommand(
      run(
        new Command('reject')
          .description(reject.summary)
          .argument('<approval_id>')
          .requiredOption('--reason <words>', 'why; told to the buyer')
          .option('--note <words>', 'further words to the buyer'),
        {
          ask: (client, [approval_id]: [string], { reason, note }: { reason: string; note?: string }) =>
            client.call(reject, { params: { approval_id }, body: { reason, note } }),
          show: decided,
        },
      ),
    )
    .addCommand(
      run(new Command('ask').description(ask.summary).argument('<approval_id>').argument('<question>'), {
        ask: (client, [approval_id, question]: [string, string]) =>
          client.call(ask, { params: { approval_id }, body: { question } }),
        show: decided,
      }),
    );
}

function listed(approvals: readonly ApprovalView[]): string {
  if (approvals.length === 0) return 'Nothing waits.\n';
  return table(
    ['APPROVAL', 'STATUS', 'AGE', 'BUYER', 'OPERATION', 'BUDGET', 'CHANGE', 'TOTAL THEN', 'FLIGHT', 'BUYER REF', 'WHY'],
    approvals.map((row) => [
      row.approval_id,
      row.first_yes_stands === true && row.decided_at === null ? `${row.status}, 1 of 2` : row.status,
      age(row.age_seconds),
      row.buyer.name ?? row.buyer.organization_id,
      row.operation,
      shownAmount(row.money.total_budget, row.money.currency),
      row.money.change === null ? 'new' : shownAmount(row.money.change, row.money.currency),
      row.money.resulting_total === null ? '' : shownAmount(row.money.resulting_total, row.money.currency),
      flight(row),
      row.buyer_ref,
      row.why,
    ]),
  );
}

function shown(row: ApprovalView): string {
  const { currency, total_budget, previous_budget, current_total } = row.money;
  const from = previous_budget === null ? '' : `, from ${shownAmount(previous_budget, currency)}`;
  const about = facts([
    ['approval', row.approval_id],
    ['status', row.status],
    ['people', row.takes_two_people && row.decided_at === null ? 'it takes the yes of two' : undefined],
    ['waiting since', `${row.requested_at} (${age(row.age_seconds)})`],
    ['why', row.why],
    ['buyer', `${row.buyer.name ?? ''} (${row.buyer.organization_id})`],
    ['brand', row.brand === null ? undefined : JSON.stringify(row.brand)],
    ['campaign', row.buyer_ref],
    ['operation', row.operation],
    ['budget', `${shownAmount(total_budget, currency)}${from}, as asked`],
    ['budget now', current_total === null ? undefined : shownAmount(current_total, currency)],
    ...termsFacts(row),
    ['flight', flight(row)],
    ['media buy', `${row.media_buy_id} (${row.media_buy?.status ?? 'gone'})`],
    ['task', row.task_id],
    ['first yes', row.first_yes_stands === false ? VOID : undefined],
    ...decisionFacts(row),
  ]);
  const packages = (row.media_buy?.packages ?? []).map((line) => [
    line.package_id,
    `${line.product_name} (${line.product_id})`,
    line.delivery_type,
    [line.pricing_model, ...prices(line.price ?? line.bid_price, currency)].join(' '),
    shownAmount(line.budget, currency),
    line.creative_ids.join(', '),
  ]);
  const lines = table(['PACKAGE', 'PRODUCT', 'DELIVERY', 'PRICE', 'BUDGET', 'CREATIVES'], packages);
  return `${about}\n${lines}\nThe buyer's request:\n${printableJson(row.request)}\n`;
}

const VOID = 'counts no more: the terms have changed since; look at the terms now, and approve them by their digest';

/** The terms that a decision is about, and whether they are still those it was asked with. */
function termsFacts({ asked_terms, terms_now }: ApprovalView): [string, string][] {
  if (terms_now === null) return [];
  const isSame = asked_terms?.digest === terms_now.digest;
  return [
    ...(asked_terms === null || isSame
      ? []
      : [['asked with', `${terms(asked_terms)}; changed since`] as [string, string]]),
    ['terms now', terms(terms_now)],
    ['digest', `${terms_now.digest} (approve --digest grants the terms now)`],
  ];
}

function decisionFacts(decision: DecisionView) {
  const { status, decided_by, decided_at, reason, note, questions, granted } = decision;
  const { predecessor, successor, superseded, first_yes } = decision;
  return [
    ['asked again after', predecessor ?? undefined] as [string, string | undefined],
    ...questions.map(({ question, asked_by, answer }): [string, string] => [
      'question',
      `${question} (${asked_by}); ${answer === null ? 'not answered yet' : `answered ${JSON.stringify(answer)}`}`,
    ]),
    ...(first_yes === null ? [] : firstYesFacts(first_yes, decided_at === null)),
    ...(decided_at === null ? [] : [[status, `${decided_at} by ${decided_by ?? ''}`] as [string, string]]),
    ['reason', reason ?? undefined] as [string, string | undefined],
    ['note', note ?? undefined] as [string, string | undefined],
    ['granted', granted === null ? undefined : terms(granted)] as [string, string | undefined],
    ['superseded', superseded?.because.join('; ')] as [string, string | undefined],
    ['asked again as', successor ?? undefined] as [string, string | undefined],
  ];
}

function firstYesFacts({ by, at, granted }: NonNullable<DecisionView['first_yes']>, isOpen: boolean) {
  const yes: [string, string] = ['first yes', `${at} by ${by}, to ${terms(granted)}`];
  return isOpen ? [yes, ['waits for', `the yes of somebody else than ${by}`] as [string, string]] : [yes];
}

function decided(view: DecisionView): string {
  const { approval_id, media_buy_id, task_id, status } = view;
  return facts([
    ['approval', approval_id],
    ['status', status],
    ['media buy', media_buy_id],
    ['task', task_id],
    ...decisionFacts(view),
  ]);
}

function flight({ media_buy }: ApprovalView): string {
  return media_buy === null ? '' : `${media_buy.start_time.slice(0, 10)} to ${media_buy.end_time.slice(0, 10)}`;
}

function prices(price: number | undefined, currency: string): string[] {
  return price === undefined ? [] : [shownAmount(price, currency)];
}

function terms({ total, currency, start_time, end_time }: GrantView): string {
  return `${shownAmount(total, currency)}, ${start_time} to ${end_time}`;
}
