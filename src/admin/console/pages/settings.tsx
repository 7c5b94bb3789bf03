import { examine, listSettings } from '../../operator/doctor/operations.ts';
import type { SettingView } from '../../operator/doctor/installation.ts';
import type { ConsolePage } from '../console-page.ts';
import type { Markup } from '../html/markup.ts';
import { Facts, Table } from '../parts/table.tsx';
import { Said, State } from '../parts/words.tsx';

/** What the installation was told, and how it is. */
export const settingsPage: ConsolePage = {
  path: '/settings',
  menu: 'Settings',
  async show({ read }) {
    const [{ findings }, { settings, versions }] = await Promise.all([read(examine), read(listSettings)]);
    const given = settings.filter(({ is_set }) => is_set);
    const body = (
      <>
        <h1>Settings</h1>
        <h2>How it is</h2>
        <Table
          caption="What was found, the worst first"
          rows={findings}
          empty="Nothing was looked at."
          columns={[
            { heading: 'Part', cell: (one) => one.part },
            { heading: 'State', cell: (one) => <State of={one.level} /> },
            { heading: 'Found', isWide: true, cell: (one) => <Said>{one.found}</Said> },
            { heading: 'To do', isWide: true, cell: (one) => <Said>{one.advice}</Said> },
          ]}
        />
        <p>
          {'Stored rows that this release cannot read stand among the '}
          <a href="/admin/set-aside">rows set aside</a>.
        </p>
        <h2>What runs</h2>
        <Facts of={Object.entries(versions).map(([name, version]) => [name, <Said>{version}</Said>] as const)} />
        <h2>What it was told</h2>
        <p class="quiet">Settings are the environment of the processes: change them there, and start anew.</p>
        <Table
          caption="Settings that are set"
          rows={given}
          empty="Nothing is set; all defaults hold."
          columns={[
            { heading: 'Setting', cell: (one) => <span class="id">{one.name}</span> },
            { heading: 'Value', isWide: true, cell: valueOf },
            { heading: 'What it does', isWide: true, cell: (one) => one.about },
          ]}
        />
        <details>
          <summary>{`All others (${settings.length - given.length}), which are as they are by default`}</summary>
          <Table
            caption="Settings that are not set"
            rows={settings.filter(({ is_set }) => !is_set)}
            empty="There are none."
            columns={[
              { heading: 'Setting', cell: (one) => <span class="id">{one.name}</span> },
              { heading: 'What it does', isWide: true, cell: (one) => one.about },
            ]}
          />
        </details>
      </>
    );
    return { title: 'Settings', body };
  },
};

function valueOf({ value, is_secret }: SettingView): Markup {
  return is_secret ? <span class="quiet">secret, set</span> : <Said>{value}</Said>;
}
