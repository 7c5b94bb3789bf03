import { z } from 'zod';
import { BlockedDomainRow, BlockedDomains, BlockState } from '../../../directory/blocked-domain/blocked-domain-row.ts';
import { BlockedDomainType } from '../../../directory/blocked-domain/blocked-domain.ts';
import { blockDomain, unblockDomain } from '../../../directory/blocked-domain/change-block.ts';
import { normalizeDomain } from '../../../directory/domain/normalize-domain.ts';
import { INPUT_LIMITS } from '../../../platform/intake/input-limits.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { pageQuery, Words } from '../fields.ts';
import { operation } from '../operation.ts';
import type { OperatorCall } from '../operation.ts';

/** In any spelling; on the list by rule R1, and only as what every spelling of it is read as. */
const Domain = z
  .string()
  .max(INPUT_LIMITS.domainInputLength)
  .transform((text, context) => {
    const domain = normalizeDomain(text)?.domain;
    const again = domain && normalizeDomain(domain)?.domain;
    if (domain !== undefined && domain === again) return domain;
    const meant = again ?? 'acme.example';
    context.addIssue({ code: 'custom', message: `send a domain name as it is looked up, such as ${meant}` });
    return z.NEVER;
  });

/** An entry of the list of blocked domains. */
export const BlockedDomainView = z
  .object(BlockedDomainRow.shape)
  .pick({ domain: true, domain_type: true, blocked_reason: true, state: true, changed_at: true, changed_by: true })
  .extend({
    /** Where the reason can be checked; null: it was blocked by hand. */
    source: z.string().nullable(),
    unblocked_reason: z.string().nullable(),
  });
export type BlockedDomainView = z.infer<typeof BlockedDomainView>;

/** By domain; or what blocks one, and what is on the list of it. */
export const listBlockedDomains = operation({
  method: 'get',
  path: '/registry/blocked-domains',
  summary: 'List the domains that a property check sorts out as infrastructure, or say what blocks one.',
  role: 'viewer',
  query: z.strictObject({
    state: BlockState.default('blocked'),
    /** Of this domain alone: what blocks it, and the entry of its own if it has been taken off. */
    domain: Domain.optional(),
    ...pageQuery,
  }),
  answer: z.object({
    blocked_domains: z.array(BlockedDomainView),
    /** What was asked for, as it is looked up. */
    domain: z.string().optional(),
    ...pageView,
  }),
  async handle({ query: { state, domain, limit, cursor } }, { store, blockList }) {
    const rows = store.collection(BlockedDomains);
    if (domain !== undefined) {
      const above = (await blockList.finder())(domain)?.domain;
      const about = new Set([domain, ...(above === undefined ? [] : [above])]);
      return { blocked_domains: (await rows.getMany([...about])).map(viewOf), domain, ...pageEnd(undefined) };
    }
    const page = await rows.find({ where: { state }, limit, ...(cursor !== undefined && { after: cursor }) });
    return { blocked_domains: page.rows.map(viewOf), ...pageEnd(page.cursor) };
  },
});

const DomainPath = z.strictObject({ domain: Domain });

/** With all below it. */
export const blockRegistryDomain = operation({
  method: 'post',
  path: '/registry/blocked-domains/:domain/block',
  summary: 'Block a domain and all below it: property checks sort it out as infrastructure, with the reason.',
  role: 'admin',
  action: 'registry.block',
  done: ({ domain }) => `${domain} is blocked.`,
  undo: 'registry.unblock',
  params: DomainPath,
  body: z.strictObject({
    /** Left out, what it was when it was blocked before. */
    domain_type: BlockedDomainType.optional(),
    /** Told to whoever has the domain checked; left out, what it was before. */
    reason: Words.optional(),
  }),
  answer: BlockedDomainView,
  async handle({ params: { domain }, body: { domain_type, reason } }, call) {
    const said = { ...(domain_type && { domain_type }), ...(reason !== undefined && { blocked_reason: reason }) };
    return viewOf(await blockDomain(call, domain, said, changeOf(call)));
  },
});

export const unblockRegistryDomain = operation({
  method: 'post',
  path: '/registry/blocked-domains/:domain/unblock',
  summary: 'Take a domain off the list of blocked ones; what is blocked below it by itself stays so.',
  role: 'admin',
  action: 'registry.unblock',
  done: ({ domain }) => `${domain} is blocked no more.`,
  asUndo: { reason: 'the block was undone' },
  params: DomainPath,
  body: z.strictObject({
    /** For the record and the list. */
    reason: Words,
  }),
  answer: BlockedDomainView,
  handle: async ({ params: { domain }, body: { reason } }, call) =>
    viewOf(await unblockDomain(call, domain, reason, changeOf(call))),
});

function changeOf({ action_id, by }: OperatorCall): { id: string; by: string } {
  return { id: action_id, by };
}

function viewOf(row: BlockedDomainRow): BlockedDomainView {
  const { domain, domain_type, blocked_reason, state, changed_at, changed_by, source, unblocked_reason } = row;
  return {
    ...{ domain, domain_type, blocked_reason, source: source ?? null },
    ...{ state, changed_at, changed_by, unblocked_reason },
  };
}
