import { allRows } from '../../../src/platform/store/all-rows.ts';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import { fromTimestamp, toTimestamp } from '../../../src/platform/clock.ts';
import { formatMoney } from '../../../src/platform/money.ts';
import { currentStatus } from '../../../src/runtime/task-run.ts';
import { readDelivery } from '../../../src/sales/delivery/read-delivery.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { Deliveries } from '../../../src/webhooks/delivery/delivery.ts';
import { result } from './call.ts';
import { mustHold } from './must-hold.ts';
import { checkReading } from './readings.ts';
import type { DeliveryReading } from './readings.ts';
import { isOver, TASK_MOVES } from './task-rows.ts';
import type { Walk } from './world.ts';

interface Body {
  idempotency_key: string;
  task_type: string;
  status: string;
  result?: { sequence_number?: number; notification_type?: string };
}

/** What every task and every buy of the walk has told its webhooks. */
export async function checkWebhooks({ agent, ledger, buyer }: Walk): Promise<void> {
  const deliveries = agent.store.collection(Deliveries);
  const bodies = new Map<string, string>();
  const byTask = new Map<string, Body[]>();
  const ids = [...new Set([...ledger.tasks.all().map(({ task_id }) => task_id)])];
  for (const task_id of ids) {
    for await (const { body } of allRows(deliveries, {
      where: { task_id },
      sort: { field: 'sequence', direction: 'asc' },
    })) {
      const told = JSON.parse(body) as Body;
      const known = bodies.get(told.idempotency_key) ?? body;
      mustHold(known === body, 'webhooks', () => `two bodies have the key ${told.idempotency_key}`);
      bodies.set(told.idempotency_key, body);
      byTask.set(task_id, [...(byTask.get(task_id) ?? []), told]);
    }
  }
  for (const { task_ids, input } of buyer.asked) {
    if (input['push_notification_config'] === undefined) continue;
    for (const task_id of task_ids) checkStory(ledger.tasks.last(task_id), byTask.get(task_id) ?? []);
  }
}

function checkStory(run: ReturnType<Walk['ledger']['tasks']['last']>, told: Body[]): void {
  if (run === undefined) return;
  const states = told.map(({ status }) => status);
  const how = () => `${run.task_id}, ${run.state}, tells ${states.join(', ')}`;
  const isLegal = states.every((state, i) => (TASK_MOVES[states[i - 1] ?? 'submitted'] ?? []).includes(state));
  mustHold(isLegal, 'webhooks', how);
  if (!isOver(run)) return;
  const last = told.at(-1);
  mustHold(last?.status === run.state, 'webhooks', how);
  const { data } = currentStatus(run);
  mustHold(JSON.stringify(last?.result) === JSON.stringify(data), 'webhooks', () => `${how()}, with another result`);
}

/** Reports of a buy are numbered without a gap, and the final one is the last. */
export async function checkReports({ agent }: Walk, { media_buy_id, organization_id }: MediaBuy): Promise<void> {
  const where = { organization_id, subject_id: media_buy_id };
  const reports = new Map<number, string>();
  for await (const row of allRows(agent.store.collection(Deliveries), { where })) {
    if (row.task_type !== 'media_buy_delivery') continue;
    const { result: report } = JSON.parse(row.body) as Body;
    reports.set(report?.sequence_number ?? 0, report?.notification_type ?? '');
  }
  const numbers = [...reports.keys()].sort((a, b) => a - b);
  const isWhole = numbers.every((number, i) => number === i + 1);
  mustHold(isWhole, 'reports', () => `of ${media_buy_id} are numbered ${numbers.join(', ')}`);
  const finals = numbers.filter((number) => reports.get(number) === 'final');
  const isLast = finals.length <= 1 && (finals.length === 0 || finals[0] === numbers.at(-1));
  mustHold(isLast, 'reports', () => `${finals.join(', ')} of ${numbers.length} of ${media_buy_id} are final`);
}

/** Delivery adds up, is billed within the budget, never goes back but by corrections, and is none where nothing was served. */
export async function checkDelivered(walk: Walk, buy: MediaBuy): Promise<void> {
  const { agent, ledger, delivered } = walk;
  const { media_buy_id, currency, packages } = buy;
  const input = { media_buy_id, granularity: 'hourly' };
  const told = (await result(agent.core, 'get_media_buy_delivery', input)) as unknown as DeliveryReading;
  checkReading('get_media_buy_delivery', told as never);
  for (const { package_id, spend } of told.by_package) {
    const line = packages.find((one) => one.package_id === package_id);
    const budget = formatMoney(line?.budget_minor ?? 0, currency);
    mustHold(spend <= budget, 'I7', () => `${package_id} is billed ${spend} of ${budget}`);
  }
  const { impressions } = told.delivery;
  const before = delivered.get(media_buy_id) ?? 0;
  const mayFall = told.corrections.length > 0;
  mustHold(
    impressions >= before || mayFall,
    'delivery',
    () => `${media_buy_id} falls from ${before} to ${impressions}`,
  );
  delivered.set(media_buy_id, impressions);
  const hasRun = ledger.arrivals.there(media_buy_id).some(({ state }) => state === 'running');
  mustHold(hasRun || impressions === 0, 'I11', () => `${media_buy_id} has delivered ${impressions}, and never ran`);
}

/** The book is what the ad server states now, hour by hour. */
export async function checkBook({ agent }: Walk, buy: MediaBuy): Promise<void> {
  const { media_buy_id, created_at } = buy;
  const flight = await agent.core.sales.flights.get(media_buy_id);
  const fromMs = fromTimestamp(created_at) - (fromTimestamp(created_at) % HOUR_MS);
  if (flight === undefined || buy.held == null) return;
  const untilMs = fromTimestamp(flight.recorded_until);
  if (untilMs <= fromMs) return;
  const facts = await readDelivery(agent.core.sales.facts, media_buy_id, { fromMs, untilMs }, 'hour');
  const ours = new Map<string, number>();
  for (const { package_id, fromMs: atMs, impressions } of facts) {
    if (impressions > 0) ours.set(`${package_id} ${toTimestamp(atMs)}`, impressions);
  }
  const theirs = await statedHours(agent.adServer, media_buy_id, untilMs);
  const off = [...new Set([...ours.keys(), ...theirs.keys()])].filter((key) => ours.get(key) !== theirs.get(key));
  const how = () =>
    off.slice(0, 5).map((key) => `${key}: ${ours.get(key) ?? 0} in the book, ${theirs.get(key) ?? 0} stated`);
  mustHold(off.length === 0, 'I10', () => `${media_buy_id}, ${off.length} hours: ${how().join('; ')}`);
}

/** An hour in which a line was served begins or ends while it might be: the order and the line ran, with a creative to show. */
export async function checkServedHours({ agent, ledger }: Walk, { media_buy_id, end_time }: MediaBuy): Promise<void> {
  const taken = ledger.arrivals.taken(media_buy_id);
  const spells = ledger.arrivals.there(media_buy_id).map((order) => {
    const next = taken.find(({ version }) => version > order.version);
    return { order, fromMs: order.atMs, untilMs: next?.atMs ?? Infinity };
  });
  for (const [key] of await statedHours(agent.adServer, media_buy_id, fromTimestamp(end_time) + 2 * HOUR_MS)) {
    const [package_id = '', hour = ''] = key.split(' ');
    const hourMs = fromTimestamp(hour);
    const isServed = spells.some(({ order, fromMs, untilMs }) => {
      const line = order.lines.find((one) => one.package_id === package_id);
      const isDuring = fromMs < hourMs + HOUR_MS && untilMs > hourMs;
      return isDuring && order.state === 'running' && line?.state === 'running' && line.creatives.length > 0;
    });
    mustHold(isServed, 'I11', () => `${package_id} is served at ${hour}, when it may not be`);
  }
}

/** What the ad server states of a buy from its beginning on, as impressions by package and hour; hours without any are left out. */
async function statedHours(
  { simulator }: Walk['agent']['adServer'],
  media_buy_id: string,
  untilMs: number,
): Promise<Map<string, number>> {
  const hours = new Map<string, number>();
  const query = { media_buy_ids: [media_buy_id], from: '2041-03-01T00:00:00.000Z', until: toTimestamp(untilMs) };
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const { rows, cursor: next } = await simulator.statements({ ...query, ...(cursor !== undefined && { cursor }) });
    for (const { package_id, hour, counts } of rows) {
      if (counts.impressions > 0) hours.set(`${package_id} ${hour}`, counts.impressions);
    }
    cursor = next;
  }
  return hours;
}
