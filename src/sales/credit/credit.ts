import { AppError } from '../../platform/errors.ts';
import { MAX_MINOR, shownMoney } from '../../platform/money.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Collection } from '../../platform/store/collection.ts';
import type { MediaBuyId } from '../media-buy/media-buy-id.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import { committedOf, committedTotals } from './committed-totals.ts';
import { creditKey } from './credit-ledger.ts';
import type { CreditClaim, CreditLedger } from './credit-ledger.ts';

/** Amounts by currency, in minor units of each. */
export type AmountsByCurrency = ReadonlyMap<string, number>;

/** What the seller has set for one buyer; empty: nothing. */
export interface BuyerLimits {
  /** The totals that pass without a person, in place of the seller's own for these currencies (rule B3.buyers). */
  approvalOver: AmountsByCurrency;
  /** What its media buys that are not over may come to together; in no other currency may it buy then (rule B3.credit). */
  credit: AmountsByCurrency;
}

/** The limits of a buyer as they stand. */
export type LimitsOf = (organization_id: OrganizationId) => Promise<BuyerLimits>;

export interface CreditDependencies {
  limitsOf: LimitsOf;
  mediaBuys: Collection<MediaBuy>;
  ledgers: Collection<CreditLedger>;
}

/** What a media buy is to come to, whole, in minor units of its currency. */
export interface Commitment {
  organization_id: OrganizationId;
  /** Undefined: it is not there yet, and has no id. */
  media_buy_id?: MediaBuyId | undefined;
  currency: string;
  total_minor: number;
}

/** What a buyer may yet commit, and has, in one currency. */
interface CreditStanding {
  credit_minor: number;
  committed_minor: number;
}

/**
 * What says against a commitment, by what is committed as one looks; undefined where nothing does. Only {@link claimCredit} makes sure. Pure
 * but for what it reads.
 */
export async function overCredit(deps: CreditDependencies, asked: Commitment): Promise<AppError | undefined> {
  const credit_minor = await creditOf(deps, asked);
  if (credit_minor === undefined) return undefined;
  const { committed_minor } = await lookAt(deps, asked);
  return refusalOver({ credit_minor, committed_minor }, asked);
}

/**
 * Claims what a media buy is to come to, before that is written to its row as that stands. Of several who claim at once none gets what another has, however
 * many processes; a claim ends by itself, with the next write of the row. Safe to repeat.
 * @param row_version the row's, or 0 where there is none yet: only a write of that very row may follow.
 * @throws {AppError} `BUDGET_EXCEEDED`.
 */
export async function claimCredit(
  deps: CreditDependencies,
  asked: Commitment & { media_buy_id: MediaBuyId },
  row_version: number,
): Promise<void> {
  const { media_buy_id, total_minor } = asked;
  for (;;) {
    const credit_minor = await creditOf(deps, asked);
    if (credit_minor === undefined) return;
    const { ledger, others, own, committed_minor } = await lookAt(deps, asked);
    const refusal = refusalOver({ credit_minor, committed_minor }, asked);
    if (refusal !== undefined) throw refusal;
    // Another change of the same media buy may have claimed more, and one of the two comes into the row.
    const most = own?.row_version === row_version ? Math.max(own.total_minor, total_minor) : total_minor;
    const claims = [...others, { media_buy_id, total_minor: most, row_version }];
    if (await isWritten(deps.ledgers, { ...ledger, claims })) return;
  }
}

/** What a buyer has committed in a currency, in minor units, by at most `upTo` media buys that are not over. @throws {UncountedBuysError} */
export async function committedIn(
  deps: Pick<CreditDependencies, 'mediaBuys' | 'ledgers'>,
  { organization_id, currency, upTo }: { organization_id: OrganizationId; currency: string; upTo?: number },
): Promise<number> {
  return (await lookAt(deps, { organization_id, currency }, upTo)).committed_minor;
}

/** What is set for the currency: nothing, where others alone are; undefined where none is. */
async function creditOf(
  { limitsOf }: CreditDependencies,
  { organization_id, currency }: Pick<Commitment, 'organization_id' | 'currency'>,
): Promise<number | undefined> {
  const { credit } = await limitsOf(organization_id);
  return credit.size === 0 ? undefined : (credit.get(currency) ?? 0);
}

/**
 * What all but one come to, and the claims of these that still count. The ledger is read before the rows: what has left it is in them by then. What
 * comes into it later, who writes it on finds out.
 */
async function lookAt(
  { mediaBuys, ledgers }: Pick<CreditDependencies, 'mediaBuys' | 'ledgers'>,
  { organization_id, media_buy_id, currency }: Omit<Commitment, 'total_minor'>,
  upTo?: number,
): Promise<{ ledger: CreditLedger; others: CreditClaim[]; own: CreditClaim | undefined; committed_minor: number }> {
  const credit_key = creditKey(organization_id, currency);
  const ledger = (await ledgers.get(credit_key)) ?? { credit_key, claims: [], revision: 0 };
  const totals = await committedTotals(mediaBuys, organization_id, currency, upTo);
  // A row that was written since the others were read, or one that is over.
  for (const buy of await mediaBuys.getMany(ledger.claims.map((claim) => claim.media_buy_id)))
    totals.set(buy.media_buy_id, committedOf(buy));
  const counting = ledger.claims.filter(
    (claim) => (totals.get(claim.media_buy_id)?.row_version ?? 0) === claim.row_version,
  );
  const others = counting.filter((claim) => claim.media_buy_id !== media_buy_id);
  const own = counting.find((claim) => claim.media_buy_id === media_buy_id);
  const minor = new Map([...totals].map(([id, { total_minor }]) => [id, total_minor]));
  for (const { media_buy_id: id, total_minor } of others) minor.set(id, Math.max(total_minor, minor.get(id) ?? 0));
  if (media_buy_id !== undefined) minor.delete(media_buy_id);
  // Neither is above the bound, so that their sum is exact; what is beyond it is no amount any more.
  const committed_minor = [...minor.values()].reduce((sum, one) => Math.min(MAX_MINOR, sum + one), 0);
  return { ledger, others, own, committed_minor };
}

async function isWritten(ledgers: Collection<CreditLedger>, ledger: CreditLedger): Promise<boolean> {
  if (ledger.revision === 0) return (await ledgers.insert({ ...ledger, revision: 1 })).inserted;
  return (await ledgers.replace(ledger)) !== undefined;
}

function refusalOver(
  { credit_minor, committed_minor }: CreditStanding,
  { currency, total_minor }: Commitment,
): AppError | undefined {
  const left = Math.max(0, credit_minor - committed_minor);
  if (total_minor <= left) return undefined;
  const money = (minor: number) => shownMoney(minor, currency);
  const why =
    credit_minor === 0
      ? `the seller gives you no credit in ${currency}`
      : `your media buys that are not over come to ${money(committed_minor)} besides, and your credit is ${money(credit_minor)}`;
  const suggestion =
    left > 0 ? `${money(left)} or less, or ask the seller for more credit` : 'ask the seller for more credit';
  return new AppError('BUDGET_EXCEEDED', `a total of ${money(total_minor)} is above your credit: ${why}`, {
    suggestion,
  });
}
