import { Broken } from '../../../sales/ad-server/faults.ts';
import type { AdOrder } from '../../../sales/ad-server/ad-order.ts';
import type { PutAnswer, Reason } from '../../../sales/ad-server/put-answer.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { RuleBroken, demand, demandEqual } from '../demand.ts';
import type { PortRule } from '../demand.ts';
import { nextVersion, sealed, withLine } from '../sample-order.ts';
import type { Stage } from '../stage.ts';
import { createdOf, demandMadeOnce } from '../writes.ts';

/** What an order is to be, and by which version: cases 1 to 11. */
export const VERSION_CASES: readonly CaseDefinition[] = [
  {
    number: 1,
    name: 'the description is the same whoever asks, however often',
    async run({ adServer, description, openAnother }) {
      demandEqual(await adServer.describe(), description, 'port', 'the same description again');
      demandEqual(await (await openAnother()).describe(), description, 'port', 'the same for another process');
    },
  },
  {
    number: 2,
    name: 'check writes nothing, of a new order and of a change',
    alsoUses: ['writes'],
    async run(stage) {
      const { adServer, world } = stage;
      const order = await stage.newOrder();
      await adServer.check(order);
      const held = await adServer.read(order.media_buy_id);
      demandEqual(held, { found: false }, 'port', 'check to leave no order behind');
      demandEqual(createdOf(await world.writes?.(), order), [], 'port', 'check to create nothing');
      await stage.putDone(order);
      await adServer.check(nextVersion(order, withLine(order, 0, { state: 'paused' })));
      const { lines } = await stage.holds(order, 'port');
      demand(lines[0]?.state !== 'paused', 'port', 'check of a pause to pause nothing', lines);
    },
  },
  {
    number: 3,
    name: 'what was put held is read as it was put, by another process',
    async run(stage) {
      const order = await stage.newOrder({ lines: 2, changes: { state: 'held' } });
      const { native } = await stage.putDone(order);
      const held = await stage.holds(order, 'port', await stage.openAnother());
      demandEqual(held.native.order, native.order, 'port', 'the native order that put answered');
      demandEqual(held.native.lines, native.lines, 'port', 'the native lines that put answered');
      demand(
        held.lines.every(({ by_hand }) => !by_hand),
        'port',
        'no line in a state by hand',
        held.lines,
      );
    },
  },
  {
    number: 4,
    name: 'the same version put twice is one order, with one line a package',
    alsoUses: ['writes'],
    async run(stage) {
      const order = await stage.newOrder({ lines: 2 });
      const first = await stage.putDone(order);
      const second = await stage.putDone(order);
      demandEqual(second.native, first.native, 'P1', 'the same native ids for the same version');
      await stage.holds(order, 'P1');
      await demandMadeOnce(stage, order);
    },
  },
  {
    number: 5,
    name: 'the same version put at once by two processes is one order',
    alsoUses: ['writes'],
    async run(stage) {
      const order = await stage.newOrder({ lines: 2 });
      const other = await stage.openAnother();
      const [one, two] = await Promise.all([stage.putDone(order), stage.putDone(order, other)]);
      demandEqual(two.native, one.native, 'P5', 'one order for both processes');
      const held = await stage.holds(order, 'P5');
      demandEqual(held.native.order, one.native.order, 'P5', 'the order that both were answered');
      await demandMadeOnce(stage, order);
    },
  },
  {
    number: 6,
    name: 'another order under a version that was taken is Broken',
    async run(stage) {
      const order = await stage.newOrder();
      await stage.putDone(order);
      const other = sealed({ ...order, ...withLine(order, 0, { name: 'another line' }) }, order.version);
      await demandBroken(() => stage.adServer.put(other), 'P1', 'another digest under a version that was taken');
      await stage.holds(order, 'P1');
    },
  },
  {
    number: 7,
    name: 'a lower version is stale and changes nothing',
    async run(stage) {
      const first = await stage.newOrder();
      await stage.putDone(first);
      const third = sealed({ ...first, state: 'paused' }, 3);
      await stage.putDone(third);
      const second = sealed({ ...first, ...withLine(first, 0, { name: 'late' }) }, 2);
      for (const late of [second, first]) {
        const answer = await stage.adServer.put(late);
        demandEqual(answer, { outcome: 'stale', version: 3 }, 'P2', `version ${late.version} after 3 to be stale`);
      }
      await stage.holds(third, 'P2');
    },
  },
  {
    number: 8,
    name: 'what is refused leaves the version before whole',
    needs: ['refuse'],
    alsoUses: ['writes'],
    async run(stage) {
      const order = await stage.newOrder();
      await stage.putDone(order);
      const before = await stage.holds(order, 'P3');
      await refuseNext(stage, order);
      const more = order.lines.map((line) => ({ ...line, package_id: `${line.package_id}_more` }));
      const wanted = nextVersion(order, { state: 'paused', lines: [...order.lines, ...more] });
      demandRefused(await stage.putDecided(wanted), 'P3', before.native);
      const after = await stage.holds(order, 'P3');
      demandEqual(statesOf(after), statesOf(before), 'P3', 'the lines as they were');
      await demandMadeOnce(stage, order);
    },
  },
  {
    number: 9,
    name: 'the number of what was refused is used up',
    needs: ['refuse', 'calm'],
    async run(stage) {
      const order = await stage.newOrder();
      await stage.putDone(order);
      await refuseNext(stage, order);
      const refused = nextVersion(order, withLine(order, 0, { name: 'refused' }));
      demandRefused(await stage.putDecided(refused), 'P3');
      await stage.world.calm?.();
      demandRefused(await stage.putDecided(refused), 'P1');
      const other = nextVersion(order, withLine(order, 0, { name: 'another' }));
      await demandBroken(() => stage.adServer.put(other), 'P3', 'another order under a number that was refused');
      const stale = await stage.adServer.put(order);
      demandEqual(stale, { outcome: 'stale', version: 2 }, 'P3', 'the version before the refused one to be stale now');
      await stage.holds(order, 'P3');
      const third = sealed(other, 3);
      await stage.putDone(third);
      await stage.holds(third, 'P3');
    },
  },
  {
    number: 10,
    name: 'an order that has ended is ended for good',
    async run(stage) {
      const order = await stage.newOrder();
      await stage.putDone(order);
      const ended = nextVersion(order, { state: 'ended' });
      await stage.putDone(ended);
      await stage.holds(ended, 'P6');
      for (const [version, state] of [
        [3, 'running'],
        [4, 'paused'],
        [5, 'held'],
      ] as const) {
        demandRefused(await stage.putDecided(sealed({ ...order, state }, version)), 'P6');
      }
      const held = await stage.adServer.read(order.media_buy_id);
      demand(held.found && held.state === 'ended', 'P6', 'the order to be ended', held);
      await stage.putDone(sealed(ended, 6));
    },
  },
  {
    number: 11,
    name: 'an order that was ended before it was ever put stays so: a late put makes nothing',
    alsoUses: ['writes'],
    async run(stage) {
      const late = await stage.newOrder();
      await stage.putDone(nextVersion(late, { state: 'ended' }));
      const answer = await stage.adServer.put(late);
      demandEqual(answer, { outcome: 'stale', version: 2 }, 'P2', 'a put from before the end to be stale');
      demandRefused(await stage.putDecided(sealed(late, 3)), 'P6');
      const held = await stage.adServer.read(late.media_buy_id);
      demand(!held.found || held.state === 'ended', 'P6', 'nothing, or an ended order', held);
      const made = createdOf(await stage.world.writes?.(), late);
      demand(!made.some(({ kind }) => kind === 'create_line'), 'P6', 'no line to be made', made);
    },
  },
];

async function refuseNext({ world }: Stage, { media_buy_id }: AdOrder): Promise<void> {
  const reason: Reason = { code: 'no_inventory', pointer: '/lines/0', message: 'no inventory is left in this flight' };
  await world.refuse?.({ media_buy_id, reason });
}

function demandRefused(answer: PutAnswer, rule: PortRule, native?: { order: string }): void {
  demand(answer.outcome === 'refused', rule, 'refused', answer);
  const told = answer.reasons.some(({ message }) => native !== undefined && message.includes(native.order));
  demand(!told, 'port', 'no native ids in what the buyer is shown', answer.reasons);
}

async function demandBroken(ask: () => Promise<unknown>, rule: PortRule, what: string): Promise<void> {
  let answer: unknown;
  try {
    answer = await ask();
  } catch (error) {
    if (error instanceof Broken) return;
    throw new RuleBroken(rule, `Broken for ${what}`, error, { cause: error });
  }
  throw new RuleBroken(rule, `Broken for ${what}`, answer);
}

function statesOf({ state, lines }: { state: string; lines: readonly { package_id: string; state: string }[] }) {
  return { state, lines: lines.map(({ package_id, state }) => [package_id, state]).sort() };
}
