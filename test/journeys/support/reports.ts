import { expect } from 'vitest';
import type { Json } from '../../tasks/support/calls.ts';
import type { Receiver } from '../../webhooks/support/open-receiver.ts';
import type { Received } from '../../webhooks/support/received.ts';
import { mediaBuyInput } from './buyer.ts';
import type { TestAgent } from './test-agent.ts';

/** How long the flights of these stories last, in days of their own. */
export const DAYS = 3;

/** What an agent is started with so that a day of a flight takes two seconds. */
export const QUICK_FLIGHTS = { SIM_SPEED: '43200', CREATIVE_REVIEW_SECONDS: '0', IMPAIRMENT_WINDOW_SECONDS: '1' };

/** A delivery report as it arrives in `result`. */
export interface Report {
  notification_type: string;
  sequence_number: number;
  reporting_period: { start: string; end: string };
  media_buy_deliveries: { status: string; totals: Json; by_package: Json[] }[];
}

/** A request for a buy of so many days that brings its creative. */
export function buyInput(agent: TestAgent, changes: Json): Json {
  const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[1]?.input;
  const end_time = new Date(Date.now() + DAYS * 86_400_000).toISOString();
  return { ...mediaBuyInput(agent), packages: example?.['packages'], end_time, ...changes };
}

/** Every report that arrived, each once, by its number. */
export function reportsIn(received: readonly Received[]): Report[] {
  const reports = new Map<unknown, Report>();
  for (const { body } of received) {
    if (body['task_type'] === 'media_buy_delivery') reports.set(body['idempotency_key'], body['result'] as Report);
  }
  return [...reports.values()].sort((a, b) => a.sequence_number - b.sequence_number);
}

/** Whether the last report has arrived. */
export const isOver = (receiver: Receiver) => () =>
  reportsIn(receiver.received).some(({ notification_type }) => notification_type === 'final');

/** The series has no gap and no repeat, from the first hour to the last, and ends with the whole. */
export function expectAWholeSeries(reports: readonly Report[]): Report {
  expect(reports.map(({ sequence_number }) => sequence_number)).toEqual(reports.map((_, i) => i + 1));
  const periods = reports.flatMap(({ notification_type, reporting_period }) =>
    notification_type === 'scheduled' ? [reporting_period] : [],
  );
  expect(periods.slice(1).map(({ start }) => start)).toEqual(periods.slice(0, -1).map(({ end }) => end));
  const final = reports.filter(({ notification_type }) => notification_type === 'final');
  expect(final).toEqual([reports.at(-1)]);
  expect(final[0]?.reporting_period).toEqual({ start: periods[0]?.start, end: periods.at(-1)?.end });
  const [last] = final;
  if (last === undefined) throw new Error('no final report');
  return last;
}
