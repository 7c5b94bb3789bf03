import { mayAct } from '../../../directory/operator/operator.ts';
import { AppError } from '../../../platform/errors.ts';
import { endOneRegistration, listRegistrations, testOneRegistration } from '../../operator/webhooks/registrations.ts';
import type { RegistrationView } from '../../operator/webhooks/registrations.ts';
import type { PageCall } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { channelWords } from '../parts/channel-words.ts';
import { Table } from '../parts/table.tsx';
import { Said, State, When } from '../parts/words.tsx';

/** Where a task's news goes, a test event there, and how that is ended; nothing of a task that has been forgotten. */
export async function registrationsTable(call: PageCall, task_id: string): Promise<Markup> {
  const registrations = await readRegistrations(call, task_id);
  if (registrations === undefined) return <></>;
  return (
    <section>
      <h2>Where this task’s news goes</h2>
      <Table
        caption="Registrations"
        rows={registrations}
        empty="Nowhere: none is registered."
        columns={[
          { heading: 'Address', isWide: true, cell: (one) => <Said>{one.url}</Said> },
          { heading: 'Registered by', cell: (one) => channelWords(one.channel) },
          { heading: 'Proved by', cell: (one) => one.mode },
          { heading: 'Operation', cell: (one) => <Said>{one.operation_id}</Said> },
          { heading: 'Since', cell: (one) => <When at={one.created_at} now={call.now} /> },
          {
            heading: 'State',
            cell: (one) => (
              <>
                <State of={one.ended_at === null ? 'active' : 'ended'} />
                {one.ended_at !== null && (
                  <>
                    {' '}
                    <When at={one.ended_at} now={call.now} />
                  </>
                )}
                {one.ended_at === null && mayAct(call.operator.role, endOneRegistration.role) && (
                  <>
                    <Test call={call} of={one} />
                    <End call={call} of={one} />
                  </>
                )}
              </>
            ),
          },
        ]}
      />
    </section>
  );
}

interface OneProps {
  call: PageCall;
  of: RegistrationView;
}

function Test({ call, of: { task_id, registration_id } }: OneProps): Markup {
  return (
    <details>
      <summary>Try</summary>
      <ActionForm
        call={call}
        operation={testOneRegistration}
        of={{ task_id, registration_id }}
        label="Send a test event"
      >
        <p>
          A signed event that means nothing, proved as this registration has it. Counts among its buyer’s 60 an hour.
        </p>
      </ActionForm>
    </details>
  );
}

function End({ call, of: { task_id, registration_id } }: OneProps): Markup {
  return (
    <details>
      <summary>End</summary>
      <ActionForm
        call={call}
        operation={endOneRegistration}
        of={{ task_id, registration_id }}
        label="End for good"
        isFinal
      >
        <p>Nothing more of this task is sent there, and what is pending ends. The buyer can register again.</p>
      </ActionForm>
    </details>
  );
}

async function readRegistrations(call: PageCall, task_id: string): Promise<RegistrationView[] | undefined> {
  try {
    return (await call.read(listRegistrations, { query: { task_id } })).registrations;
  } catch (error) {
    if (error instanceof AppError && error.code === 'TASK_NOT_FOUND') return undefined;
    throw error;
  }
}
