import type { TestOutcome } from '../../../webhooks/buyer/test-event.ts';
import type { Markup } from '../html/markup.ts';
import { Advice } from './advice.tsx';
import { Facts, Table } from './table.tsx';
import { Said, State } from './words.tsx';

interface TestedEventProps {
  of: TestOutcome;
  /** How the receiver is called. */
  receiver: string;
}

/** What happened to a test event, phase by phase: what the seller and its buyer see alike. */
export function TestedEvent({ of: outcome, receiver }: TestedEventProps): Markup {
  const { delivered, http_status_code, error_message, status, advice, phases, total_ms } = outcome;
  return (
    <>
      <h1>{`${receiver} ${delivered ? 'took' : 'did not take'} the test event`}</h1>
      <Advice of={advice} />
      <Facts
        of={[
          ['Outcome', <State of={status} />],
          ['Answer', [http_status_code, error_message].filter((part) => part !== undefined).join(' ')],
          ['Refused since', outcome.signature_error],
          ['Address', <Said>{outcome.url}</Said>],
          ['Connected to', outcome.address],
          ['Proved by', outcome.mode],
          ['Key', outcome.kid],
          ['Operation', <Said>{outcome.operation_id}</Said>],
          ['In all', total_ms !== null && `${Math.round(total_ms)} ms`],
        ]}
      />
      <h2>Phase by phase</h2>
      <Table
        caption="Phases"
        rows={phases}
        empty="Nothing was sent."
        columns={[
          { heading: 'Phase', cell: (one) => one.phase },
          { heading: 'Outcome', cell: (one) => <State of={one.outcome} /> },
          { heading: 'Took', isNumber: true, cell: (one) => (one.ms === null ? '' : `${Math.round(one.ms)} ms`) },
        ]}
      />
    </>
  );
}
