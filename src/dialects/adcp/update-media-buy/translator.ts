import { z } from 'zod';
import { toTimestamp } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import { isBeingChanged } from '../../../sales/ad-order/open.ts';
import { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { accountIdFor, assertAccountOpen } from '../accounts.ts';
import { JsonObject } from '../../../platform/json-object.ts';
import { assertKept } from '../create-media-buy/package-asked.ts';
import { saidOfAll } from '../creative-taken.ts';
import { buyFacts, creativeStates } from '../media-buys/buy-facts.ts';
import { accountsOf } from '../media-buys/buy-accounts.ts';
import { ownBuy } from '../media-buys/own-buy.ts';
import type { Release } from '../release.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { updatesAsked } from './asked.ts';
import type { UpdatesAsked } from './asked.ts';
import { assertChangeable } from './changeable.ts';
import { AdcpUpdateMediaBuyRequest } from './schema.ts';

/** Changes a media buy: pauses, resumes or cancels it, or changes its packages and its flight. */
export function adcpUpdateMediaBuy(sources: TranslatorSources): Translator {
  return translator<AdcpUpdateMediaBuyRequest>({
    skill: 'update_media_buy',
    task: 'update_media_buy',
    title: 'Update media buy',
    description:
      'Pauses, resumes or cancels a media buy, changes its packages, budgets, creatives and flight, or adds packages to it.',
    tags: ['media-buy', 'buying'],
    mutates: true,
    tellsSandbox: true,
    examples: [],
    input: AdcpUpdateMediaBuyRequest,
    async in(request, { caller, release, nowMs }) {
      const { media_buy_id, account } = request;
      const asked = account && (await accountIdFor(sources, caller, account));
      const buy = await ownBuy(sources, caller, media_buy_id, asked);
      // What names no account is a change under that of the buy, whose library has what it brings.
      const account_id = asked ?? buy.account_id;
      const under = account_id === undefined ? undefined : await sources.accounts.get(account_id);
      if (under !== undefined) assertAccountOpen(under);
      const revision = request.revision ?? (isPatch(request, release) ? buy.revision : undefined);
      assertChangeable(buy, request, revision);
      const { updates, name, told } = updatesAsked(request, buy, { catalog: sources.catalog, release, nowMs });
      const named = account_id !== undefined && { account_id };
      if (updates === undefined) {
        assertAtRest(buy);
        const { status, revision: seen } = buy;
        const result = {
          ...{ media_buy_id, status, revision: seen, affected_packages: [] },
          implementation_date: toTimestamp(nowMs),
        };
        const done = { result, message: `media buy ${media_buy_id} is as it is wanted` };
        return { input: { media_buy_id, updates: {} }, done, ...named, ...keptOf(request, { told: [] }, buy) };
      }
      const input = { media_buy_id, updates };
      const kept = keptOf(request, { told, name }, buy);
      return { input: { ...input, ...(typeof revision === 'number' && { revision }) }, ...named, ...kept };
    },
    async out(result, { release, extra, nowMs }) {
      const buy = await sources.mediaBuys.get(MediaBuyId.parse(result['media_buy_id']));
      if (buy === undefined) return result;
      const affected = result['affected_packages'] as string[];
      const states = await creativeStates(sources, [buy]);
      const account = (await accountsOf(sources, [buy])).get(buy.account_id ?? '');
      const hasApproval = await sources.mayAskPerson(buy.organization_id);
      const {
        status,
        packages,
        confirmed_at: _confirmed,
        ...facts
      } = buyFacts(buy, states, { ...sources, hasApproval, release, nowMs, account });
      const whole = packages as { package_id: string }[];
      const { ext, packages: said = {} } = SaidOfChange.safeParse(extra).data ?? {};
      return {
        ...facts,
        ...(ext && { ext }),
        media_buy_status: status,
        ...(release === '3.0' && { status }),
        implementation_date: result['implementation_date'],
        affected_packages: whole
          .filter(({ package_id }) => affected.includes(package_id))
          .map((one) => ({ ...one, ...said[one.package_id] })),
      };
    },
    fields: { 'updates.status': 'paused' },
  });
}

/** Whether what it comes to hangs on what it finds. */
function isPatch({ packages = [] }: AdcpUpdateMediaBuyRequest, release: Release): boolean {
  return release === '3.2' && packages.some(({ targeting_overlay }) => targeting_overlay);
}

/** What a change says that its own answer tells again; a media buy is told with what was said when it was booked. */
const SaidOfChange = z.object({
  ext: JsonObject.optional(),
  packages: z.record(z.string(), JsonObject).optional(),
});

/** What our own words have no place for: another name, and what is only told again; `told` of its new packages, beside what is kept of the buy. @throws {AppError} */
function keptOf(
  { ext, packages = [], new_packages }: AdcpUpdateMediaBuyRequest,
  { told, name }: Pick<UpdatesAsked, 'told'> & { name?: string | undefined },
  buy: MediaBuy,
): { extra?: JsonObject } {
  const said = packages.flatMap(({ package_id, context, ext: own }) => {
    const words = { ...(context && { context }), ...(own && { ext: own }) };
    return Object.keys(words).length === 0 ? [] : [[package_id, words]];
  });
  const kept = {
    ...(ext && { ext }),
    ...(name !== undefined && { name }),
    ...(said.length > 0 && { packages: Object.fromEntries(said) as JsonObject }),
    ...(told.length > 0 && { new_packages: told }),
  };
  const brought = saidOfAll([...packages, ...(new_packages ?? [])].flatMap(({ creatives = [] }) => creatives));
  if (Object.keys(kept).length === 0 && brought === undefined) return {};
  const known = told.length === 0 ? [] : [buy.asked ?? {}, buy.packages.flatMap(({ asked }) => asked ?? [])];
  const text = JSON.stringify(kept);
  assertKept(JSON.stringify([...known, kept]), told.length > 0 ? 'new_packages' : 'ext');
  return { extra: { ...(JSON.parse(text) as JsonObject), ...brought } };
}

/** What is on its way to the ad server may make another thing of the buy than what it is found as. */
function assertAtRest(buy: MediaBuy): void {
  if (!isBeingChanged(buy)) return;
  throw new AppError('CONFLICT', 'media_buy_id: a change of the media buy is on its way; ask again when that is done', {
    field: 'media_buy_id',
  });
}
