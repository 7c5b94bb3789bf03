import type { OperatorCreativeInFull } from '../../operator/creatives/operations.ts';
import {
  approveCreative,
  rejectCreative,
  restoreCreative,
  showCreative,
  suspendCreative,
} from '../../operator/creatives/operations.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { BuyerFact } from '../parts/buyer-of.tsx';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { Data, IdLink, pageOfId, State, Said, When, Who } from '../parts/words.tsx';

/** One creative: what it is made of, where it serves, and what was decided of it. */
export const creativePage: ConsolePage = {
  path: '/creatives/:organization_id/:creative_id',
  topics: ['creatives'],
  async show(call) {
    const { now, params, read } = call;
    const creative = await read(showCreative, { params: { ...params } });
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/creatives">Creatives</a>
          {' / '}
          <Said>{creative.creative_id}</Said>
        </p>
        <h1>
          <Said>{creative.name}</Said>
        </h1>
        <Facts
          of={[
            ['State', <State of={creative.status} />],
            ['Why', creative.status_reason !== undefined && <Said>{creative.status_reason}</Said>],
            ['Buyer', <BuyerFact of={creative} />],
            ['Account', <Said>{creative.account_id ?? 'shared by all accounts'}</Said>],
            ['Format', <Said>{creative.format_id.id}</Said>],
            ['Version', String(creative.version)],
            ['Came in', <When at={creative.submitted_at} now={now} />],
          ]}
        />
        <Preview call={call} creative={creative} />
        <Decision call={call} creative={creative} />
        <h2>Assets</h2>
        <p class="quiet">As they were sent.</p>
        <Data of={creative.assets} />
        <h2 id="serves">Where it serves</h2>
        <Table
          caption="Where it serves"
          rows={creative.used_by}
          empty="No package names it."
          columns={[
            {
              heading: 'Media buy',
              cell: (use) => <IdLink of={use.media_buy_id} to={pageOfId('/buys', use.media_buy_id)} />,
            },
            { heading: 'Package', cell: (use) => <IdLink of={use.package_id} /> },
            { heading: 'State', cell: (use) => <State of={use.media_buy_status} /> },
          ]}
        />
        <h2>History</h2>
        <Table
          caption="History, newest first"
          rows={creative.history.toReversed()}
          empty="Nothing has happened."
          columns={[
            { heading: 'When', cell: (event) => <When at={event.at} now={now} /> },
            { heading: 'Who', cell: (event) => <Who of={event.by ?? event.actor} /> },
            { heading: 'What', cell: (event) => event.action.replaceAll('_', ' ') },
            { heading: 'State', cell: (event) => <State of={event.to_status} /> },
          ]}
        />
      </>
    );
    return { title: creative.name, body, hasFrame: isPreviewed(call) };
  },
};

/** Whether it is to be shown as it looks: it was asked for by a click. */
function isPreviewed({ query }: PageCall): boolean {
  return query['preview'] === '1';
}

/** What it looks like, in a frame that may do nothing; until somebody asks for it, the way to it. */
function Preview({ call, creative }: { call: PageCall; creative: OperatorCreativeInFull }): Markup {
  const { organization_id, creative_ref: creative_id, version } = creative;
  const here = `/admin${pageOfId(pageOfId('/creatives', organization_id), creative_id)}`;
  return (
    <section id="preview">
      <h2>What it looks like</h2>
      <p class="quiet">
        Its pictures, video and sound are had from where the buyer keeps them, who may see that somebody looks. Scripts
        do not run here, so what they make stays blank; addresses are told and not opened.
      </p>
      {isPreviewed(call) ? (
        <>
          <iframe
            class="preview"
            title="What the creative looks like"
            src={call.previewOf({ organization_id, creative_id, version })}
            sandbox=""
            referrerpolicy="no-referrer"
            data-stays={`version ${version}`}
          />
          <p class="pages">
            <a href={here}>Hide it</a>
          </p>
        </>
      ) : (
        <p>
          <a class="go" href={`${here}?preview=1#preview`}>
            Show what it looks like
          </a>
        </p>
      )}
    </section>
  );
}

/** What can be decided of it as it stands. */
function Decision({ call, creative }: { call: PageCall; creative: OperatorCreativeInFull }): Markup {
  const { organization_id, creative_ref, status } = creative;
  const of = { organization_id, creative_id: creative_ref };
  const reason = <WordsField name="reason" label="Reason" hint="The buyer is told it." isNeeded />;
  switch (status) {
    case 'processing':
    case 'pending_review':
      return (
        <div class="forms">
          <ActionForm call={call} operation={approveCreative} of={of} label="Approve" />
          <ActionForm call={call} operation={rejectCreative} of={of} label="Reject" isFinal>
            {reason}
          </ActionForm>
        </div>
      );
    case 'approved':
      return (
        <div class="forms">
          <ActionForm call={call} operation={suspendCreative} of={of} label="Suspend">
            <p>The media buys that it serves are impaired until it is restored.</p>
            {reason}
          </ActionForm>
        </div>
      );
    case 'suspended':
      return (
        <div class="forms">
          <ActionForm call={call} operation={restoreCreative} of={of} label="Restore" />
        </div>
      );
    case 'rejected':
    case 'archived':
      return <></>;
  }
}
