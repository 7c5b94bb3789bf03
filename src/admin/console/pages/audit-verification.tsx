import { verifyRecord } from '../../operator/actions/verify-record.ts';
import type { ConsolePage } from '../console-page.ts';
import { Facts, Table } from '../parts/table.tsx';
import { Count, Said, State, When } from '../parts/words.tsx';

/** Whether the record is as it was written. */
export const auditVerificationPage: ConsolePage = {
  path: '/audit/verification',
  async show({ read, now }) {
    const { is_whole, actions, without_hash, chains, faults } = await read(verifyRecord, {});
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/audit">Record</a>
          {' / verified'}
        </p>
        <h1>{is_whole ? 'The record is whole' : 'The record was altered'}</h1>
        <p class="quiet">
          Each row carries the hash of what its process wrote before. What a process wrote last of all can be missed in
          its log alone, where the hash of each row stands, too.
        </p>
        <Facts
          of={[
            ['Actions', <Count of={actions} />],
            ['Of earlier releases, without a hash', <Count of={without_hash} />],
            ['Processes that wrote them', <Count of={chains} />],
          ]}
        />
        <Table
          caption="What is not as it was written"
          rows={faults}
          empty="Every row is as it was written."
          columns={[
            { heading: 'What', cell: (one) => <State of={one.kind} /> },
            { heading: 'Row', cell: (one) => <Said>{one.action_id}</Said> },
            { heading: 'Written', cell: (one) => one.at !== null && <When at={one.at} now={now} /> },
            { heading: 'Found', isWide: true, cell: (one) => one.found },
          ]}
        />
      </>
    );
    return { title: 'The record verified', body };
  },
};
