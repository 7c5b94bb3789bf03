import { approve, ask, reject, showApproval } from '../../operator/approvals/operations.ts';
import { showBuyerLimits } from '../../operator/buyers/limits.ts';
import { showBuyerStanding } from '../../operator/buyers/standing.ts';
import type { ApprovalView } from '../../operator/approvals/approval-view.ts';
import { whoWords } from '../../operator/who-words.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { BuyerFact } from '../parts/buyer-of.tsx';
import { standingFacts } from '../parts/buyer-standing.tsx';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { Data, headingOf, IdLink, Money, pageOfId, State, Said, When, Who } from '../parts/words.tsx';
import { BuyAsItStands, WhatChanges } from './approval-terms.tsx';
import { limitFacts } from './buyer-limits.tsx';

/** One approval with all that is needed to decide it. */
export const approvalPage: ConsolePage = {
  path: '/approvals/:approval_id',
  topics: ['approvals'],
  async show(call) {
    const approval = await call.read(showApproval, { params: { ...call.params } });
    const { approval_id, operation, buyer, money } = approval;
    // Of an organization that is gone nothing more is known.
    const facts = buyer.name === null ? undefined : await buyerFacts(call, buyer.organization_id);
    const title = `${headingOf(operation)} by ${buyer.name ?? buyer.organization_id}`;
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/approvals">Approvals</a>
          {` / ${approval_id}`}
        </p>
        <h1>
          <Said>{title}</Said>
        </h1>
        <Facts
          of={[
            ['State', <State of={approval.status} />],
            ['Why', <Said>{approval.why}</Said>],
            ['Asked', <When at={approval.requested_at} now={call.now} />],
            ['Buyer', <BuyerFact of={{ organization_id: buyer.organization_id, organization_name: buyer.name }} />],
            ['Budget', <Money of={money.total_budget} currency={money.currency} />],
            [
              'Before',
              money.previous_budget !== null && <Money of={money.previous_budget} currency={money.currency} />,
            ],
            [
              'Would become',
              money.resulting_total !== null && <Money of={money.resulting_total} currency={money.currency} />,
            ],
            ['Media buy', <IdLink of={approval.media_buy_id} to={pageOfId('/buys', approval.media_buy_id)} />],
            ['Task', <IdLink of={approval.task_id} to={pageOfId('/tasks', approval.task_id)} />],
            ['Buyer’s reference', <Said>{approval.buyer_ref}</Said>],
            ['Decided', approval.decided_at && <Decided approval={approval} now={call.now} />],
            ['Granted', approval.granted && <Money of={approval.granted.total} currency={approval.granted.currency} />],
            ['Not covered', approval.superseded && <Said>{approval.superseded.because.join('; ')}</Said>],
            ['Since then', approval.decided_at !== null && followed(approval)],
            ['Asked before', approval.predecessor && <Round of={approval.predecessor} />],
            ['Asked again', approval.successor && <Round of={approval.successor} />],
          ]}
        />
        {facts !== undefined && (
          <>
            <h2>The buyer so far, with this</h2>
            <Facts of={facts} />
          </>
        )}
        <BuyAsItStands approval={approval} />
        <WhatChanges approval={approval} />
        <Decision call={call} approval={approval} />
        <Questions approval={approval} now={call.now} />
        <h2>The request</h2>
        <Data of={approval.request} />
      </>
    );
    return { title, body };
  },
};

/** How the buyer stands, and what it may. */
async function buyerFacts({ read, now }: PageCall, organization_id: string) {
  const params = { organization_id };
  const [standing, limits] = await Promise.all([
    read(showBuyerStanding, { params }),
    read(showBuyerLimits, { params }),
  ]);
  return [...standingFacts(standing, now), ...limitFacts(limits)];
}

function Decided({ approval, now }: { approval: ApprovalView; now: number }): Markup {
  const { decided_at, decided_by, reason, note } = approval;
  return (
    <>
      <When at={decided_at} now={now} />
      {' by '}
      <Who of={decided_by ?? 'nobody'} />
      {reason !== null && (
        <>
          {': '}
          <Said>{reason}</Said>
        </>
      )}
      {note !== null && (
        <>
          {' ('}
          <Said>{note}</Said>
          {')'}
        </>
      )}
    </>
  );
}

/** What came of it: of a change that stands as granted, where to see it. */
function followed({ acted_on, status }: ApprovalView): Markup {
  if (!acted_on) return <>the task has not acted on it yet: it does so within moments</>;
  return (
    <>
      {status === 'superseded'
        ? 'the terms were others by then, and a person is asked again'
        : 'the task has acted on it'}
    </>
  );
}

function Round({ of }: { of: string }): Markup {
  return <IdLink of={of} to={pageOfId('/approvals', of)} />;
}

/** The terms that are shown are those that are granted, by their digest. */
function Decision({ call, approval }: { call: PageCall; approval: ApprovalView }): Markup {
  const { approval_id, status, terms_now, takes_two_people, first_yes } = approval;
  if (status !== 'pending' && status !== 'asked') return <></>;
  const of = { approval_id };
  return (
    <>
      <h2>Decide</h2>
      <RoleNote call={call} role={approve.role} />
      {takes_two_people && (
        <p class="note">
          {first_yes === null
            ? 'This takes two people: the first yes leaves it open for a second.'
            : `${whoWords(first_yes.by)} has said yes; it takes a second person.`}
        </p>
      )}
      <div class="forms">
        <ActionForm call={call} operation={approve} of={of} label="Approve">
          {terms_now !== null && <input type="hidden" name="digest" value={terms_now.digest} />}
          <WordsField name="note" label="Note" hint="It may stay empty. The buyer is told it." />
        </ActionForm>
        <ActionForm call={call} operation={ask} of={of} label="Ask the buyer">
          <WordsField name="question" label="Question" hint="Their answer brings it back." isNeeded />
        </ActionForm>
        <ActionForm call={call} operation={reject} of={of} label="Reject" isFinal>
          <WordsField name="reason" label="Reason" hint="The buyer is told it. This cannot be taken back." isNeeded />
        </ActionForm>
      </div>
    </>
  );
}

function Questions({ approval: { questions }, now }: { approval: ApprovalView; now: number }): Markup {
  if (questions.length === 0) return <></>;
  return (
    <>
      <h2>Questions</h2>
      <Table
        caption="Questions to the buyer"
        rows={questions}
        empty="None."
        columns={[
          { heading: 'Asked', cell: (one) => <When at={one.asked_at} now={now} /> },
          { heading: 'By', cell: (one) => <Who of={one.asked_by} /> },
          { heading: 'Question', cell: (one) => <Said>{one.question}</Said> },
        ]}
      />
    </>
  );
}
