import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { formatOf } from '../../../sales/catalog.ts';
import { assetKindsOf } from '../../../sales/creative/asset-kind.ts';
import { CreativeEvent, CreativeReasonCode, CreativeStatus } from '../../../sales/creative/creative.ts';
import type { Creative } from '../../../sales/creative/creative.ts';
import { creativesNamed } from '../../../sales/creative/creative-library.ts';
import { creativeRef, partsOfRef } from '../../../sales/creative/creative-ref.ts';
import { CreativeView, toCreativeView } from '../../../sales/creative/creative-view.ts';
import { creativeNotFound, decideOnCreative } from '../../../sales/creative/review/decide.ts';
import type { CreativeDecision } from '../../../sales/creative/review/decide.ts';
import { creativeUses, CreativeUse } from '../../../sales/creative/uses.ts';
import { AssetKind } from '../../../sales/format/format.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { namesOf, Whose, whose } from '../buys/buy-view.ts';
import { BuyerAsked, Id, IdOfOrganization, pageQuery, Words } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorCall } from '../operation.ts';

/** `creative_id`: of an account's own creative its `creative_ref`, since other libraries may have the id, too. */
const CreativePath = z.strictObject({ organization_id: IdOfOrganization, creative_id: Id });
const IN_REVIEW = ['processing', 'pending_review'] as const satisfies readonly CreativeStatus[];

/** A creative as an operator sees it. */
export const OperatorCreative = CreativeView.omit({ assignments: true }).extend({
  ...Whose.shape,
  /** What these paths call it: its id, behind the id of the account whose own it is. */
  creative_ref: z.string(),
  version: z.int(),
  submitted_at: z.string(),
  /** Since this version came in. */
  age_seconds: z.int(),
});
export type OperatorCreative = z.infer<typeof OperatorCreative>;

/** The same with its history, and the packages that it serves. */
export const OperatorCreativeInFull = OperatorCreative.extend({
  history: z.array(CreativeEvent),
  used_by: z.array(CreativeUse),
  /** What each asset is, by its key: as sent, as its format has it, or as far as it tells. */
  asset_kinds: z.record(z.string(), AssetKind),
});
export type OperatorCreativeInFull = z.infer<typeof OperatorCreativeInFull>;

/** What is in review, the oldest first; `status` shows others too. */
export const listCreativesInReview = operation({
  method: 'get',
  path: '/creatives',
  summary: 'Show the creatives in review, the oldest first.',
  role: 'viewer',
  query: z.strictObject({
    status: z.enum(['in_review', ...CreativeStatus.options]).default('in_review'),
    organization_id: BuyerAsked.optional(),
    /** A format's id, such as `display_300x250`, of whichever agent: of all buyers. What an earlier release took in is not found by it. */
    format: Id.optional(),
    ...pageQuery,
  }),
  answer: z.object({ creatives: z.array(OperatorCreative), ...pageView }),
  async handle({ query: { status, organization_id, format, limit, cursor } }, { sales, store, clock }) {
    if (format !== undefined && organization_id !== undefined)
      throw new AppError('VALIDATION_ERROR', 'format: not together with organization_id', { field: 'format' });
    const page = await sales.creatives.find({
      where: {
        status: { in: status === 'in_review' ? IN_REVIEW : [status] },
        ...(organization_id !== undefined && { organization_id }),
        ...(format !== undefined && { format }),
      },
      sort: { field: 'created_at', direction: 'asc' },
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    const names = await namesOf(
      store,
      page.rows.map((row) => row.organization_id),
    );
    return { creatives: page.rows.map((row) => viewOf(row, names, clock.now())), ...pageEnd(page.cursor) };
  },
});

/** One with its history, and the packages that it serves. */
export const showCreative = operation({
  method: 'get',
  path: '/creatives/:organization_id/:creative_id',
  summary: 'Show a creative, with its assets, its history and where it serves.',
  role: 'viewer',
  params: CreativePath,
  answer: OperatorCreativeInFull,
  async handle({ params: { organization_id, creative_id } }, { sales, store, clock, catalog }) {
    const row = (await creativesNamed(sales.creatives, organization_id, [creative_id])).get(creative_id);
    if (row === undefined) throw creativeNotFound({ organization_id, ...partsOfRef(creative_id) });
    const uses = await creativeUses(sales.mediaBuys, { organization_id });
    const names = await namesOf(store, [organization_id]);
    return {
      ...viewOf(row, names, clock.now()),
      history: row.history,
      used_by: uses.get(creative_id) ?? [],
      asset_kinds: assetKindsOf(row, formatOf(catalog, row.format_id)),
    };
  },
});

type Verdict = Pick<CreativeDecision, 'to' | 'from' | 'reason' | 'reason_code'>;

async function decide(
  { sales, store, by, clock }: OperatorCall,
  { organization_id, creative_id }: z.infer<typeof CreativePath>,
  verdict: Verdict,
): Promise<OperatorCreative> {
  const decision = { organization_id, ...partsOfRef(creative_id), ...verdict, by };
  const row = await decideOnCreative(sales, decision);
  return viewOf(row, await namesOf(store, [organization_id]), clock.now());
}

/** Words and code that are told to the buyer. */
const Why = z.strictObject({ reason: Words, reason_code: CreativeReasonCode.optional() });

function whyOf({ reason, reason_code }: z.infer<typeof Why>): Pick<Verdict, 'reason' | 'reason_code'> {
  return { reason, ...(reason_code !== undefined && { reason_code }) };
}

/** Approves one in review. */
export const approveCreative = operation({
  method: 'post',
  path: '/creatives/:organization_id/:creative_id/approve',
  summary: 'Approve a creative in review.',
  role: 'operator',
  action: 'creatives.approve',
  done: () => 'The creative is approved.',
  params: CreativePath,
  answer: OperatorCreative,
  handle: ({ params }, call) => decide(call, params, { to: 'approved', from: IN_REVIEW }),
});

/** Rejects one in review. */
export const rejectCreative = operation({
  method: 'post',
  path: '/creatives/:organization_id/:creative_id/reject',
  summary: 'Reject a creative in review.',
  role: 'operator',
  action: 'creatives.reject',
  done: () => 'The creative is rejected.',
  params: CreativePath,
  body: Why,
  answer: OperatorCreative,
  handle: ({ params, body }, call) => decide(call, params, { to: 'rejected', from: IN_REVIEW, ...whyOf(body) }),
});

/** Takes an approved one out of service; the buys that it serves are impaired. */
export const suspendCreative = operation({
  method: 'post',
  path: '/creatives/:organization_id/:creative_id/suspend',
  summary: 'Take an approved creative out of service.',
  role: 'operator',
  action: 'creatives.suspend',
  done: () => 'The creative is out of service.',
  undo: 'creatives.restore',
  params: CreativePath,
  body: Why,
  answer: OperatorCreative,
  handle: ({ params, body }, call) => decide(call, params, { to: 'suspended', from: ['approved'], ...whyOf(body) }),
});

/** Puts a suspended one back into service. */
export const restoreCreative = operation({
  method: 'post',
  path: '/creatives/:organization_id/:creative_id/restore',
  summary: 'Put a suspended creative back into service.',
  role: 'operator',
  action: 'creatives.restore',
  done: () => 'The creative is back in service.',
  params: CreativePath,
  answer: OperatorCreative,
  handle: ({ params }, call) => decide(call, params, { to: 'approved', from: ['suspended'] }),
});

function viewOf(row: Creative, names: ReadonlyMap<string, string>, nowMs: number): OperatorCreative {
  const { organization_id, version, submitted_at } = row;
  const age_seconds = Math.max(0, Math.floor((nowMs - Date.parse(submitted_at)) / 1000));
  return {
    ...whose(organization_id, names),
    ...toCreativeView(row),
    creative_ref: creativeRef(row),
    version,
    submitted_at,
    age_seconds,
  };
}
