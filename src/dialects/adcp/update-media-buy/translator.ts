import { toTimestamp } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import { isTerminalBuy } from '../../../sales/media-buy/transitions.ts';
import { accountIdFor, assertAccountOpen } from '../accounts.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { assertKept } from '../create-media-buy/package-asked.ts';
import { buyFacts, creativeStates } from '../media-buys/buy-facts.ts';
import { ownBuy } from '../media-buys/own-buy.ts';
import type { Release } from '../release.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { updatesAsked } from './asked.ts';
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
    examples: [],
    input: AdcpUpdateMediaBuyRequest,
    async in(request, { caller, release, nowMs }) {
      const { media_buy_id, account } = request;
      const account_id = account && (await accountIdFor(sources, caller, account));
      const buy = await ownBuy(sources, caller, media_buy_id, account_id);
      const booked = buy?.account_id === undefined ? undefined : await sources.accounts.get(buy.account_id);
      if (booked !== undefined) assertAccountOpen(booked);
      const revision = request.revision ?? (isPatch(request, release) ? buy?.revision : undefined);
      const { updates, told } = updatesAsked(request, buy, { catalog: sources.catalog, release });
      const named = account_id !== undefined && { account_id };
      if (updates === undefined && buy !== undefined && !isTerminalBuy(buy.status)) {
        assertSeen(buy, revision);
        assertAtRest(buy);
        const { status, revision: seen } = buy;
        const result = {
          ...{ media_buy_id, status, revision: seen, affected_packages: [] },
          implementation_date: toTimestamp(nowMs),
        };
        const done = { result, message: `media buy ${media_buy_id} is as it is wanted` };
        return { input: { media_buy_id, updates: {} }, done, ...named };
      }
      const input = { media_buy_id, updates: updates ?? { status: 'active' } };
      const extra = keptOfNew(told, buy);
      return { input: { ...input, ...(typeof revision === 'number' && { revision }) }, ...named, ...extra };
    },
    async out(result, { release }) {
      const buy = await sources.mediaBuys.get(MediaBuyId.parse(result['media_buy_id']));
      if (buy === undefined) return result;
      const affected = result['affected_packages'] as string[];
      const states = await creativeStates(sources, [buy]);
      const {
        status,
        packages,
        confirmed_at: _confirmed,
        ...facts
      } = buyFacts(buy, states, { release, hasApproval: sources.hasApproval });
      const whole = packages as { package_id: string }[];
      return {
        ...facts,
        media_buy_status: status,
        ...(release === '3.0' && { status }),
        implementation_date: result['implementation_date'],
        affected_packages: whole.filter(({ package_id }) => affected.includes(package_id)),
      };
    },
    fields: { 'updates.status': 'paused' },
  });
}

/** Whether what it comes to hangs on what it finds. */
function isPatch({ packages = [] }: AdcpUpdateMediaBuyRequest, release: Release): boolean {
  return release === '3.2' && packages.some(({ targeting_overlay }) => targeting_overlay);
}

/** What is said of new packages that is only told again, beside what is kept of the buy already. @throws {AppError} */
function keptOfNew(told: readonly JsonObject[], buy: MediaBuy | undefined): { extra?: JsonObject } {
  if (told.length === 0) return {};
  const known = buy?.packages.flatMap(({ asked }) => asked ?? []) ?? [];
  assertKept(JSON.stringify([buy?.asked ?? {}, known, told]), 'new_packages');
  return { extra: { new_packages: JSON.parse(JSON.stringify(told)) as JsonObject[] } };
}

/** What is on its way to the ad server may make another thing of the buy than what it is found as. */
function assertAtRest({ open_change, stop }: MediaBuy): void {
  const isChanging =
    open_change?.kind === 'update' || stop?.causes.some(({ to_status }) => to_status !== null) === true;
  if (!isChanging) return;
  throw new AppError('CONFLICT', 'media_buy_id: a change of the media buy is on its way; ask again when that is done', {
    field: 'media_buy_id',
  });
}

function assertSeen(buy: MediaBuy, revision: number | null | undefined): void {
  if (typeof revision !== 'number' || revision === buy.revision) return;
  throw new AppError('CONFLICT', `revision: the media buy has moved on to revision ${buy.revision}`, {
    field: 'revision',
  });
}
