import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import type { AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import { creativeKey } from '../../../src/sales/creative/creative.ts';
import { mediaBuyIdOf } from '../../../src/tasks/create-media-buy/new-media-buy.ts';
import type { AskedFor } from './buyer-steps.ts';
import { mustHold } from './must-hold.ts';
import { isOver } from './task-rows.ts';
import type { Walk } from './world.ts';

const DAY_MS = 86_400_000;
const isTerminal = (status: MediaBuy['status']) => ['completed', 'canceled', 'rejected'].includes(status);

/** What a request has come to: each of its tasks is over with all of its effect or none, and one of a day has an effect. */
export function checkRequest({ ledger }: Walk, { task_type, input, task_ids }: AskedFor): void {
  let lastMs = -Infinity;
  for (const task_id of task_ids) {
    const run = ledger.tasks.last(task_id);
    mustHold(
      run !== undefined && isOver(run),
      'T1',
      () => `${task_type} ${task_id} never ends, ${run?.state ?? 'gone'}`,
    );
    if (run === undefined) continue;
    const isUnknown = JSON.stringify(run.events.at(-1)).includes('"effect":"unknown"');
    if (run.state === 'completed') {
      const atMs = Date.parse(run.created_at);
      mustHold(atMs - lastMs >= DAY_MS, 'I4', () => `${String(input['idempotency_key'])} takes effect twice`);
      lastMs = Date.parse(run.updated_at);
    }
    if (task_type === 'update_media_buy' && !isUnknown) {
      const buy = ledger.buys.last(String(input['media_buy_id']));
      const has = buy?.history.some((event) => event.task_id === task_id && event.affected_packages) === true;
      const isDone = run.state === 'completed';
      mustHold(
        has === isDone,
        isDone ? 'I2' : 'I3',
        () => `${task_id} is ${run.state}, and ${has ? 'has' : 'has no'} effect`,
      );
    }
    if (task_type !== 'create_media_buy' || run.state === 'completed') continue;
    const buy = ledger.buys.last(mediaBuyIdOf(task_id));
    mustHold(
      buy === undefined || isTerminal(buy.status),
      'I3',
      () => `${task_id} is ${run.state}, its buy ${buy?.status ?? ''}`,
    );
    const ran = ledger.arrivals.taken(mediaBuyIdOf(task_id)).some(({ state }) => state === 'running');
    mustHold(!ran || run.state === 'failed', 'I1', () => `${task_id} is ${run.state}, and its order has run`);
  }
}

/** The buy and the ad server agree, now that nothing is open. */
export async function checkOrder({ agent, ledger, trafficked }: Walk, buy: MediaBuy): Promise<void> {
  const { media_buy_id: id, status } = buy;
  const held = await agent.adServer.simulator.read(id);
  mustHold(!buy.stop && !buy.open_change, 'I6', () => `${id} still waits for the ad server`);
  const told = ledger.arrivals.taken(id).at(-1);
  if (buy.held == null) {
    mustHold(
      !held.found || held.state === 'ended',
      'I6',
      () => `${id} holds nothing, there it is ${JSON.stringify(held)}`,
    );
    return;
  }
  mustHold(
    told?.version === buy.held.version,
    'I6',
    () => `${id} is ${buy.held?.version ?? 0}, there ${told?.version ?? 0}`,
  );
  if (told === undefined) return;
  mustHold(held.found && held.version === told.version, 'I6', () => `${id}: there is ${JSON.stringify(held)}`);
  if (isTerminal(status)) {
    mustHold(told.state === 'ended', 'I6', () => `${id} is ${status}, there ${told.state}`);
    return;
  }
  const isRefused = (buy.refused_digest ?? null) !== null;
  if (isRefused) return;
  const mayBe = { active: ['running'], paused: ['paused'] }[status as 'active' | 'paused'] as string[] | undefined;
  mustHold((mayBe ?? ['held', 'running']).includes(told.state), 'I6', () => `${id} is ${status}, there ${told.state}`);
  await checkLines(agent, buy, told);
  if (trafficked.has(id)) return;
  const differences = held.found ? held.differences : [];
  mustHold(differences.length === 0, 'I6', () => `${id} differs there: ${JSON.stringify(differences)}`);
}

/** What the ad server was told last of each line is what the buy says of its package. */
async function checkLines({ core }: Walk['agent'], buy: MediaBuy, told: AdOrder): Promise<void> {
  const ids = [...new Set(buy.packages.flatMap(({ creative_ids }) => creative_ids))];
  const rows =
    ids.length === 0 ? [] : await core.sales.creatives.getMany(ids.map((id) => creativeKey(buy.organization_id, id)));
  const approved = new Map(
    rows.flatMap((row) => (row.status === 'approved' ? [[row.creative_id, row.version] as const] : [])),
  );
  for (const line of buy.packages) {
    const there = told.lines.find(({ package_id }) => package_id === line.package_id);
    const asked = (line.targeting_overlay?.['geo'] as { countries?: string[] } | undefined)?.countries;
    const any = there?.targeting.countries?.any;
    const isWider = asked !== undefined && !(any ?? ['everywhere']).every((country) => asked.includes(country));
    mustHold(
      !isWider,
      'I11',
      () => `${line.package_id} asks for ${JSON.stringify(asked)}, there ${JSON.stringify(any)}`,
    );
    const ours = {
      ...{
        budget: line.budget_minor,
        state: line.paused ? 'paused' : 'running',
        start: buy.start_time,
        end: buy.end_time,
      },
      creatives: line.creative_ids.flatMap((id) => (approved.has(id) ? [`${id}@${approved.get(id) ?? 0}`] : [])),
    };
    const theirs = there && {
      ...{ budget: there.budget_minor, state: there.state, start: there.start, end: there.end },
      creatives: there.creatives.map(({ creative_id, version }) => `${creative_id}@${version}`),
    };
    const same = JSON.stringify(ours) === JSON.stringify(theirs);
    mustHold(same, 'I6', () => `${line.package_id} is ${JSON.stringify(ours)}, there ${JSON.stringify(theirs)}`);
  }
}

/** One native order a buy, one native line a package. */
export function checkCreates({ agent }: Walk): void {
  const seen = new Set<string>();
  for (const { kind, media_buy_id, package_id } of agent.adServer.simulator.controls.calls().native_writes) {
    if (kind !== 'create_order' && kind !== 'create_line') continue;
    const name = [kind, media_buy_id, package_id].join(' ');
    mustHold(!seen.has(name), 'I9', () => `twice: ${name}`);
    seen.add(name);
  }
}
