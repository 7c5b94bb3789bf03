import { ResendableState } from '../../../webhooks/delivery/delivery.ts';
import type { RangeCounted } from '../../../webhooks/delivery/count-range.ts';
import type { RangeLeftOut } from '../../../webhooks/delivery/resend-ranges.ts';
import type { Child, Markup } from '../html/markup.ts';
import { ChoiceField } from './fields.tsx';
import { Facts, Table } from './table.tsx';
import { Day, Said, State, When } from './words.tsx';

const STATES: Record<ResendableState, string> = {
  exhausted: 'exhausted: tried until the end of the schedule',
  rejected: 'rejected: refused by the receiver',
  gone: 'gone: the receiver answered 410',
  delivered: 'delivered: taken, and wanted once more',
};

/** The fields that a range is counted by. */
export function RangeFields({ all }: { all: string }): Markup {
  return (
    <>
      <ChoiceField
        name="state"
        label="Webhooks that ended"
        choices={ResendableState.options.map((state) => [state, STATES[state]] as const)}
        chosen="exhausted"
      />
      <label>
        Only to the receiver
        <span class="quiet">{`Any URL there, such as https://buyer.example; empty: ${all}`}</span>
        <input type="url" name="destination" maxlength={2048} autocomplete="off" />
      </label>
      <label>
        Made from
        <span class="quiet">In UTC; empty: since they are kept</span>
        <input type="datetime-local" name="from" />
      </label>
      <label>
        Made before
        <span class="quiet">In UTC; empty: until now</span>
        <input type="datetime-local" name="until" />
      </label>
    </>
  );
}

/** What a browser's field for a time says has no zone: it is meant in UTC. Anything else is as it was. Pure. */
export function instantInUtc(given: unknown): unknown {
  if (typeof given !== 'string' || !/^[\d-]+T\d\d:\d\d(:\d\d)?$/.test(given)) return given;
  return given.length === 16 ? `${given}:00Z` : `${given}Z`;
}

interface WhichRangeProps {
  of: { state: string; destination?: string | undefined; from?: string | undefined; until?: string | undefined };
  /** Of a range without a receiver: whose all are. */
  all: string;
  /** What else it is chosen by. */
  more?: readonly (readonly [name: string, value: Child])[];
}

/** Which webhooks a range means. */
export function WhichRange({ of: { state, destination, from, until }, all, more = [] }: WhichRangeProps): Markup {
  return (
    <Facts
      of={[
        ['Ended as', <State of={state} />],
        ['Receiver', destination === undefined ? all : <Said>{destination}</Said>],
        ...more,
        ['Made from (UTC)', from === undefined ? 'since they are kept' : <Day at={from} />],
        ['Made before (UTC)', until !== undefined && <Day at={until} />],
      ]}
    />
  );
}

/** How old the webhooks of a range are, and the registrations that they are for. */
export function RangeMakeUp({ of, now }: { of: RangeCounted; now: number }): Markup {
  if (of.count === 0) return <></>;
  const { registrations, registration_count } = of;
  const counted = registrations.reduce((sum, one) => sum + one.count, 0);
  return (
    <>
      <Facts
        of={[
          ['Oldest', <When at={of.oldest_at} now={now} />],
          ['Newest', <When at={of.newest_at} now={now} />],
        ]}
      />
      <h2>{registration_count === 1 ? 'For 1 registration' : `For ${registration_count} registrations`}</h2>
      {counted < of.count && (
        <p class="quiet">{`Of the oldest alone; below are ${counted.toLocaleString('en')} of them.`}</p>
      )}
      <Table
        caption="Registrations"
        rows={registrations}
        empty="None."
        columns={[
          { heading: 'Registration', cell: (one) => <Said>{one.registration_id}</Said> },
          { heading: 'Task', cell: (one) => <span class="id">{one.task_id}</span> },
          { heading: 'URL', isWide: true, cell: (one) => <Said>{one.url}</Said> },
          { heading: 'Webhooks', isNumber: true, cell: (one) => one.count },
        ]}
      />
    </>
  );
}

/** Such as `1,000 webhooks`. Pure. */
export function countedWords(count: number): string {
  if (count === 0) return 'No webhook fits';
  return count === 1 ? '1 webhook' : `${count.toLocaleString('en')} webhooks`;
}

/** How many a range left out, and why; undefined of none. Pure. */
export function leftOutWords({ ended, not_kept, otherwise }: RangeLeftOut): string | undefined {
  const parts = [
    [ended, 'whose registration has ended'],
    [not_kept, 'kept no longer'],
    [otherwise, 'that fitted no more when their turn came, such as by being sent again otherwise'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, why]) => `${count.toLocaleString('en')} ${why}`);
  return told.length === 0 ? undefined : told.join('; ');
}
