import { MembershipRole } from '../../../directory/membership/membership.ts';
import { mayAct } from '../../../directory/operator/operator.ts';
import {
  approveRegistryJoinRequest,
  listRegistryJoinRequests,
  rejectRegistryJoinRequest,
} from '../../operator/registry/join-requests.ts';
import type { JoinRequestLine } from '../../operator/registry/join-requests.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { BuyerLink } from '../parts/buyer-of.tsx';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { ChoiceField } from '../parts/fields.tsx';
import { Pages } from '../parts/paging.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Table } from '../parts/table.tsx';
import { IdLink, pageOfId, Said, State, When } from '../parts/words.tsx';
import { RegistryTabs } from './registry-agents.tsx';

/** Who waits to join an organization, and how the seller decides where its owners do not. */
export const registryJoinRequestsPage: ConsolePage = {
  path: '/registry/join-requests',
  list: { of: listRegistryJoinRequests, rows: 'join_requests' },
  async show(call) {
    const { query, read, now } = call;
    const { organization_id } = query;
    const { join_requests, cursor } = await read(listRegistryJoinRequests, { query: { ...query } });
    const body = (
      <>
        <h1>Registry</h1>
        <RegistryTabs chosen="join requests" />
        {organization_id !== undefined && (
          <p class="note">
            {'All who asked to join one organization: '}
            <IdLink of={organization_id} to={pageOfId('/buyers', organization_id)} />
            {'. '}
            <a href="/admin/registry/join-requests">Show who waits anywhere</a>
          </p>
        )}
        <p class="quiet">
          Owners of an organization let people in. An admin does it in their place, where an organization has no owner
          or none can be reached; the reason stands on record.
        </p>
        <RoleNote call={call} role={approveRegistryJoinRequest.role} />
        <Table
          caption="Join requests"
          rows={join_requests}
          empty={
            organization_id === undefined
              ? 'Nobody waits to join an organization. People ask by the registry’s own interface.'
              : 'Nobody has asked to join it.'
          }
          columns={[
            { heading: 'Person', isWide: true, cell: (one) => <Said>{one.email}</Said> },
            { heading: 'Decide', cell: (one) => <Decide call={call} one={one} /> },
            {
              heading: 'Organization',
              isWide: true,
              cell: (one) => <BuyerLink of={one} />,
            },
            { heading: 'Has an owner', cell: (one) => (one.has_owner ? 'yes' : 'no: only you can decide') },
            { heading: 'State', cell: (one) => <State of={one.status} /> },
            { heading: 'Role', cell: (one) => one.role ?? '' },
            { heading: 'Asked', cell: (one) => <When at={one.created_at} now={now} /> },
          ]}
        />
        <Pages path="/registry/join-requests" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Join requests', body };
  },
};

function Decide({ call, one }: { call: PageCall; one: JoinRequestLine }): Markup {
  const { join_request_id, status } = one;
  if (status !== 'pending' || !mayAct(call.operator.role, approveRegistryJoinRequest.role)) return <></>;
  const reason = <WordsField name="reason" label="Reason" hint="For the record; nobody else is told." isNeeded />;
  return (
    <>
      <details>
        <summary>Let in</summary>
        <ActionForm call={call} operation={approveRegistryJoinRequest} of={{ join_request_id }} label="Let in">
          <p>
            <Said>{one.email}</Said>
            {' acts for the organization from then on, as far as the role goes.'}
          </p>
          <ChoiceField
            name="role"
            label="Role"
            choices={MembershipRole.options.map((role) => [role, role] as const)}
            chosen="member"
          />
          {reason}
        </ActionForm>
      </details>
      <details>
        <summary>Turn away</summary>
        <ActionForm
          call={call}
          operation={rejectRegistryJoinRequest}
          of={{ join_request_id }}
          label="Turn away"
          isFinal
        >
          {reason}
        </ActionForm>
      </details>
    </>
  );
}
