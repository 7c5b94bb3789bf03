import { Command, Option } from 'commander';
import { showStats } from '../../admin/operator/stats/operations.ts';
import type { StatPointView, TurnoverView } from '../../admin/operator/stats/operations.ts';
import { STAT_RANGES } from '../../platform/stats/read-stats.ts';
import type { StatRange } from '../../platform/stats/read-stats.ts';
import { shownAmount } from '../../platform/money.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

/** `stats`: how many tasks and webhooks ended, step by step, and money by day; steps and days in which there was nothing are left out. */
export function statsCommand(run: Run): Command {
  const range = new Option('--range <range>', 'how far back').choices(STAT_RANGES).default('hour');
  return run(new Command('stats').description(showStats.summary).addOption(range), {
    ask: (client, _args, { range }: { range: StatRange }) => client.call(showStats, { query: { range } }),
    rows: ({ points }) => points,
    show: ({ points, money }) =>
      [
        table(
          ['FROM', 'COMPLETED', 'OTHERWISE', 'WITHIN', 'DELIVERED', 'OTHERWISE', 'WITHIN', 'QUEUED'],
          points.map(lineOf).filter((line) => line.slice(1).some((cell) => cell !== '0' && cell !== '')),
        ),
        ...(money.length === 0 ? [] : [table(['DAY', 'BOOKED', 'DELIVERED'], money.flatMap(moneyLines))]),
      ].join('\n'),
  });
}

function moneyLines({ currency, days }: TurnoverView): string[][] {
  return days
    .filter(({ booked = 0, delivered = 0 }) => booked !== 0 || delivered !== 0)
    .map(({ day, booked, delivered }) => [day, said(booked, currency), said(delivered, currency)]);
}

function said(amount: number | undefined, currency: string): string {
  return amount === undefined ? 'not summed yet' : shownAmount(amount, currency);
}

function lineOf(point: StatPointView): string[] {
  const { tasks, deliveries } = point;
  return [
    point.at.slice(0, 16).replace('T', ' '),
    ...[String(tasks.completed), String(sum(tasks) - tasks.completed), seconds(point.task_p95_seconds)],
    ...[
      String(deliveries.delivered),
      String(sum(deliveries) - deliveries.delivered),
      seconds(point.delivery_p95_seconds),
    ],
    String(point.queued),
  ];
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, one) => all + one, 0);
}

function seconds(p95: number | undefined): string {
  return p95 === undefined ? '' : `${p95} s`;
}
