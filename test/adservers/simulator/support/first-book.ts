import { floorHour } from '../../../../src/platform/hours.ts';
import type { AdOrder } from '../../../../src/sales/ad-server/ad-order.ts';
import type { FirstAdOrder, FirstAdServer } from '../first/first-port.ts';
import { recordDelivery } from '../../../sales/support/record-delivery.ts';
import type { DeliveryFacts } from '../../../../src/sales/delivery/delivery-facts.ts';
import { mediaBuyId } from '../../../support/ids.ts';

/** The order in the words of 0.1.0. */
export function inFirstWords(order: AdOrder): FirstAdOrder {
  const { media_buy_id, version: revision, created_at, state, currency } = order;
  return {
    ...{ media_buy_id, revision, created_at, state, buyer_ref: order.name },
    ...{ start_time: order.start, end_time: order.end },
    lines: order.lines.map(
      ({ package_id, product_id, name, budget_minor, pricing, targeting, creatives, ...line }) => ({
        ...{
          package_id,
          product_id,
          buyer_ref: name,
          budget_minor,
          currency,
          rate_minor: pricing.rate_minor,
          targeting,
        },
        pricing_model: pricing.model as 'cpm',
        paused: line.state === 'paused',
        creative_ids: creatives.map(({ creative_id }) => creative_id),
      }),
    ),
  };
}

export type Counted = Map<string, { impressions: number; clicks: number; spend_minor: number }>;

/** What 0.1.0 records of an order, hour by hour and with its corrections, looking every so often; in its facts, if given. */
export class FirstBook {
  readonly hours: Counted = new Map();
  #untilMs: number;
  readonly #server: FirstAdServer;
  readonly #id = mediaBuyId('mb_1');
  readonly #facts: DeliveryFacts | undefined;
  constructor(server: FirstAdServer, fromMs: number, facts?: DeliveryFacts) {
    this.#server = server;
    this.#facts = facts;
    this.#untilMs = floorHour(fromMs);
  }
  async look(nowMs: number): Promise<void> {
    const report = await this.#server.deliver(this.#id, this.#untilMs, nowMs);
    this.#untilMs = report.untilMs;
    if (this.#facts !== undefined) await recordDelivery(this.#facts, this.#id, report, '2041-03-30T09:17:00.000Z');
    for (const { package_id, hour, impressions, clicks, spend_minor } of [...report.hours, ...report.corrections]) {
      this.hours.set(`${hour}/${package_id}`, { impressions, clicks, spend_minor });
    }
  }
}
