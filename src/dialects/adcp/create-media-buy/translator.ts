import { canonicalDigest } from '../../../platform/crypto/canonical-json.ts';
import { AppError, invalidRequest } from '../../../platform/errors.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import { keepAccount } from '../../../sales/account/account.ts';
import { accountFor, publicAccount } from '../accounts.ts';
import { saidOfAll } from '../creative-taken.ts';
import { buyFacts, creativeStates } from '../media-buys/buy-facts.ts';
import { accountsOf } from '../media-buys/buy-accounts.ts';
import { brandManifest } from '../refs.ts';
import { translator } from '../translator.ts';
import type { Translator } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';
import { refuseControlsOfBuy } from '../spend-controls.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { reportingAsked } from '../webhooks/asked-webhooks.ts';
import { assertKept, packagesTaken } from './package-asked.ts';
import { forcedAnswer } from './forced-answer.ts';
import { AdcpCreateMediaBuyRequest } from './schema.ts';

/** Of the whole, what cannot be kept here. */
const NOT_OF_A_BUY = {
  total_budget: 'the total is the sum of the packages',
  invoice_recipient: 'the account is billed, and nobody else',
  artifact_webhook: 'no artifacts are told by webhook here',
};

/** Of a media buy under an account that has governance agents. */
const NOT_GOVERNED = { plan_id: 'no governance agent is asked here before anything is booked, and no plan is held to' };

/** What is kept to be told again, and has no effect. */
const TOLD_AGAIN = [
  'name',
  'brand',
  'po_number',
  'agency_estimate_number',
  'advertiser_industry',
  'plan_id',
  'io_acceptance',
  'ext',
];

/** Books packages of products for a flight, for one of the caller's accounts. */
export function adcpCreateMediaBuy(sources: TranslatorSources): Translator {
  const { catalog } = sources;
  return translator<AdcpCreateMediaBuyRequest>({
    skill: 'create_media_buy',
    task: 'create_media_buy',
    title: 'Create media buy',
    description:
      'Books packages of products for a flight. product_id and pricing_option_id come from get_products. It is answered as submitted while a person at the seller decides.',
    tags: ['media-buy', 'buying'],
    mutates: true,
    tellsSandbox: true,
    examples: [],
    input: AdcpCreateMediaBuyRequest,
    async in(request, { caller, release, nowMs }) {
      assertNoProposal(request);
      refuseUnsupported(request, NOT_OF_A_BUY);
      refuseControlsOfBuy(request);
      const { packages = [], brand, start_time, end_time } = request;
      if (packages.length === 0) throw invalidRequest('packages', 'send at least one package');
      const taken = packagesTaken(packages, 'packages', {
        ...{ catalog, release },
        flight: { start: start_time, end: end_time, nowMs },
      });
      const input = {
        packages: taken.map(({ asked }, i) => ({ buyer_ref: `p${i}`, ...asked })),
        ...{ brand_manifest: brandManifest(brand), start_time, end_time },
        ...(request.paused === true && { paused: true }),
        ...(request.reporting_webhook && { reporting_webhook: reportingAsked(request.reporting_webhook) }),
      };
      const account = await accountFor(sources, caller, request.account);
      const { account_id } = account;
      // Whoever names both means that the plan bounds what is spent.
      if (account.governance_agents !== undefined) refuseUnsupported(request, NOT_GOVERNED);
      const digest = canonicalDigest({ account_id, key: String(request.idempotency_key) });
      const told = Object.fromEntries(
        TOLD_AGAIN.flatMap((name) => ((request[name] ?? undefined) === undefined ? [] : [[name, request[name]]])),
      );
      const kept = JSON.stringify({
        ...told,
        packages: taken.map(({ told: again }) => again),
      });
      assertKept(kept, 'packages');
      return {
        input: { buyer_ref: `adcp-${digest.slice(0, 32)}`, ...input },
        account_id,
        ...(await forcedAnswer(sources, account)),
        beforehand: () => keepAccount(sources.accounts, account),
        extra: {
          ...(JSON.parse(kept) as JsonObject),
          ...saidOfAll(packages.flatMap(({ creatives = [] }) => creatives)),
          account: publicAccount(account),
        },
      };
    },
    async out(result, { release, nowMs }) {
      const buy = await sources.mediaBuys.get(MediaBuyId.parse(result['media_buy_id']));
      if (buy === undefined) return result;
      const states = await creativeStates(sources, [buy]);
      const account = (await accountsOf(sources, [buy])).get(buy.account_id ?? '');
      const hasApproval = await sources.mayAskPerson(buy.organization_id);
      const asOf = { ...sources, hasApproval, release, nowMs, account };
      const { status, confirmed_at, ...facts } = buyFacts(buy, states, asOf);
      return {
        ...facts,
        ...((release !== '3.0' || confirmed_at !== null) && { confirmed_at }),
        media_buy_status: status,
        ...(release === '3.0' && { status }),
        ...(account && { account }),
      };
    },
    fields: { 'brand_manifest.name': 'brand.domain', 'brand_manifest.url': 'brand.domain' },
  });
}

/** @throws {AppError} `PROPOSAL_NOT_FOUND` for any that is named: none is ever told here. */
function assertNoProposal({ proposal_id }: JsonObject): void {
  if (proposal_id === undefined || proposal_id === null) return;
  const message = 'proposal_id: no proposal has this id; none are made here';
  throw new AppError('PROPOSAL_NOT_FOUND', message, { field: 'proposal_id', suggestion: 'send packages' });
}
