import { isTerminalBuy } from '../../../sales/media-buy/transitions.ts';
import { AppError } from '../../../platform/errors.ts';
import type { BuyInFullView } from '../../operator/buys/buy-view.ts';
import { showBuy } from '../../operator/buys/operations.ts';
import { holdSeveralBuys, MOST_BUYS, releaseSeveralBuys } from '../../operator/buys/several.ts';
import type { SeveralDone } from '../../operator/buys/several.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { isOwnPage } from '../own-page.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, Money, pageOfId, Said, State } from '../parts/words.tsx';

/** The media buys that were chosen in the list, and what may be done to all of them. */
export const severalBuysPage: ConsolePage = {
  path: '/buys/several',
  topics: ['buys'],
  async show(call) {
    const ids = [...new Set(call.several('media_buy_id'))];
    if (ids.length > MOST_BUYS) {
      throw new AppError('VALIDATION_ERROR', `media_buy_id: choose at most ${MOST_BUYS} media buys`, {
        field: 'media_buy_id',
      });
    }
    const buys = await Promise.all(ids.map((media_buy_id) => call.read(showBuy, { params: { media_buy_id } })));
    const open = buys.filter(({ status }) => !isTerminalBuy(status));
    const free = open.filter(({ on_hold }) => on_hold === undefined);
    const held = open.filter(({ on_hold }) => on_hold !== undefined);
    const title = `Hold or release ${countOf(buys)}`;
    const list = listCameFrom(call.query['from']);
    const body = (
      <>
        <p class="crumbs">
          <a href={list}>Media buys</a>
        </p>
        <h1>{title}</h1>
        <Table
          caption="Chosen media buys"
          rows={buys}
          empty={
            <>
              {'None was chosen. '}
              <a href={list}>Go back to the list</a>
              {', tick those that are meant, and come here from its end.'}
            </>
          }
          columns={[
            {
              heading: 'Media buy',
              cell: (buy) => <IdLink of={buy.media_buy_id} to={pageOfId('/buys', buy.media_buy_id)} />,
            },
            { heading: 'State', cell: (buy) => <State of={buy.on_hold === undefined ? buy.status : 'held'} /> },
            { heading: 'Can be', cell: canBe },
            { heading: 'Buyer', cell: (buy) => <Said>{buy.organization_name ?? buy.organization_id}</Said> },
            { heading: 'Reference', cell: (buy) => <Said>{buy.buyer_ref}</Said> },
            {
              heading: 'Budget',
              isNumber: true,
              cell: (buy) => <Money of={buy.total_budget} currency={buy.currency} />,
            },
          ]}
        />
        <RoleNote call={call} role={holdSeveralBuys.role} />
        <div class="forms">
          {free.length > 0 && (
            <ActionForm call={call} operation={holdSeveralBuys} of={{}} label={`Hold ${countOf(free)}`}>
              <p>Nothing of them runs until they are released, and each buyer is told why.</p>
              <Ids of={free} />
              <WordsField name="reason" label="Reason" hint="Told to each buyer." isNeeded />
            </ActionForm>
          )}
          {held.length > 0 && (
            <ActionForm call={call} operation={releaseSeveralBuys} of={{}} label={`Release ${countOf(held)}`}>
              <p>What ran runs again; what its buyer paused stays paused.</p>
              <Ids of={held} />
            </ActionForm>
          )}
        </div>
        <p class="pages">
          <a href={list}>Back, and do nothing</a>
        </p>
      </>
    );
    return { title, body };
  },
};

/** The list that somebody came from, by the filters it had. */
function listCameFrom(from: string | null | undefined): string {
  return typeof from === 'string' && isOwnPage(from) ? from : '/admin/buys';
}

/** What became of each. `did`: such as `Held`; `back`: the page that they were chosen on. */
export function SeveralResult({ did, answer, back }: { did: string; answer: SeveralDone; back: string }): Markup {
  const list = listCameFrom(new URL(back, 'http://console').searchParams.get('from'));
  return (
    <>
      <p class="crumbs">
        <a href={list}>Media buys</a>
      </p>
      <h1>{severalTitle(did, answer)}</h1>
      <Table
        caption="What became of each"
        rows={answer.media_buys}
        empty="Nothing."
        columns={[
          {
            heading: 'Media buy',
            cell: (one) => <IdLink of={one.media_buy_id} to={pageOfId('/buys', one.media_buy_id)} />,
          },
          { heading: 'Result', cell: (one) => <State of={one.outcome} /> },
          { heading: 'State now', cell: ({ status }) => status && <State of={did === 'Held' ? 'held' : status} /> },
          { heading: 'Why not', isWide: true, cell: (one) => <Said>{one.message}</Said> },
        ]}
      />
      <p class="pages">
        <a href={list}>Back to the media buys</a>
        <a href="/admin/audit">All of it on record</a>
      </p>
    </>
  );
}

/** Pure. */
export function severalTitle(did: string, { done, media_buys }: SeveralDone): string {
  return `${did} ${done} of ${countOf(media_buys)}`;
}

function countOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 media buy' : `${length} media buys`;
}

function canBe({ status, on_hold }: BuyInFullView): string {
  if (isTerminalBuy(status)) return 'nothing: it is over';
  return on_hold === undefined ? 'held' : 'released';
}

function Ids({ of }: { of: readonly BuyInFullView[] }): Markup {
  return <input type="hidden" name="media_buy_ids" value={of.map(({ media_buy_id }) => media_buy_id).join(',')} />;
}
