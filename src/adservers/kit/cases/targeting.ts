import type { AdLine, AdOrder } from '../../../sales/ad-server/ad-order.ts';
import type { CaseDefinition } from '../kit-case.ts';
import { demand, demandEqual } from '../demand.ts';
import { priced, sealed, withLine } from '../sample-order.ts';
import type { Stage } from '../stage.ts';

type Axis = keyof AdLine['targeting'];

/** A value of each axis, where an ad server takes all of them. */
const VALUES: Record<Axis, string> = {
  countries: 'US',
  regions: 'US-NY',
  metros: 'nielsen_dma:501',
  postal: 'us_zip:10001',
  devices: 'desktop',
  languages: 'en',
  audiences: 'kit_audience',
  topics: 'kit_topic',
  dayparts: 'mon-fri 06:00-10:00 Europe/Berlin',
  key_values: 'kit=1',
};
/** A value of a system, or of a set, that nobody has. */
const UNHEARD: Partial<Record<Axis, string>> = { metros: 'kit_system:1', postal: 'kit_system:1' };

const CAP_UNITS = ['minute', 'hour', 'day', 'week', 'month', 'lifetime'] as const;
const PACINGS = ['even', 'asap', 'front_loaded'] as const;
const MODELS = ['cpm', 'cpm-auction', 'flat-fee', 'vcpm', 'cpc', 'cpcv'] as const;

/** What narrows a line arrives, or is refused: cases 33 and 34. */
export const TARGETING_CASES: readonly CaseDefinition[] = [
  {
    number: 33,
    name: 'each axis of targeting arrives, or is refused',
    alsoUses: ['look'],
    async run(stage) {
      for (const axis of Object.keys(VALUES) as Axis[]) {
        const described = stage.description.targeting[axis];
        const value = valueOf(axis, described);
        for (const side of ['any', 'none'] as const) {
          const targeting = { [axis]: { [side]: [value] } };
          await demandArrives(stage, { targeting }, described !== undefined, 'targeting');
        }
        if (described === true || described === undefined) continue;
        const targeting = { [axis]: { any: [UNHEARD[axis] ?? 'kit_value_of_nobody'] } };
        await demandArrives(stage, { targeting }, false, 'targeting');
      }
    },
  },
  {
    number: 34,
    name: 'each unit of frequency caps, daily cap, pacing and price arrives, or is refused',
    alsoUses: ['look'],
    async run(stage) {
      const { cap_units, daily_cap, pacing, pricing } = stage.description;
      for (const unit of CAP_UNITS) {
        const frequency_cap = { max: 3, per: 1, unit };
        await demandArrives(stage, { frequency_cap }, cap_units.includes(unit), 'frequency_cap');
      }
      await demandArrives(stage, { daily_cap_minor: 10_000 }, daily_cap, 'daily_cap_minor');
      for (const pace of PACINGS) await demandArrives(stage, { pacing: pace }, pacing.includes(pace), 'pacing');
      for (const model of MODELS) {
        const sold = pricing.find((entry) => entry.model === model);
        const delivery_type = sold?.delivery_types.includes('guaranteed') === false ? 'non_guaranteed' : 'guaranteed';
        const rate_minor = model === 'flat-fee' ? 100_000 : 500;
        await demandArrives(stage, { delivery_type, pricing: { model, rate_minor } }, sold !== undefined);
      }
    },
  },
];

/** What to aim at on an axis: any value, or one of the described systems or values. */
function valueOf(axis: Axis, described: true | string[] | undefined): string {
  const [first] = Array.isArray(described) ? described : [];
  if (first === undefined) return VALUES[axis];
  return (axis === 'metros' || axis === 'postal') && !first.includes(':') ? `${first}:501` : first;
}

/**
 * Puts a held order whose line differs so. What is described is to hold as it was put; what is not is to be refused, at its
 * place and by check, too, and to leave nothing behind (P8).
 */
async function demandArrives(
  stage: Stage,
  changes: Partial<AdLine>,
  isDescribed: boolean,
  looked?: 'targeting' | 'frequency_cap' | 'pacing' | 'daily_cap_minor',
): Promise<void> {
  const order = changedLine(await stage.newOrder({ changes: { state: 'held' } }), changes);
  const asked = JSON.stringify(changes);
  const foretold = await stage.adServer.check(order);
  const answer = await stage.putDecided(order);
  if (!isDescribed) {
    demand(answer.outcome === 'refused', 'P8', `${asked} refused, since it is not described`, answer);
    demand(foretold.outcome !== 'done', 'P8', `check not to promise ${asked}`, foretold);
    const isPlaced = answer.reasons.some(({ pointer }) => pointer.startsWith('/lines/0'));
    demand(isPlaced, 'port', 'a reason that points to the line', answer.reasons);
    const held = await stage.adServer.read(order.media_buy_id);
    demand(!held.found || held.state === 'refused', 'P3', 'nothing of what was refused', held);
    return;
  }
  demand(answer.outcome === 'done', 'P8', `${asked} done, since it is described`, answer);
  demand(foretold.outcome !== 'refused', 'port', `check not to refuse ${asked}`, foretold);
  await stage.holds(order, 'P8');
  const [line] = order.lines;
  if (stage.world.look === undefined || looked === undefined || line === undefined) return;
  const there = await stage.world.look(order.media_buy_id, line.package_id);
  demandEqual(there[looked], line[looked], 'P8', `${looked} in the ad server itself as it was put`);
}

function changedLine(order: AdOrder, changes: Partial<AdLine>): AdOrder {
  const { lines } = withLine(order, 0, changes);
  return sealed({ ...order, lines: lines.map((line) => priced(line, line.pricing, line.budget_minor)) }, 1);
}
