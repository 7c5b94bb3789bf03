import { HOUR_MS } from '../../../platform/hours.ts';
import type { AdOrder } from '../../../sales/ad-server/ad-order.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { CannotStage, demand } from '../demand.ts';
import { sampleCreative } from '../sample-order.ts';
import type { Stage } from '../stage.ts';
import { statedOf, totalOf } from '../stated.ts';
import type { WorldAbility, WorldWrite } from '../world.ts';
import { demandMadeOnce, writesOf } from '../writes.ts';
import { changedOrder, demandStopsFirst } from './change-of-lines.ts';

type Kind = WorldWrite['kind'];

const NEEDS: readonly WorldAbility[] = ['calm', 'stopBeforeWrite', 'writes', 'deliver'];

/** A put that dies between two writes at the ad server and is asked again: cases 12 to 19. */
export const CRASH_CASES: readonly CaseDefinition[] = [
  crashOfNew(12, 'a crash after the order and before its lines', (plan) => placeOf(plan, 'create_line')),
  crashOfNew(13, 'a crash between the first line and the second', (plan) => placeOf(plan, 'create_line', 2)),
  {
    number: 14,
    name: 'a crash before a creative is uploaded leaves one creative in the end',
    needs: NEEDS,
    async run(stage) {
      const { world, description } = stage;
      if (!description.uploads_creatives) throw new CannotStage('it uploads no creatives');
      const creative = sampleCreative(description, stage.terms);
      await world.stopBeforeWrite?.(1);
      await dying(() => stage.raw.putCreative(creative));
      await stage.approvedCreative(creative);
      await stage.approvedCreative(creative);
      const made = ((await world.writes?.()) ?? []).filter(
        ({ kind, creative_id }) => kind === 'create_creative' && creative_id === creative.creative_id,
      );
      demand(made.length === 1, 'P5', 'one native creative', made);
    },
  },
  crashOfNew(15, 'a crash before a creative is put on its line', (plan) => placeOf(plan, 'associate_creative')),
  crashOfNew(16, 'a crash before the release', (plan) => placeOf(plan, 'release')),
  crashOfChange(17, 'a crash between the pause of one line and the cut of another', (plan) => placeOf(plan, 'cut')),
  crashOfChange(18, 'a crash between the cut of one line and the resumption of another', (plan) =>
    placeOf(plan, 'resume'),
  ),
  {
    number: 19,
    name: 'an answer that is lost after any one of the writes: asked again, nothing is made twice',
    needs: [...NEEDS, 'dropAnswers'],
    async run(stage) {
      const plan = await planOf(stage, await newOrder(stage));
      for (let n = 1; n <= plan.length; n += 1) {
        const order = await newOrder(stage);
        await stage.world.calm?.();
        // What dies before the next write has had no answer of this one; the last write's answer is the call's own.
        if (n < plan.length) await stage.world.stopBeforeWrite?.(n + 1);
        else await stage.world.dropAnswers?.(1);
        await dying(() => stage.raw.put(order));
        await stage.world.stopBeforeWrite?.(0);
        await stage.putDone(order);
        await stage.holds(order, 'P5', await stage.openAnother());
        await demandMadeOnce(stage, order);
      }
    },
  },
];

/** A case in which the first put of an order of two lines dies before a write. */
function crashOfNew(number: number, name: string, place: (plan: readonly Kind[]) => number): CaseDefinition {
  return {
    number,
    name: `${name}: nothing is served, and asked again it is whole, once`,
    needs: NEEDS,
    async run(stage) {
      const n = place(await planOf(stage, await newOrder(stage)));
      const order = await newOrder(stage);
      await stage.world.calm?.();
      await stage.world.stopBeforeWrite?.(n);
      await dying(() => stage.raw.put(order));
      await stage.world.stopBeforeWrite?.(0);
      const other = await stage.openAnother();
      const held = await other.read(order.media_buy_id);
      demand(!held.found || held.state !== 'running', 'P4', 'half an order not to run', held);
      await stage.pass(3 * HOUR_MS);
      const half = held.found ? await statedOf(stage, order) : [];
      demand(totalOf(half).impressions === 0, 'P4', 'half an order to serve nothing', half);
      await stage.putDone(order, other);
      await stage.holds(order, 'P5');
      await demandMadeOnce(stage, order);
    },
  };
}

/** A case in which a change of three lines dies before a write: it pauses one, cuts the next, and resumes the last. */
function crashOfChange(number: number, name: string, place: (plan: readonly Kind[]) => number): CaseDefinition {
  return {
    number,
    name: `${name}: stops come first, and asked again all of the change holds`,
    needs: NEEDS,
    async run(stage) {
      const twin = await changedOrder(stage);
      const plan = await planOf(stage, twin.change);
      demandStopsFirst(plan);
      const n = place(plan);
      const { order, change } = await changedOrder(stage);
      await stage.world.calm?.();
      await stage.world.stopBeforeWrite?.(n);
      await dying(() => stage.raw.put(change));
      await stage.world.stopBeforeWrite?.(0);
      const other = await stage.openAnother();
      const between = await other.read(order.media_buy_id);
      demand(between.found, 'P3', 'the order to be there', between);
      const resumed = between.lines.find(({ package_id }) => package_id === order.lines[2]?.package_id);
      demand(resumed?.state === 'paused', 'P4', 'the line that is resumed last to be paused still', between.lines);
      await stage.putDone(change, other);
      await stage.holds(change, 'P5');
      const states = new Map((await stage.holds(change, 'P5')).lines.map((line) => [line.package_id, line.state]));
      for (const line of change.lines) {
        const isPaused = states.get(line.package_id) === 'paused';
        demand(isPaused === (line.state === 'paused'), 'P1', `the line to be ${line.state}`, [...states]);
      }
    },
  };
}

async function newOrder(stage: Stage): Promise<AdOrder> {
  return await stage.newOrder({ lines: 2 });
}

/** The writes that a put takes, learned from a put that goes well. */
async function planOf({ world, putDone }: Stage, order: AdOrder): Promise<Kind[]> {
  await world.calm?.();
  await putDone(order);
  return writesOf(await world.writes?.(), order).map(({ kind }) => kind);
}

/** Which write, counted from 1, is the n-th of a kind. */
function placeOf(plan: readonly Kind[], kind: Kind, nth = 1): number {
  const places = plan.flatMap((written, i) => (written === kind ? [i + 1] : []));
  const place = places[nth - 1];
  if (place === undefined) throw new CannotStage(`a put writes no such thing: ${kind} in ${plan.join(', ')}`);
  return place;
}

/** Asks for what is to die on the way; whatever it throws stands for a process that is no more. */
async function dying(ask: () => Promise<unknown>): Promise<void> {
  let answer: unknown;
  try {
    answer = await ask();
  } catch {
    return;
  }
  throw new CannotStage(`the call was to die, and was answered ${JSON.stringify(answer)}`);
}
