import { composeSales } from '../../../src/main/wiring/sales.ts';
import type { Collection, Store } from '../../../src/platform/store/collection.ts';
import { AdOrderRows } from '../../../src/sales/ad-order/ad-order-row.ts';
import { AdServerHealths } from '../../../src/sales/ad-order/breaker.ts';
import { UploadedCreatives } from '../../../src/adservers/simulator/creatives.ts';
import { AdOrderRecords } from '../../../src/adservers/simulator/order-row.ts';
import { SimulatedOrders } from '../../../src/adservers/simulator/simulated-order.ts';
import { StatedDays } from '../../../src/adservers/simulator/stated-hours.ts';
import { DeliveryBooks } from '../../../src/sales/statement/delivery-book.ts';
import { Approvals } from '../../../src/sales/approval/approval.ts';
import { Creatives } from '../../../src/sales/creative/creative.ts';
import type { Creative } from '../../../src/sales/creative/creative.ts';
import { simulatedReview } from '../../../src/sales/creative/review/simulated-review.ts';
import type { ReviewDependencies } from '../../../src/sales/creative/review/review-due.ts';
import { DeliveryDays, DeliveryMonths } from '../../../src/sales/delivery/delivery-facts.ts';
import { FlightRows } from '../../../src/sales/flight/flight.ts';
import { Impairments } from '../../../src/sales/impairment/impairment.ts';
import type { Impairment } from '../../../src/sales/impairment/impairment.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { Outages } from '../../../src/sales/property/outage.ts';
import { MediaBuys } from '../../../src/sales/media-buy/media-buys.ts';
import { installation, silent } from '../../directory/support/installation.ts';
import type { TestClock } from '../../directory/support/installation.ts';
import { mediaBuyId, taskId } from '../../support/ids.ts';
import { spoilRow } from '../../support/spoil-row.ts';
import type { AnySpec } from '../../support/spoil-row.ts';
import { sampleCreative } from './sample-creative.ts';
import { sampleMediaBuy } from './sample-media-buy.ts';

/** How long the simulated review takes here. */
export const REVIEW_MS = 60_000;
const DAY_MS = 86_400_000;

export interface Library extends ReviewDependencies {
  clock: TestClock;
  creatives: Collection<Creative>;
  mediaBuys: Collection<MediaBuy>;
  impairments: Collection<Impairment>;
  /** What the hooks were told, oldest first. */
  told: { impairments: Impairment[] };
  /** Makes a stored row unreadable; see {@link spoilRow}. */
  spoil(spec: AnySpec, key: string, field: string): Promise<() => Promise<void>>;
  /** Stores a creative that came in just now. */
  addCreative(changes?: Partial<Creative>): Promise<Creative>;
  /** Stores a buy that waits for creatives in one package per list of creative ids; its flight has begun. */
  addBuy(creatives: readonly string[][], changes?: Partial<MediaBuy>): Promise<MediaBuy>;
  close(): Promise<void>;
}

/** All that is read or written when the ad server is told of a buy, too. */
const SPECS = [
  ...[Creatives, MediaBuys, Impairments, Approvals, Outages],
  ...[
    AdOrderRows,
    AdServerHealths,
    SimulatedOrders,
    AdOrderRecords,
    StatedDays,
    UploadedCreatives,
    DeliveryBooks,
    FlightRows,
    DeliveryDays,
    DeliveryMonths,
  ],
];

/** The stored creatives, buys and impairments on an empty store, with a clock of their own. */
export async function openLibrary(kind: Store['kind'] = 'sqlite'): Promise<Library> {
  const place = await installation(SPECS, kind);
  const { store, clock } = place;
  const told: Library['told'] = { impairments: [] };
  const creatives = store.collection(Creatives);
  const mediaBuys = store.collection(MediaBuys);
  let buys = 0;
  const at = (ms: number) => new Date(clock.now() + ms).toISOString();
  return {
    ...{ clock, creatives, mediaBuys, told, log: silent },
    impairments: store.collection(Impairments),
    adOrders: store.collection(AdOrderRows),
    review: simulatedReview({ delayMs: REVIEW_MS }),
    onImpairment: (impairment) => void told.impairments.push(impairment),
    courier: composeSales({ store, clock, log: silent, simSpeed: 1 }).courier,
    spoil: (spec, key, field) => spoilRow(() => place.another([]), spec, key, field),
    async addCreative(changes = {}) {
      const isNew = (changes.status ?? 'processing') === 'processing';
      const row = sampleCreative({
        status: 'processing',
        submitted_at: at(0),
        created_at: at(0),
        updated_at: at(0),
        review_due_at: isNew ? at(0) : null,
        ...changes,
      });
      await creatives.insert(row);
      return row;
    },
    async addBuy(lines, changes = {}) {
      const [line] = sampleMediaBuy().packages;
      if (line === undefined) throw new Error('the sample has no package');
      const media_buy_id = changes.media_buy_id ?? mediaBuyId(`mb_${(buys += 1)}`);
      const row = sampleMediaBuy({
        media_buy_id,
        buyer_ref: media_buy_id,
        task_id: taskId(`task_of_${media_buy_id}`),
        start_time: at(-DAY_MS),
        end_time: at(DAY_MS),
        packages: lines.map((creative_ids, i) => ({ ...line, package_id: `${media_buy_id}_p${i + 1}`, creative_ids })),
        ...changes,
      });
      await mediaBuys.insert(row);
      return row;
    },
    close: () => place.close(),
  };
}
