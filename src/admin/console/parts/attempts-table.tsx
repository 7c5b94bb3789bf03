import type { Attempt } from '../../../webhooks/delivery/delivery.ts';
import type { Markup } from '../html/markup.ts';
import { Table } from './table.tsx';
import { Said, State, WholeId, When } from './words.tsx';

/** Every attempt of a webhook, phase by phase: what the seller and its buyer see alike. */
export function AttemptsTable({ attempts, now }: { attempts: readonly Attempt[]; now: number }): Markup {
  return (
    <Table
      caption="Attempts, oldest first"
      rows={attempts}
      empty="None yet."
      columns={[
        { heading: '#', isNumber: true, cell: (one) => one.attempt },
        { heading: 'When', cell: (one) => <When at={one.started_at} now={now} /> },
        { heading: 'Outcome', cell: (one) => <State of={one.status} /> },
        { heading: 'Status', isNumber: true, cell: (one) => one.http_status_code },
        { heading: 'Why', isWide: true, cell: (one) => <Said>{one.signature_error ?? one.error_message}</Said> },
        { heading: 'Connected to', cell: (one) => <Said>{one.address}</Said> },
        { heading: 'DNS', isNumber: true, cell: (one) => ms(one.timings?.dns_ms) },
        { heading: 'Connection', isNumber: true, cell: (one) => ms(one.timings?.connect_ms) },
        { heading: 'TLS', isNumber: true, cell: (one) => ms(one.timings?.tls_ms) },
        { heading: 'First byte', isNumber: true, cell: (one) => ms(one.timings?.first_byte_ms) },
        { heading: 'Total', isNumber: true, cell: (one) => ms(one.timings?.total_ms) },
        { heading: 'Key', cell: (one) => <WholeId of={one.kid} /> },
      ]}
    />
  );
}

function ms(time: number | undefined): string {
  return time === undefined ? '' : `${Math.round(time)} ms`;
}
