import { mayAct } from '../../../directory/operator/operator.ts';
import { revokeOperatorKey } from '../../operator/people/operator-keys.ts';
import type { OperatorKeyView } from '../../operator/people/operator-keys.ts';
import { endOneSession } from '../../operator/people/sessions.ts';
import type { SessionView } from '../../session.ts';
import type { PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm, WordsField } from '../parts/action-form.tsx';
import { Table } from '../parts/table.tsx';
import { Said, State, When } from '../parts/words.tsx';

/** Who is signed in, and where from. */
export function OpenSessions({ call, sessions }: { call: PageCall; sessions: readonly SessionView[] }): Markup {
  const { now, operator } = call;
  const isThis = ({ session_id }: SessionView) =>
    operator.credential.kind === 'session' && operator.credential.id === session_id;
  return (
    <section>
      <h2>Signed in</h2>
      <Table
        caption="Sessions, newest first"
        rows={sessions}
        empty="Nobody is signed in."
        columns={[
          { heading: 'Who', isWide: true, cell: (one) => <Said>{one.name}</Said> },
          { heading: 'Since', cell: (one) => <When at={one.created_at} now={now} /> },
          { heading: 'Last seen', cell: (one) => <When at={one.last_seen_at} now={now} /> },
          { heading: 'Ends', cell: (one) => <When at={one.expires_at} now={now} /> },
          { heading: 'From', cell: (one) => <Said>{one.address}</Said> },
          {
            heading: 'Take back',
            cell: (one) =>
              isThis(one) ? (
                'this one'
              ) : (
                <ActionForm
                  call={call}
                  operation={endOneSession}
                  of={{ session_id: one.session_id }}
                  label="End"
                  isFinal
                />
              ),
          },
        ]}
      />
    </section>
  );
}

/** Keys of the operator API. */
export function OperatorKeys({
  call,
  title,
  keys,
  empty,
}: {
  call: PageCall;
  title: string;
  keys: readonly OperatorKeyView[];
  empty: string;
}): Markup {
  const { now } = call;
  return (
    <section>
      <h2>{title}</h2>
      <Table
        caption={`${title}, newest first`}
        rows={keys}
        empty={empty}
        columns={[
          { heading: 'Name', isWide: true, cell: (key) => <Said>{key.name}</Said> },
          { heading: 'Ends with', cell: (key) => <span class="id">{`…${key.key_hint}`}</span> },
          { heading: 'Role', cell: (key) => key.role },
          { heading: 'Made', cell: (key) => <When at={key.created_at} now={now} /> },
          { heading: 'By', cell: (key) => <Said>{key.created_by}</Said> },
          { heading: 'Last used', cell: (key) => <When at={key.last_used_at} now={now} /> },
          { heading: 'Expires', cell: (key) => <When at={key.expires_at} now={now} /> },
          {
            heading: 'State',
            cell: (key) => (
              <>
                <State of={stateOf(key, now)} />
                {key.revoked_at === null && mayAct(call.operator.role, revokeOperatorKey.role) && (
                  <Revoke call={call} of={key} />
                )}
              </>
            ),
          },
        ]}
      />
    </section>
  );
}

function Revoke({ call, of: { operator_key_id } }: { call: PageCall; of: OperatorKeyView }): Markup {
  return (
    <details>
      <summary>Revoke</summary>
      <ActionForm call={call} operation={revokeOperatorKey} of={{ operator_key_id }} label="Revoke for good" isFinal>
        <p>It opens nothing from its next request on.</p>
        <WordsField name="reason" label="Reason" isNeeded />
      </ActionForm>
    </details>
  );
}

function stateOf({ revoked_at, expires_at }: OperatorKeyView, now: number): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}
