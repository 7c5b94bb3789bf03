import { invalidRequest } from '../../../platform/errors.ts';
import { isObject } from '../../../platform/json-object.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { CreateMediaBuyResponse } from '../../../tasks/create-media-buy/schema.ts';
import { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import { adcpCreateMediaBuy } from '../create-media-buy/translator.ts';
import { feedVersionsOf } from '../get-products/feed-version.ts';
import { buyStatusOf, confirmedAt, creativeStates } from '../media-buys/buy-facts.ts';
import { accountsOf } from '../media-buys/buy-accounts.ts';
import { canonicalActions } from '../media-buys/public-actions.ts';
import type { TranslatorSources } from '../sources.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { acceptedProposal } from './accepted-proposal.ts';
import type { Agreed } from './accepted-proposal.ts';
import { agreedPurchase, assertPublished, assertTotal, atPublishedPrices, packageOf } from './purchase.ts';
import { AdcpBuyProductsRequest } from './schema.ts';

/** Of the whole, what cannot be kept here. */
const NOT_OF_A_PURCHASE = {
  creatives: 'creatives come by sync_creatives',
  creative_assignments: 'creatives are assigned by sync_creatives',
  packages: 'send purchases',
};

/** What 3.2 has in place of `create_media_buy` for products as they are published: the same booking, told with the terms that it is on. */
export function adcpBuyProducts(sources: TranslatorSources): Translator {
  const create = adcpCreateMediaBuy(sources);
  const versionsFor = feedVersionsOf(sources.catalog);
  return translator<AdcpBuyProductsRequest>({
    skill: 'buy_products',
    task: create.task,
    since: '3.2',
    leavesOut: ['adcp_version'],
    title: 'Buy products',
    description:
      'Books products as list_products told them, by its feed_version, for a flight, in 3.2. It is answered as submitted while a person at the seller decides.',
    tags: create.tags,
    mutates: true,
    examples: [],
    input: AdcpBuyProductsRequest,
    async in(request, context) {
      refuseUnsupported(request, NOT_OF_A_PURCHASE);
      const {
        purchases,
        name,
        purchase_order_ref,
        total_budget: _total,
        pricing_version: _pricing,
        ...whole
      } = request;
      const hasApproval = await sources.mayAskPerson(context.caller.organization_id);
      assertPublished(sources.catalog, versionsFor(hasApproval), request);
      assertTotal(sources.catalog, request);
      const brand = brandOf(request);
      const packages = purchases.map((one, i) => packageOf(one, `purchases[${i}].`));
      const {
        extra = {},
        input,
        ...taken
      } = await create.in(
        { ...whole, brand, packages, ...(purchase_order_ref !== undefined && { po_number: purchase_order_ref }) },
        context,
      );
      const told = extra['packages'] as JsonObject[];
      const { advertiser_industry, agency_estimate_number } = request;
      const agreed = {
        ...{ name, source_feed_version: request.feed_version, brand, purchase_order_ref },
        ...{ advertiser_industry, agency_estimate_number },
        purchases: purchases.map((one, i) => agreedPurchase(sources.catalog, one, told[i] ?? {})),
      };
      const kept = JSON.parse(JSON.stringify({ name, agreed })) as JsonObject;
      return { ...taken, input: atPublishedPrices(sources.catalog, input), extra: { ...extra, ...kept } };
    },
    async out(result, { extra, caller, release, nowMs }) {
      const booked = result as unknown as CreateMediaBuyResponse;
      const buy = await sources.mediaBuys.get(MediaBuyId.parse(booked.media_buy_id));
      const account = (await accountsOf(sources, buy === undefined ? [] : [buy])).get(buy?.account_id ?? '');
      const hasApproval = await sources.mayAskPerson(caller.organization_id);
      const agreed = extra['agreed'] as Agreed;
      return {
        media_buy_id: booked.media_buy_id,
        ...(agreed.name !== undefined && { name: agreed.name }),
        ...(isObject(extra['ext']) && { ext: extra['ext'] }),
        revision: buy?.revision ?? booked.revision,
        ...(buy && {
          media_buy_status: buyStatusOf(buy, await creativeStates(sources, [buy])),
          confirmed_at: confirmedAt(buy),
        }),
        accepted_proposal: acceptedProposal(booked, agreed),
        purchase_bindings: booked.packages.map(({ product_id, package_id }, purchase_index) => ({
          ...{ purchase_index, product_id, package_id },
        })),
        available_actions:
          buy === undefined ? [] : canonicalActions(buy, { ...sources, hasApproval, release, nowMs, account }),
      };
    },
    fields: {
      ...{ ...create.fields, packages: 'purchases', po_number: 'purchase_order_ref' },
      ...{ 'packages[].price': 'purchases[].pricing', 'packages[].currency': 'purchases[].pricing' },
    },
  });
}

/** For which brand it is bought, which is said once. @throws {AppError} `INVALID_REQUEST`. */
function brandOf({ account, brand }: AdcpBuyProductsRequest): JsonObject {
  if (account.brand !== undefined && brand !== undefined) {
    throw invalidRequest('brand', 'the account names the brand already; leave it out');
  }
  const named = brand ?? account.brand;
  if (named === undefined) throw invalidRequest('brand', 'send the brand, or an account that names it');
  const { domain, brand_id } = named;
  return { domain, ...(brand_id !== undefined && { brand_id }) };
}
