import { Command, Option } from 'commander';
import { askForBuysReport, cancelBuy, holdBuy, releaseBuy } from '../../admin/operator/buys/actions.ts';
import { listBuys, showBuy } from '../../admin/operator/buys/operations.ts';
import { holdSeveralBuys, releaseSeveralBuys } from '../../admin/operator/buys/several.ts';
import type { SeveralDone } from '../../admin/operator/buys/several.ts';
import type { BuyInFullView, ListedBuyView } from '../../admin/operator/buys/buy-view.ts';
import { MediaBuyStatus } from '../../sales/media-buy/media-buy.ts';
import { shownAmount } from '../../platform/money.ts';
import { BUYER_ASKED, more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

interface Filters extends PagingOptions {
  status: MediaBuyStatus | 'all';
  buyer?: string;
  poNumber?: string;
  startsFrom?: string;
  startsUntil?: string;
}

/** `buys …`: what has been sold. */
export function buyCommands(run: Run): Command {
  return new Command('buys')
    .description('Media buys: what has been sold, and how it delivers.')
    .addCommand(
      run(
        paged(
          new Command('list')
            .description(listBuys.summary)
            .option('--buyer <buyer>', BUYER_ASKED)
            .option('--po-number <number>', 'the whole number of a purchase order; default: of all')
            .option('--starts-from <day>', 'whose flight begins on that day of UTC or later; of all buyers')
            .option('--starts-until <day>', 'whose flight begins on that day or before')
            .addOption(new Option('--status <status>').choices([...MediaBuyStatus.options, 'all']).default('all')),
        ),
        {
          ask: (client, _args, { buyer, poNumber, startsFrom, startsUntil, status, limit, cursor }: Filters) =>
            client.call(listBuys, {
              query: {
                ...{ organization_id: buyer, po_number: poNumber, status, limit, cursor },
                ...{ starts_from: startsFrom, starts_until: startsUntil },
              },
            }),
          rows: (answer) => answer.media_buys,
          show: (answer) => listed(answer.media_buys) + more(answer),
        },
      ),
    )
    .addCommand(
      run(new Command('show').description(showBuy.summary).argument('<media_buy_id>'), {
        ask: (client, [media_buy_id]: [string]) => client.call(showBuy, { params: { media_buy_id } }),
        show: shown,
      }),
    )
    .addCommand(
      run(
        new Command('cancel')
          .description(cancelBuy.summary)
          .argument('<media_buy_id>')
          .requiredOption('--reason <words>', 'why; told to the buyer')
          .requiredOption('--confirm <id>', 'its id or its buyer ref once more'),
        {
          ask: (client, [media_buy_id]: [string], { reason, confirm }: { reason: string; confirm: string }) =>
            client.call(cancelBuy, { params: { media_buy_id }, body: { reason, confirm } }),
          show: shown,
        },
      ),
    )
    .addCommand(
      run(
        new Command('hold')
          .description(holdBuy.summary)
          .argument('<media_buy_id>')
          .requiredOption('--reason <words>', 'why; told to the buyer'),
        {
          ask: (client, [media_buy_id]: [string], { reason }: { reason: string }) =>
            client.call(holdBuy, { params: { media_buy_id }, body: { reason } }),
          show: shown,
        },
      ),
    )
    .addCommand(
      run(new Command('release').description(releaseBuy.summary).argument('<media_buy_id>'), {
        ask: (client, [media_buy_id]: [string]) => client.call(releaseBuy, { params: { media_buy_id } }),
        show: shown,
      }),
    )
    .addCommand(
      run(
        new Command('hold-several')
          .description(holdSeveralBuys.summary)
          .argument('<media_buy_ids...>')
          .requiredOption('--reason <words>', 'why; told to each buyer'),
        {
          ask: (client, media_buy_ids: string[], { reason }: { reason: string }) =>
            client.call(holdSeveralBuys, { body: { media_buy_ids: media_buy_ids.join(','), reason } }),
          show: shownSeveral,
          isBad: ({ refused }) => refused > 0,
        },
      ),
    )
    .addCommand(
      run(new Command('release-several').description(releaseSeveralBuys.summary).argument('<media_buy_ids...>'), {
        ask: (client, media_buy_ids: string[]) =>
          client.call(releaseSeveralBuys, { body: { media_buy_ids: media_buy_ids.join(',') } }),
        show: shownSeveral,
        isBad: ({ refused }) => refused > 0,
      }),
    )
    .addCommand(
      run(new Command('report').description(askForBuysReport.summary).argument('<media_buy_id>'), {
        ask: (client, [media_buy_id]: [string]) => client.call(askForBuysReport, { params: { media_buy_id } }),
        show: shown,
      }),
    );
}

function listed(buys: readonly ListedBuyView[]): string {
  return table(
    ['MEDIA BUY', 'STATUS', 'BUYER', 'BUDGET', 'SPENT', 'HEALTH', 'FLIGHT', 'WAITS FOR', 'PO NUMBER', 'BUYER REF'],
    buys.map((buy) => [
      buy.media_buy_id,
      buy.status,
      buy.organization_name ?? buy.organization_id,
      shownAmount(buy.total_budget, buy.currency),
      shownAmount(buy.spent, buy.currency),
      buy.health,
      `${buy.start_time.slice(0, 10)} to ${buy.end_time.slice(0, 10)}`,
      buy.pending_reason ?? (buy.waits_for_ad_server ? 'ad_server' : ''),
      buy.po_number ?? '',
      buy.buyer_ref,
    ]),
  );
}

function shownSeveral({ media_buys }: SeveralDone): string {
  return table(
    ['MEDIA BUY', 'RESULT', 'STATUS', 'WHY NOT'],
    media_buys.map(({ media_buy_id, outcome, status = '', message = '' }) => [media_buy_id, outcome, status, message]),
  );
}

function shown(buy: BuyInFullView): string {
  const by = new Map(buy.delivered.map((one) => [one.package_id, one]));
  const packages = table(
    ['PACKAGE', 'PRODUCT', 'BUDGET', 'SPENT', 'IMPRESSIONS', 'CREATIVES'],
    buy.packages.map(({ package_id, product_name, budget, creative_ids, paused }) => [
      package_id,
      product_name,
      `${shownAmount(budget, buy.currency)}${paused ? ' (paused)' : ''}`,
      shownAmount(by.get(package_id)?.spend ?? 0, buy.currency),
      String(by.get(package_id)?.impressions ?? 0),
      creative_ids.join(', '),
    ]),
  );
  const history = table(
    ['AT', 'WHO', 'WHAT', 'NOTE'],
    buy.history.map(({ at, actor, action, note = '' }) => [at, actor, action, note]),
  );
  const impairments = buy.impairments.map(({ reason }) => `impaired: ${reason}\n`).join('');
  return `${facts(headOf(buy))}\n${packages}${impairments}\n${history}`;
}

function headOf(buy: BuyInFullView): (readonly [string, string | undefined])[] {
  const { media_buy_id, buyer_ref, status, pending_reason, total_budget, currency, start_time, end_time } = buy;
  const waits = pending_reason === undefined ? '' : `, waits for ${pending_reason}`;
  return [
    ['media buy', media_buy_id],
    ['buyer', `${buy.organization_name ?? ''} ${buy.organization_id}`.trim()],
    ['buyer ref', buyer_ref],
    ['account', buy.account_id ?? ''],
    ...saidOf(buy),
    ['status', `${status}${waits}`],
    ['held back', buy.on_hold && `${buy.on_hold.reason} (${buy.on_hold.by}, ${buy.on_hold.at})`],
    ['budget', shownAmount(total_budget, currency)],
    ['flight', `${start_time} to ${end_time}, now at ${buy.flight_at}`],
    ['ad server', buy.waits_for_ad_server ? 'has something to be told still' : ''],
    ['task', buy.task_id],
  ];
}

function saidOf({ said = {}, said_of_packages = [] }: BuyInFullView): (readonly [string, string | undefined])[] {
  const { io_acceptance, ext } = said;
  return [
    ['name', said.name],
    ['po number', said.po_number],
    ['agency estimate', said.agency_estimate_number],
    ['industry', said.advertiser_industry],
    ['insertion order', io_acceptance && JSON.stringify(io_acceptance)],
    ['governance plan', said.plan_id],
    ['ext', ext && JSON.stringify(ext)],
    ...said_of_packages.map(({ package_id, ...one }) => [package_id, JSON.stringify(one)] as const),
  ];
}
