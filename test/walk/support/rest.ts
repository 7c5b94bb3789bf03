import { toTimestamp } from '../../../src/platform/clock.ts';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import { checkCreates, checkOrder, checkRequest } from './at-rest.ts';
import { openApprovals } from './seller-steps.ts';
import { isOver } from './task-rows.ts';
import { checkBook, checkDelivered, checkReports, checkServedHours, checkWebhooks } from './told.ts';
import { buysOf, hold } from './world.ts';
import type { Walk } from './world.ts';
import { owedTurns, work } from './work-steps.ts';

/** Told of what is done, in a line. */
export type Say = (line: string) => void;

/** How often everything is done, at the most, until nothing is left to do. */
const MAX_ROUNDS = 300;

/** Mends the ad server, decides what waits for a person, lets everything come to its end, and looks at all of it. */
export async function rest(one: Walk, say: Say): Promise<void> {
  const { agent, ledger, buyer } = one;
  agent.adServer.link('back', 0);
  const { controls } = agent.adServer.simulator;
  await controls.take({ refuse: null, pending_for_s: 0, lie: null, stop_before_native_write: 0 });
  while (await agent.adServer.arriveLate(0));
  for (let round = 0; round === 0 || !(await isAtRest(one)); round++) {
    if (round === MAX_ROUNDS) throw new Error(`there is no rest: ${await unrest(one)}`);
    agent.clock.advance(Math.min(5_000 * (round + 1), 300_000));
    ledger.begin(true);
    for (const { approval_id } of await openApprovals(agent.core, buyer))
      await agent.core.approvals.approve(approval_id, { by: 'ann' });
    const done = await work(agent, ledger, buyer, { do: 'all' });
    say(`     rest ${toTimestamp(agent.clock.now())}: ${done}`);
    hold(one);
  }
  for (const request of buyer.asked) checkRequest(one, request);
  for (const buy of buysOf(one)) {
    await checkOrder(one, buy);
    await checkDelivered(one, buy);
  }
  checkCreates(one);
  await checkWebhooks(one);
  hold(one);
}

async function isAtRest(one: Walk): Promise<boolean> {
  return (await unrest(one)) === '';
}

/** What is left to do, in words. */
async function unrest(one: Walk): Promise<string> {
  const { agent, ledger, buyer } = one;
  const tasks = buyer.asked.flatMap(({ task_ids }) => task_ids.flatMap((task_id) => ledger.tasks.last(task_id) ?? []));
  const left = tasks.filter((run) => !isOver(run) || run.notify_due_at !== null || run.run_due_at !== null);
  const open = buysOf(one).filter(({ stop, open_change }) => stop ?? open_change);
  const approvals = await openApprovals(agent.core, buyer);
  const owed = owedTurns(agent, ledger, buyer);
  return [
    ...left.map(({ task_id, state, run_due_at }) => `${task_id} is ${state}, due ${run_due_at ?? 'never'}`),
    ...open.map(({ media_buy_id, order_due_at }) => `${media_buy_id} waits, due ${order_due_at ?? 'never'}`),
    ...[...approvals.map(({ approval_id }) => approval_id), ...owed.map(({ task_id }) => task_id)],
  ].join('; ');
}

/** Lets all flights end, and looks at what was told of them. */
export async function runOut(one: Walk, say: Say): Promise<void> {
  const { agent } = one;
  for (let round = 0; round < 40 && buysOf(one).some(({ open }) => open); round++) {
    agent.clock.advance(6 * HOUR_MS);
    await rest(one, say);
  }
  // What is stated otherwise afterwards comes in, and the last reports go out.
  for (let hour = 0; hour < 60; hour += 6) {
    agent.clock.advance(6 * HOUR_MS);
    await rest(one, say);
  }
  for (const buy of buysOf(one)) {
    if (!one.trafficked.has(buy.media_buy_id)) {
      await checkBook(one, buy);
      await checkServedHours(one, buy);
    }
    await checkReports(one, buy);
  }
}
