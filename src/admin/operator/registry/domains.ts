import { z } from 'zod';
import { normalizeDomain, normalizeHost, registrableDomain } from '../../../directory/domain/normalize-domain.ts';
import { giveDomain, takeDomain } from '../../../directory/organization/operator-domains.ts';
import { holderOfDomain, provedDomains } from '../../../directory/organization/organization-domain.ts';
import { Organization } from '../../../directory/organization/organization.ts';
import type { Store } from '../../../platform/store/collection.ts';
import { knownBuyer } from '../buyers/operations.ts';
import { BuyerAsked, IdOfOrganization, Words } from '../fields.ts';
import { operation } from '../operation.ts';

/** In any spelling; kept by rule R1. */
const Domain = domainBy((text) => normalizeDomain(text)?.domain);
/** As it is kept, which may begin with `m.` itself: nothing is stripped. */
export const KeptDomain = domainBy(normalizeHost);

function domainBy(read: (text: string) => string | undefined) {
  return z
    .string()
    .max(2000)
    .transform((text, context) => {
      const domain = read(text);
      if (domain !== undefined && registrableDomain(domain) !== null) return domain;
      const message = 'send a domain name that somebody registered, such as acme.example';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    });
}

/** Who has a domain, and how that is known. */
export const HeldDomain = z.object({
  domain: z.string(),
  ...z.object(Organization.shape).pick({ organization_id: true, name: true, state: true, owner_id: true }).shape,
  is_first: z.boolean(),
  /** Null: it is only on record. */
  verified_by: Organization.shape.domain_verified_by,
  /** Null where it is only on record. */
  since: z.string().nullable(),
});
export type HeldDomain = z.infer<typeof HeldDomain>;

/** Of one domain, or of one organization. */
export const listOrganizationDomains = operation({
  method: 'get',
  path: '/registry/domains',
  summary: 'Show which organization has a domain, or the domains that an organization has, and how they were proved.',
  role: 'viewer',
  query: z
    .strictObject({ domain: KeptDomain.optional(), organization_id: BuyerAsked.optional() })
    .refine(({ domain, organization_id }) => (domain === undefined) !== (organization_id === undefined), {
      message: 'send either domain or organization_id',
      path: ['domain'],
    }),
  answer: z.object({ domains: z.array(HeldDomain) }),
  async handle({ query: { domain: host, organization_id } }, { store }) {
    const domain = host && (await spellingKept(store, host));
    const organization =
      organization_id === undefined
        ? domain && (await holderOfDomain(store, domain))
        : await knownBuyer(store, organization_id);
    if (!organization) return { domains: [] };
    const { corporate_domain, ...holder } = organization;
    const { organization_id: id, name, state, owner_id } = holder;
    const facts = { organization_id: id, name, state, owner_id };
    const proved = await provedDomains(store, organization);
    const onRecord =
      corporate_domain !== null && organization.domain_verified_by === null
        ? [{ domain: corporate_domain, verified_by: null, since: null }]
        : [];
    return {
      domains: [...onRecord, ...proved]
        .filter((row) => domain === undefined || row.domain === domain)
        .map((row) => ({ ...row, ...facts, is_first: row.domain === corporate_domain })),
    };
  },
});

/** A host itself where somebody has it, else what rule R1 makes of it. */
export async function spellingKept(store: Store, host: string): Promise<string> {
  if ((await holderOfDomain(store, host)) !== undefined) return host;
  return normalizeDomain(host)?.domain ?? host;
}

const DomainChange = z.strictObject({
  organization_id: IdOfOrganization,
  domain: Domain,
  /** For the record; nobody else is told. */
  reason: Words,
});

/** For a company that was added without one, so that its people can claim it and its keys register agents. */
export const assignDomain = operation({
  method: 'post',
  path: '/registry/domains/assign',
  summary: 'Give a company that has no domain its first: its keys can register agents, and its people claim it.',
  role: 'admin',
  action: 'registry.assign_domain',
  done: ({ domain }) => `${domain} is theirs now.`,
  decides: 'domain.assigned',
  concerns: ({ organization_id, domain: target }) => ({ organization_id, target }),
  body: DomainChange,
  answer: z.object({ organization_id: z.string(), domain: z.string() }),
  async handle({ body: { organization_id, domain } }, call) {
    await giveDomain(call, { organization_id, domain });
    return { organization_id, domain };
  },
});

/** For one whose holder is gone, or lost it; whoever has the domain can prove it then. */
export const releaseOrganizationDomain = operation({
  method: 'post',
  path: '/registry/domains/release',
  summary: 'Take a domain from the organization that has it, with its agents there, so that another can prove it.',
  role: 'admin',
  action: 'registry.release_domain',
  done: ({ domain }) => `${domain} is nobody’s now.`,
  decides: 'domain.released',
  concerns: ({ organization_id, domain: target }, { body: { reason } }) => ({ organization_id, target, reason }),
  body: DomainChange.extend({ domain: KeptDomain }),
  answer: z.object({ organization_id: z.string(), domain: z.string(), agents_removed: z.int() }),
  async handle({ body: { organization_id, domain } }, call) {
    return { organization_id, domain, agents_removed: await takeDomain(call, { organization_id, domain }) };
  },
});
