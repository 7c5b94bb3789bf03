import { noCounters } from '../../../src/platform/metrics/metrics.ts';
import type { Collection, Row } from '../../../src/platform/store/collection.ts';
import { IN_HAND_MS } from '../../../src/sales/ad-order/courier-dependencies.ts';
import { approvalOver } from '../../../src/sales/approval/approval-policy.ts';
import type { CreativeInput } from '../../../src/sales/creative/creative-input.ts';
import type { Creative } from '../../../src/sales/creative/creative.ts';
import { allRows } from '../../../src/platform/store/all-rows.ts';
import { openImpairments } from '../../../src/sales/impairment/impairment-view.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import type { SalesDependencies } from '../../../src/tasks/dependencies.ts';
import { SyncCreativesRequest } from '../../../src/tasks/sync-creatives/schema.ts';
import type { SyncCreativesResponse } from '../../../src/tasks/sync-creatives/schema.ts';
import { syncCreatives } from '../../../src/tasks/sync-creatives/sync.ts';
import { createFullTextRanker } from '../../../src/sales/product/full-text-ranker.ts';
import { baseUrl, demoCatalog } from '../../sales/support/demo-catalog.ts';
import { openSales } from '../../sales/support/open-sales.ts';
import type { OpenSales } from '../../sales/support/open-sales.ts';
import { sampleCreative } from '../../sales/support/sample-creative.ts';
import { sampleMediaBuy } from '../../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';

export const NOW = '2026-04-10T12:00:00.000Z';

export interface OpenSync extends OpenSales {
  deps: SalesDependencies;
  /** Syncs as one task of an organization would, under an account or none; another store may stand in for the real one. */
  sync(
    organization: string,
    task: string,
    request: object,
    on?: SalesDependencies,
    account_id?: string,
  ): Promise<SyncCreativesResponse>;
  /** Everything an organization has, as stored, without what counts writes and tells time. */
  everything(organization: string): Promise<unknown>;
}

/** What tasks work with, on an empty store; an organization of its own is room enough for one test. */
export async function openSync(): Promise<OpenSync> {
  const sales = await openSales({ at: NOW });
  const catalog = await demoCatalog();
  const deps: SalesDependencies = {
    ...sales,
    catalog,
    counters: noCounters,
    ranker: createFullTextRanker(catalog),
    approvalPolicy: approvalOver(new Map()),
    wakeTask: () => Promise.resolve(false),
  };
  return {
    ...sales,
    deps,
    sync(organization, task, request, on = deps, account_id) {
      return syncCreatives(on, SyncCreativesRequest.parse(request), {
        ...{ organization_id: organizationId(organization), account_id, task_id: taskId(task), at: NOW },
        step: () => Promise.resolve(),
        commit: () => Promise.resolve(),
      });
    },
    async everything(organization) {
      // What a process that died had in hand, another worker tells the ad server a little later.
      sales.clock.nowMs += IN_HAND_MS;
      await sales.courier.tellDue();
      sales.clock.nowMs -= IN_HAND_MS;
      const organization_id = organizationId(organization);
      const { rows: creatives } = await sales.creatives.find({ where: { organization_id }, limit: 1000 });
      const buys: MediaBuy[] = [];
      for await (const buy of allRows(sales.mediaBuys, { where: { organization_id, open: true } })) buys.push(buy);
      const impairments = await openImpairments(
        sales.impairments,
        buys.map(({ media_buy_id }) => media_buy_id),
      );
      const open = [...impairments.values()].flat().map(({ impairment_id: _id, ...rest }) => rest);
      return { creatives: creatives.map(bare), buys: buys.map(bare), open };
    },
  };
}

function bare(row: Creative | MediaBuy): unknown {
  const held = 'held' in row && row.held ? { held: { ...row.held, version: 0, digest: null } } : {};
  return { ...row, ...held, revision: 0, row_version: 0, ...('ad_version' in row && { ad_version: 0 }) };
}

/** A banner that fits, of one of two sizes; `look` is what it shows. */
export function banner(creative_id: string, look = 'a', size: '300x250' | '728x90' = '300x250'): CreativeInput {
  const [width, height] = size.split('x').map(Number);
  return {
    creative_id,
    name: `Trail shoes ${creative_id}`,
    format_id: { agent_url: baseUrl, id: `display_${size}` },
    assets: { image: { url: `https://cdn.acme.example/${look}.png`, width, height } },
    tags: [],
  };
}

/** The same as stored before. */
export function storedBanner(organization: string, input: CreativeInput, status: Creative['status']): Creative {
  return {
    ...sampleCreative({ organization_id: organizationId(organization), ...input, status }),
    format_type: 'display',
  };
}

/** A buy of a product that takes both sizes, one package per list of creatives; ids begin with the organization's. */
export function storedBuy(
  organization: string,
  name: string,
  lines: readonly string[][],
  status: MediaBuy['status'] = 'active',
): MediaBuy {
  const line = sampleMediaBuy().packages[1];
  if (line === undefined) throw new Error('the sample has no second package');
  const media_buy_id = mediaBuyId(`mb_${organization}_${name}`);
  const organization_id = organizationId(organization);
  return sampleMediaBuy({
    ...{ media_buy_id, organization_id, status, buyer_ref: name, task_id: taskId(`task_${media_buy_id}`) },
    open: status === 'pending' || status === 'active' || status === 'paused',
    pending_reason: status === 'pending' ? 'creatives' : null,
    packages: lines.map((creative_ids, i) => ({ ...line, package_id: `${media_buy_id}_p${i + 1}`, creative_ids })),
  });
}

/** Thrown in place of a write: the process is taken to have died there. Its message names the collection. */
export class Died extends Error {}

/** A collection that dies at a write, before or after it is done, counted over all that share the countdown. */
export function mortal<R extends Row>(
  rows: Collection<R>,
  countdown: { left: number; when: 'before' | 'after' },
): Collection<R> {
  async function write<T>(act: () => Promise<T>): Promise<T> {
    countdown.left -= 1;
    if (countdown.left === 0 && countdown.when === 'before') throw new Died(rows.spec.name);
    const done = await act();
    if (countdown.left === 0) throw new Died(rows.spec.name);
    return done;
  }
  return {
    spec: rows.spec,
    get: (key) => rows.get(key),
    isCurrent: (row) => rows.isCurrent(row),
    getMany: (keys) => rows.getMany(keys),
    find: (query) => rows.find(query),
    getField: (keys, field) => rows.getField(keys, field),
    count: (where, options) => rows.count(where, options),
    insert: (row) => write(() => rows.insert(row)),
    insertMany: (many, options) => write(() => rows.insertMany(many, options)),
    replace: (row) => write(() => rows.replace(row)),
    update: (key, change) => write(() => rows.update(key, change)),
    delete: (key, count) => write(() => rows.delete(key, count)),
  };
}
