import type { Collection } from '../../platform/store/collection.ts';
import type { Delivery } from './delivery.ts';

/** How long a recorded attempt waits for others to be written with, in milliseconds. */
const GATHER_MS = 15;

/** The store as the attempts of one process use it: what many want in a moment goes in one round trip. */
export interface DeliveryBatches {
  /** The row as it stands. */
  get(delivery_id: string): Promise<Delivery | undefined>;
  /** See `Collection.replace`. */
  replace(row: Delivery): Promise<Delivery | undefined>;
  /** Answers the row, or undefined when there is one already; see `Collection.insert`. */
  insert(row: Delivery): Promise<Delivery | undefined>;
}

/**
 * Reads of one turn of the event loop become one query; writes of {@link GATHER_MS} reach the store together, so that one
 * flush to disk serves them all. Each caller still waits for its own write to be on disk.
 */
export function createDeliveryBatches(deliveries: Collection<Delivery>): DeliveryBatches {
  const read = gatherer<string, Delivery | undefined>(
    (run) => setImmediate(run),
    async (ids) => {
      const found = await deliveries.getMany(ids, { skipUnreadable: true });
      const rows = new Map(found.map((row) => [row.delivery_id, row]));
      // One that is missing or cannot be read is asked for by itself: its trouble is not that of the others.
      return ids.map((id) => (rows.has(id) ? Promise.resolve(rows.get(id)) : deliveries.get(id)));
    },
  );
  const write = gatherer<() => Promise<Delivery | undefined>, Delivery | undefined>(
    (run) => setTimeout(run, GATHER_MS),
    (writes) => Promise.resolve(writes.map((one) => one())),
  );
  return {
    get: read,
    replace: (row) => write(() => deliveries.replace(row)),
    insert: (row) => write(async () => ((await deliveries.insert(row)).inserted ? row : undefined)),
  };
}

/** Collects requests until `later` runs, then has them served together. */
function gatherer<Request, Answer>(
  later: (run: () => void) => unknown,
  serve: (requests: Request[]) => Promise<Promise<Answer>[]>,
): (request: Request) => Promise<Answer> {
  let waiting: { request: Request; resolve: (answer: Promise<Answer>) => void; reject: (error: unknown) => void }[] =
    [];

  async function run(): Promise<void> {
    const served = waiting;
    waiting = [];
    try {
      const answers = await serve(served.map(({ request }) => request));
      served.forEach(({ resolve, reject }, place) => {
        const answer = answers[place];
        if (answer === undefined) reject(new Error('an answer is missing'));
        else resolve(answer);
      });
    } catch (error) {
      for (const { reject } of served) reject(error);
    }
  }

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (waiting.length === 1) later(() => void run());
    });
}
