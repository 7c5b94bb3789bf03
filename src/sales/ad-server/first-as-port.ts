import type { AdLine, AdOrder } from './ad-order.ts';
import type { AdServer } from './ad-server.ts';
import type { FirstAdOrder, FirstAdServer } from './first-port.ts';
import type { PutAnswer, Reason } from './put-answer.ts';

/** The part of the port that the simulator of 0.1.0 can fill: orders told by version. */
export function firstAsPort(first: FirstAdServer): Pick<AdServer, 'put' | 'describe'> {
  return {
    put: (order) => putFirst(first, order),
    describe: () => Promise.reject(new Error('the simulator of 0.1.0 does not describe itself')),
  };
}

async function putFirst(first: FirstAdServer, order: AdOrder): Promise<PutAnswer> {
  const told = firstOrder(order);
  if (order.state === 'ended') {
    await first.apply(told);
    await first.release(order.media_buy_id);
    return done(order);
  }
  const reservation = await first.reserve(told);
  if (!reservation.reserved) return refused('no_inventory', reservation.reason);
  const applied = await first.apply(told);
  return applied.applied ? done(order) : refused('budget_below_spend', applied.reason);
}

function refused(code: Reason['code'], message: string): PutAnswer {
  return { outcome: 'refused', reasons: [{ code, pointer: '', message }] };
}

function done({ media_buy_id }: AdOrder): PutAnswer {
  return { outcome: 'done', native: { order: `sim-${media_buy_id}`, lines: {}, creatives: {} }, lines: [] };
}

function firstOrder(order: AdOrder): FirstAdOrder {
  const { media_buy_id, name, version, created_at, start, end, state, lines, currency } = order;
  return {
    ...{ media_buy_id, buyer_ref: name, revision: version, created_at, state },
    ...{ start_time: start, end_time: end, lines: lines.map((line) => firstLine(line, currency)) },
  };
}

function firstLine(line: AdLine, currency: string): FirstAdOrder['lines'][number] {
  const { package_id, product_id, name, budget_minor, pricing, state, creatives, targeting, frequency_cap } = line;
  if (pricing.model === 'vcpm' || pricing.model === 'cpc' || pricing.model === 'cpcv')
    throw new Error(`no ${pricing.model}`);
  return {
    ...{ package_id, product_id, buyer_ref: name, budget_minor, currency, targeting },
    rate_minor: pricing.rate_minor,
    pricing_model: pricing.model,
    paused: state === 'paused',
    creative_ids: creatives.map(({ creative_id }) => creative_id),
    ...(frequency_cap !== undefined && { frequency_cap }),
  };
}
