import { createHash } from 'node:crypto';
import { z } from 'zod';
import { toTimestamp } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { Collection, CollectionSpec } from './collection.ts';
import type { UnreadableRowError } from './collection-rows.ts';
import type { Logger } from '../log.ts';

/** A stored row that this installation met and could not read. The row itself stays where it is, with all it owes. */
export const SetAsideRow = z.object({
  /** Of collection and key, see {@link setAsideId}. */
  set_aside_id: z.string(),
  collection_name: z.string(),
  /** The row's key. */
  key: z.string(),
  /** What does not fit, without what stands there. */
  problems: z.array(z.string()),
  /** When it was met first. */
  noted_at: z.string(),
  revision: z.int(),
});
export type SetAsideRow = z.infer<typeof SetAsideRow>;

export const SetAsideRows: CollectionSpec<SetAsideRow> = {
  name: 'set_aside_rows',
  key: 'set_aside_id',
  schema: SetAsideRow,
  indexes: [{ name: 'by_noted', fields: ['noted_at'] }],
};

/** Rows looked at in one go. */
const BATCH = 100;

/** Whether a row can be read now; undefined when it cannot be said, since nobody here knows its collection. */
export type IsReadable = (collection: string, key: string) => Promise<boolean | undefined>;

/** Keeps the list of what could not be read. */
export interface SetAside {
  /** Puts a row on the list; logs it once a process. Never fails and never waits: what met the row goes on. */
  note: (error: UnreadableRowError) => void;
  /** Looks at every row on the list again and takes off it what is gone or can be read: for each start. */
  retry(isReadable: IsReadable): Promise<void>;
  /** Waits for notes under way. */
  idle(): Promise<void>;
}

export function createSetAside(rows: () => Collection<SetAsideRow>, clock: Clock, log: Logger): SetAside {
  const met = new Set<string>();
  const underWay = new Set<Promise<void>>();

  async function record({ collection, key, problems }: UnreadableRowError): Promise<void> {
    const set_aside_id = setAsideId(collection, key);
    try {
      const noted_at = toTimestamp(clock.now());
      await rows().insert({
        set_aside_id,
        collection_name: collection,
        key,
        problems: [...problems],
        noted_at,
        revision: 1,
      });
    } catch (error) {
      met.delete(set_aside_id); // the next who meets it tries again
      log.warn({ err: error, collection, key }, 'a row that cannot be read could not be put on the list');
    }
  }

  return {
    note(error) {
      const { collection, key, problems } = error;
      const id = setAsideId(collection, key);
      if (met.has(id)) return;
      met.add(id);
      log.error({ collection, key, problems }, 'a stored row cannot be read and is set aside');
      const recording: Promise<void> = record(error).finally(() => underWay.delete(recording));
      underWay.add(recording);
    },
    async retry(isReadable) {
      let after: string | undefined;
      do {
        const page = await rows().find({ where: {}, limit: BATCH, ...(after !== undefined && { after }) });
        for (const { set_aside_id, collection_name: collection, key } of page.rows) {
          if (!(await isReadable(collection, key))) continue;
          await rows().delete(set_aside_id);
          log.info({ collection, key }, 'a row that was set aside can be read again');
        }
        after = page.cursor;
      } while (after !== undefined);
    },
    async idle() {
      await Promise.all(underWay);
    },
  };
}

/** Keys may be as long as 512 characters, and so may no key be made of one. */
function setAsideId(collection: string, key: string): string {
  return createHash('sha256')
    .update(JSON.stringify([collection, key]))
    .digest('hex');
}
