import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../src/platform/log.ts';
import { openStore } from '../../../src/platform/store/store.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { composeSales } from '../../../src/main/wiring/sales.ts';
import { spoilRow } from '../../support/spoil-row.ts';
import type { AnySpec } from '../../support/spoil-row.ts';
import type { Sales } from '../../../src/main/wiring/sales.ts';

/** The nouns on a throw-away embedded store, with a clock that tests set. */
export interface OpenSales extends Sales {
  store: Store;
  clock: { nowMs: number; now(): number };
  /** Makes a stored row unreadable; see {@link spoilRow}. */
  spoil(spec: AnySpec, key: string, field: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export async function openSales({ at, simSpeed = 1 }: { at: string; simSpeed?: number }): Promise<OpenSales> {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-sales-'));
  const log = createLogger('silent');
  const store = await openStore({ dataDir, logger: log });
  const clock = {
    nowMs: Date.parse(at),
    now() {
      return this.nowMs;
    },
  };
  const others: Store[] = [];
  const another = async () => {
    const other = await openStore({ dataDir, logger: log });
    others.push(other);
    return other;
  };
  const sales = composeSales({ store, clock, log, simSpeed });
  await store.prepare();
  return {
    ...sales,
    store,
    clock,
    spoil: (spec, key, field) => spoilRow(another, spec, key, field),
    async close() {
      for (const each of [store, ...others]) await each.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
