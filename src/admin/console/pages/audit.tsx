import { mayAct } from '../../../directory/operator/operator.ts';
import { listActions } from '../../operator/actions/operations.ts';
import type { ActionView } from '../../operator/actions/operations.ts';
import { bodyOfUndo, changedSince, undoAction } from '../../operator/actions/undo.ts';
import { actionNamed, actionNames } from '../actions.ts';
import type { ConsolePage, PageCall } from '../console-page.ts';
import type { Child, Markup } from '../html/markup.ts';
import { pageOfAction } from '../page-of-action.ts';
import { ActionForm } from '../parts/action-form.tsx';
import { differenceLines, givenLines } from '../parts/difference-lines.ts';
import { FilterBar } from '../parts/filter-bar.tsx';
import type { FilterField } from '../parts/filter-bar.tsx';
import { Pages } from '../parts/paging.tsx';
import { Table } from '../parts/table.tsx';
import type { Column } from '../parts/table.tsx';
import { State, Said, When, Who } from '../parts/words.tsx';

const FIELDS: readonly FilterField[] = [
  { name: 'by', label: 'Who', kind: 'text' },
  {
    ...{ name: 'action', label: 'What', kind: 'choice' },
    choices: actionNames().map((name) => [name, name.replaceAll(/[._]/g, ' ')] as const),
  },
  { name: 'target', label: 'To what', kind: 'text', hint: '/approvals/apr_1' },
  { name: 'since', label: 'From', kind: 'day' },
  { name: 'until', label: 'To', kind: 'day' },
];

function isFiltered(query: PageCall['query']): boolean {
  return FIELDS.some(({ name }) => query[name] !== undefined);
}

/** Who did what and when, newest first. */
export const auditPage: ConsolePage = {
  path: '/audit',
  menu: 'Record',
  list: { of: listActions, rows: 'actions' },
  async show(call) {
    const { query, read, now } = call;
    const { actions, cursor } = await read(listActions, { query });
    const body = (
      <>
        <h1>Record</h1>
        <p class="quiet">What people did here, by the console, at a terminal and by the operator API.</p>
        <p class="pages">
          <a href="/admin/audit/verification">Verify that nothing of it was altered or removed</a>
        </p>
        <FilterBar
          path="/audit"
          query={query}
          fields={FIELDS}
          note="One of who, what and to what at a time; days, of UTC, go with each."
        />
        <Table
          caption="What operators did, newest first"
          rows={actions}
          empty={isFiltered(query) ? 'Nothing on record is so.' : 'Nobody has done anything yet.'}
          columns={[
            { heading: 'When', cell: (one) => <When at={one.at} now={now} /> },
            { heading: 'Who', cell: whoOf },
            { heading: 'What', cell: (one) => one.action.replaceAll(/[._]/g, ' ') },
            { heading: 'To what', isWide: true, cell: toWhat },
            {
              ...{ heading: 'Given and changed', isWide: true },
              cell: (one) => (
                <>
                  {givenOf(one)}
                  {changeOf(one)}
                </>
              ),
            },
            { heading: 'Outcome', cell: (one) => <State of={one.outcome} /> },
            ...whyNot(actions),
            { heading: 'From', cell: (one) => <Said>{one.address}</Said> },
            { heading: 'Undo', cell: (one) => undoOf(call, one, actions) },
          ]}
        />
        <Pages path="/audit" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Record', body };
  },
};

/** Who did it, and in which role. */
function whoOf({ by, role }: ActionView): Markup {
  return (
    <>
      <Who of={by} />
      {role !== undefined && <div class="quiet">{role}</div>}
    </>
  );
}

/** What it was done to, which leads to its page. */
function toWhat(one: ActionView): Markup {
  const page = pageOfAction(one);
  if (page === undefined) return <Said>{one.target}</Said>;
  return (
    <a href={`/admin${page}`}>
      <Said>{one.target}</Said>
    </a>
  );
}

/** What was given with it, such as the reason, a line each. */
function givenOf({ input }: ActionView): Child {
  const { lines, more } = givenLines(input);
  return [
    ...lines.map(({ path, value }) => (
      <div>
        <Said>{path}</Said>: <Said>{value}</Said>
      </div>
    )),
    <AndMore count={more} />,
  ];
}

/** What differs since, a line each. */
function changeOf({ changed }: ActionView): Child {
  if (changed === undefined) return '';
  const { lines, more } = differenceLines(changed);
  return [
    ...lines.map(({ path, kind, before, after }) => (
      <div>
        <Said>{path}</Said>: {kind === 'changed' ? <Said>{before}</Said> : kind} {kind === 'changed' && '→ '}
        <Said>{kind === 'removed' ? before : after}</Said>
      </div>
    )),
    <AndMore count={more} />,
  ];
}

function AndMore({ count }: { count: number }): Markup {
  return count === 0 ? <></> : <div class="quiet">and {count} more</div>;
}

/** Where one was refused or failed, by which code; no column for nothing. */
function whyNot(actions: readonly ActionView[]): Column<ActionView>[] {
  if (actions.every(({ error_code }) => error_code === null)) return [];
  return [{ heading: 'Why not', cell: (one) => one.error_code ?? '' }];
}

/** The way to undo an action that can be undone, as far as these rows tell; of one that undid another, that it did. */
function undoOf(call: PageCall, one: ActionView, actions: readonly ActionView[]): Child {
  if (one.undo_of !== undefined) return `undoes ${one.undo_of}`;
  const opposite = actionNamed(actionNamed(one.action)?.undo ?? '');
  if (one.outcome !== 'done' || opposite === undefined || !mayAct(call.operator.role, opposite.role)) return '';
  if (changedSince(one, actions, opposite) !== undefined || bodyOfUndo(opposite, one.answer) === undefined) return '';
  return <ActionForm call={call} operation={undoAction} of={{ action_id: one.action_id }} label="Undo" />;
}
