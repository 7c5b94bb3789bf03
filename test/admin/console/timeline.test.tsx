import { describe, expect, it } from 'vitest';
import { tookInAll, waitingColumns } from '../../../src/admin/console/parts/task-columns.tsx';
import { barsOf, passagesOf } from '../../../src/admin/console/parts/task-passages.ts';
import type { Passage } from '../../../src/admin/console/parts/task-passages.ts';
import { Timeline, tookOf } from '../../../src/admin/console/parts/timeline.tsx';
import type { TaskInFullView } from '../../../src/admin/operator/tasks/operations.ts';
import type { DeliveryView } from '../../../src/webhooks/operator.ts';
import { organizationId, taskId } from '../../support/ids.ts';

/** An instant of one hour. */
const at = (minutes: number, seconds = 0) => new Date(Date.UTC(2030, 0, 1, 12, minutes, seconds)).toISOString();
const NOW = Date.parse(at(59));

const TASK: TaskInFullView = {
  ...{
    task_id: taskId('task_1'),
    task_type: 'create_media_buy',
    state: 'working',
    faults: 0,
    organization_id: 'org_1',
  },
  ...{ created_at: at(0), updated_at: at(0), message: '', principal_id: 'p', context_id: 'c', idempotency_key: null },
  ...{ input: {}, committed_at: null, fault_log: [], approvals: [], events: [] },
};

const event = (sequence: number, when: string, state?: TaskInFullView['state']) => ({
  ...{ sequence, at: when, message: `message ${sequence}` },
  ...(state && { state }),
});

const delivery = (n: number, created_at: string, more: Partial<DeliveryView>): DeliveryView => ({
  ...{ delivery_id: `dlv_${n}`, revision: 1, idempotency_key: 'k', organization_id: organizationId('org_1') },
  ...{ task_id: 'task_1', task_type: 'create_media_buy', subject_id: null, sequence: n, event: 'working' },
  ...{ registration_id: 'reg', url: 'https://a.example/', destination: 'https://a.example', mode: 'rfc9421' },
  ...{ dialect: undefined, state: 'pending', attempts: [], next_attempt_at: null, expires_at: created_at },
  ...{ created_at, updated_at: created_at, ...more },
});

const approval = (more: Partial<TaskInFullView['approvals'][number]>): TaskInFullView['approvals'][number] => ({
  ...{ approval_id: 'apr_1', status: 'pending', requested_at: at(2), decided_at: null, questions: [] },
  ...more,
});

/** As `what from until`, in minutes. */
const told = (passages: readonly Passage[]) =>
  passages.map(({ what, at: from, until }) => [what, from.slice(14, 16), until === null ? null : until.slice(14, 16)]);

describe('[O1.pages] what a task went through', () => {
  it.each<[string, Partial<TaskInFullView>, DeliveryView[], ReturnType<typeof told>]>([
    ['one that was only asked for', {}, [], [['asked', '00', '00']]],
    [
      'states last until the next, the newest goes on, and output is between them',
      { events: [event(1, at(0), 'submitted'), event(2, at(3)), event(3, at(5), 'working')] },
      [],
      [
        ['asked', '00', '00'],
        ['state', '00', '05'],
        ['output', '03', '03'],
        ['state', '05', null],
      ],
    ],
    [
      'an end takes no time',
      { events: [event(1, at(1), 'working'), event(2, at(4), 'completed')], committed_at: at(2) },
      [],
      [
        ['asked', '00', '00'],
        ['state', '01', '04'],
        ['committed', '02', '02'],
        ['state', '04', '04'],
      ],
    ],
    [
      'waits for people, with an answer, without one, and without one for good',
      {
        approvals: [
          approval({
            ...{ status: 'superseded', decided_at: at(6) },
            questions: [
              { asked_at: at(3), answered_at: at(4) },
              { asked_at: at(5), answered_at: null },
            ],
          }),
          approval({
            approval_id: 'apr_1_2',
            status: 'asked',
            requested_at: at(7),
            questions: [{ asked_at: at(8), answered_at: null }],
          }),
        ],
      },
      [],
      [
        ['asked', '00', '00'],
        ['approval', '02', '06'],
        ['question', '03', '04'],
        ['question', '05', '05'],
        ['approval', '07', null],
        ['question', '08', null],
      ],
    ],
    [
      'webhooks from when they were made until they are over',
      {},
      [
        delivery(2, at(3), {}),
        delivery(1, at(1), { state: 'delivered', updated_at: at(2) }),
        delivery(3, at(4), { state: 'exhausted', updated_at: at(9) }),
      ],
      [
        ['asked', '00', '00'],
        ['webhook', '01', '02'],
        ['webhook', '03', null],
        ['webhook', '04', '09'],
      ],
    ],
  ])('%s', (_what, task, deliveries, expected) => {
    expect(told(passagesOf({ ...TASK, ...task }, deliveries))).toEqual(expected);
  });
});

describe('[O1.pages] bars', () => {
  const passage = (from: string, until: string | null): Passage => ({ what: 'state', at: from, until, words: '' });
  it.each<[string, [string, string | null][], [number, number][]]>([
    ['none', [], []],
    ['a moment alone can be seen', [[at(0), at(0)]], [[0, 8]]],
    [
      'are on one scale from the first instant to the last',
      [
        [at(0), at(10)],
        [at(5), at(10)],
        [at(10), at(10)],
      ],
      [
        [0, 1000],
        [500, 500],
        [992, 8],
      ],
    ],
    [
      'go to now where something goes on',
      [
        [at(39), at(49)],
        [at(49), null],
      ],
      [
        [0, 500],
        [500, 500],
      ],
    ],
    [
      'end no earlier than they begin, by whatever clock',
      [
        [at(5), at(4)],
        [at(0), at(10)],
      ],
      [
        [500, 8],
        [0, 1000],
      ],
    ],
  ])('%s', (_what, spans, expected) => {
    const bars = barsOf(
      spans.map(([from, until]) => passage(from, until)),
      NOW,
    );
    expect(bars.map(({ from, length }) => [from, length])).toEqual(expected);
  });

  it.each([
    [at(0), ''],
    [new Date(Date.parse(at(0)) + 25).toISOString(), '25 ms'],
    [at(0, 59), '59.0 s'],
    [at(1, 5), '1 min 5 s'],
    [at(61), '1 h 1 min'],
    [at(60 * 49), '2 days 1 h'],
  ])('until %s took %j', (until, words) => {
    expect(tookOf(at(0), until)).toBe(words);
  });
});

describe('[O1.pages] a task in a list', () => {
  it('says how long it took in all once it is over, and before that it goes on', () => {
    const took = [undefined, at(0), at(1, 5)].map((ended_at) => tookInAll({ ...TASK, ...(ended_at && { ended_at }) }));
    expect(took).toEqual(['goes on', 'no time', '1 min 5 s']);
  });

  it('says whom it waits for and since when it is owed a turn, in columns that are there where one of the list does', () => {
    const columns = (...rows: Partial<TaskInFullView>[]) =>
      waitingColumns(
        rows.map((row) => ({ ...TASK, ...row })),
        NOW,
      );
    const headings = (...rows: Partial<TaskInFullView>[]) => columns(...rows).map(({ heading }) => heading);
    expect(headings({}, {})).toEqual([]);
    expect(headings({}, { waits_for: 'ad_server' })).toEqual(['Waits for']);
    expect(headings({ owed_since: at(57) })).toEqual(['Owed a turn since']);
    const both = { ...TASK, waits_for: 'ad_server', owed_since: at(57) } as const;
    const cells = columns(both).map(({ cell }) => String(cell(both)).replaceAll(/<[^>]*>/g, ''));
    expect(cells).toEqual(['ad server', '2 minutes ago']);
  });
});

describe('[O1.pages] the timeline of a task with 4 faults in 2 turns and 3 webhooks', () => {
  const task: TaskInFullView = {
    ...TASK,
    events: [event(1, at(0), 'submitted'), event(2, at(10), 'working'), event(3, at(40), 'failed')],
    fault_log: [1, 1, 2, 2].map((turn, i) => ({
      ...{ at: at(12 + 2 * i), turn, message: `<fault ${i}>`, error_id: `err_${i}` },
    })),
  };
  const deliveries = [
    delivery(1, at(1), { state: 'delivered', updated_at: at(13) }),
    delivery(2, at(11), { state: 'rejected', updated_at: at(11, 30) }),
    delivery(3, at(41), { state: 'pending' }),
  ];
  const html = String(<Timeline passages={passagesOf(task, deliveries)} now={NOW} />);

  it('has all in order, in words', () => {
    const rows = (html.match(/<tr[^]*?<\/tr>/g) ?? []).slice(1).map((row) => {
      const [when = '', ...cells] = (row.match(/<td[^]*?<\/td>/g) ?? []).map((cell) => cell.replaceAll(/<[^>]*>/g, ''));
      return [when.slice(14), ...cells.slice(0, -1)]
        .join(' | ')
        .replaceAll(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
    });
    expect(rows).toEqual([
      '00:00 | Asked |  | the buyer asked | ',
      '00:00 | State | submitted | 1. message 1 | 10 min 0 s',
      '01:00 | Webhook | delivered | working, to https://a.example: 0 attempts | 12 min 0 s',
      '10:00 | State | working | 2. message 2 | 30 min 0 s',
      '11:00 | Webhook | rejected | working, to https://a.example: 0 attempts | 30.0 s',
      '12:00 | Fault |  | turn 1: <fault 0> | ',
      '14:00 | Fault |  | turn 1: <fault 1> | ',
      '16:00 | Fault |  | turn 2: <fault 2> | ',
      '18:00 | Fault |  | turn 2: <fault 3> | ',
      '40:00 | State | failed | 3. message 3 | ',
      '41:00 | Webhook | pending | working, to https://a.example: 0 attempts | goes on',
    ]);
  });

  it('has a bar for each, without a style of its own, and what went wrong is marked', () => {
    const kinds = [...html.matchAll(/<rect class="(bar[^"]*)"/g)].map(([, kind]) => kind);
    expect(kinds).toEqual(['bar', 'bar', 'bar', 'bar', 'bar bad', ...Array<string>(5).fill('bar bad'), 'bar']);
    expect(html).not.toMatch(/\sstyle=/);
    expect(html).toContain('<a href="/admin/webhooks/dlv_2">');
  });
});
