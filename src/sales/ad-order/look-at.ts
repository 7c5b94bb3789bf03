import { toTimestamp } from '../../platform/clock.ts';
import { creativesNamed } from '../creative/creative-library.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { CourierDependencies } from './courier-dependencies.ts';
import { IN_HAND_MS } from './courier-dependencies.ts';
import type { Planning } from './open.ts';

type LookDependencies = Pick<
  CourierDependencies,
  'creatives' | 'clock' | 'flightClock' | 'ad_server_id' | 'configOf' | 'describer'
>;

/** Everything that a look at a buy needs, read now: its creatives and those of its open change. */
export async function lookAt(deps: LookDependencies, buy: MediaBuy): Promise<Planning> {
  const { creatives, clock, flightClock, ad_server_id, configOf } = deps;
  const { packages = [], new_packages = [] } = buy.open_change?.change ?? {};
  const lines = [...buy.packages, ...packages, ...new_packages];
  const refs = lines.flatMap(({ creative_ids = [] }) => creative_ids);
  const library = await creativesNamed(creatives, buy.organization_id, refs);
  const nowMs = clock.now();
  const countedMs = countedAtMs(deps, buy);
  return {
    readiness: { nowMs: flightClock.now(buy), creativeStatus: (ref) => library.get(ref)?.status },
    facts: {
      ad_server_id,
      configOf,
      approvedVersion: (ref) => {
        const creative = library.get(ref);
        return creative?.status === 'approved' ? creative.version : undefined;
      },
    },
    at: toTimestamp(nowMs),
    inHandUntil: toTimestamp(nowMs + IN_HAND_MS),
    ...(countedMs !== undefined && { countedAt: toTimestamp(Math.max(countedMs, nowMs)) }),
  };
}

/** One that has not said how it decides on a cut may do so without a look at what was spent. */
function countedAtMs({ describer, flightClock, clock }: LookDependencies, buy: MediaBuy): number | undefined {
  const known = describer.known();
  if (known?.budget_cut === 'exact') return undefined;
  const delayMs = (known?.statements.delay_minutes ?? 0) * 60_000;
  return flightClock.wallAt(buy, flightClock.at(buy, clock.now()) + delayMs);
}
