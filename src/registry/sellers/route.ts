import { z } from 'zod';
import { findCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import type { ScheduledCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { adsTxtFiles, adsTxtId } from '../../directory/seller/ads-txt-file.ts';
import type { AdsTxtFacts, AdsTxtFile } from '../../directory/seller/ads-txt-file.ts';
import type { AdsTxtRecord } from '../../directory/seller/seller-page.ts';
import { AppError } from '../../platform/errors.ts';
import { strongEtag } from '../../platform/etag.ts';
import { DomainParam } from '../domain-query.ts';
import { endpoint } from '../endpoint.ts';
import { PageQuery } from '../page-query.ts';
import { wholeNumberParam } from '../whole-number-param.ts';
import { confirmationOf, CONFIRMATIONS } from './confirm.ts';
import type { ConfirmationCode, LineOwner } from './confirm.ts';
import { recordsBehind } from './read-records.ts';
import { sellersOf } from './read-sellers.ts';
import type { KnownSeller } from './read-sellers.ts';
import { PublisherSellers } from './schema.ts';

/** Rule R15.sellers. */
export const publisherSellers = endpoint({
  id: 'publisherSellers',
  method: 'get',
  path: '/api/registry/publishers/{domain}/sellers',
  tag: 'Publishers',
  summary: "Read the ad systems' accounts that a publisher's ads.txt names, and whether each sellers.json agrees",
  description:
    'These are accounts at ad systems: they never authorize an agent. Send the ETag back as If-None-Match: 304 while the page is the same.',
  access: 'public',
  effect: 'read',
  limit: 'publisher_sellers',
  params: z.object({ domain: DomainParam }),
  query: z.strictObject({
    ad_system: DomainParam.optional().describe('Only accounts at this ad system'),
    limit: wholeNumberParam(1, 200).optional().describe('Accounts at most; default 50'),
    cursor: PageQuery.shape.cursor.describe('Where the page before ended'),
  }),
  responses: {
    200: { description: 'A page of accounts, and what else the ads.txt says', schema: PublisherSellers },
    304: { description: 'The page is as it was' },
  },

  async handle({ params: { domain }, query: { ad_system, cursor, limit = 50 } }, { store, header }) {
    const prefix = ad_system === undefined ? '' : `${ad_system} `;
    const after = cursor === undefined ? '' : keyIn(cursor, prefix);
    const check = await findCheck({ store }, 'ads_txt', domain);
    const present = await store.collection(adsTxtFiles).get(adsTxtId(domain));
    if (check === undefined && present === undefined)
      throw new AppError('NOT_FOUND', 'the registry knows no ads.txt of this publisher; ask for a crawl of it', {
        field: 'domain',
      });
    const page = present && (await recordsBehind(store, present, { after, prefix, limit }));
    const { records = [], next = null, file } = page ?? {};
    const known = await sellersOf(store, records);
    const owner = { publisher_domain: domain, owner_domain: null, managers: [], ...file?.facts };
    const body: PublisherSellers = {
      ...{ publisher_domain: domain, authorizes_agents: false, ads_txt: adsTxtView(file, check) },
      sellers: records.map((record, i) => ({
        ...{ ...record, certification_id: record.certification_id ?? null },
        ...{ source: 'ads_txt', source_url: file?.source_url ?? null, seen_at: file?.seen_at ?? null },
        confirmation: confirmationView(record, owner, known[i]),
      })),
      ...{ cursor: next === null ? null : Buffer.from(next).toString('base64url'), has_more: next !== null },
    };
    const tag = strongEtag(JSON.stringify(body));
    const headers = { ETag: tag, 'Cache-Control': 'public, max-age=30' };
    const isKnown = (header('if-none-match') ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
    return isKnown ? { status: 304, headers } : { body, headers };
  },
});

/** @throws {AppError} `INVALID_REQUEST`, field `cursor`, for one that this list did not give. */
function keyIn(cursor: string, prefix: string): string {
  const key = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!/^[^ ]+ [^ ]+ (?:DIRECT|RESELLER)$/.test(key) || !key.startsWith(prefix))
    throw new AppError('INVALID_REQUEST', 'cursor: send a cursor that this list gave', { field: 'cursor' });
  return key;
}

const NO_FACTS: AdsTxtFacts = {
  ...{ owner_domain: null, managers: [], contacts: [], subdomains: [], inventory_partner_domains: [] },
  ...{ bad_lines: 0, problems: [], is_cut: false, systems_count: 0, systems: [] },
};

function adsTxtView(file: AdsTxtFile | undefined, check: ScheduledCheck | undefined): PublisherSellers['ads_txt'] {
  const { systems, ...facts } = file?.facts ?? NO_FACTS;
  const isTried = check !== undefined && check.last_error !== null;
  const missing = check?.absent_since == null ? 'unreachable' : 'absent';
  return {
    ...{ source: 'ads_txt', status: file?.facts != null ? 'read' : isTried ? missing : 'not_read' },
    ...{ source_url: file?.source_url ?? null, seen_at: file?.seen_at ?? null },
    ...{ next_read_at: check?.due_at ?? null, last_error: check?.last_error ?? null },
    ...{ sellers_count: file?.list?.count ?? 0, systems_followed: systems.length, ...facts },
  };
}

function confirmationView(
  record: AdsTxtRecord,
  owner: LineOwner,
  known: KnownSeller | undefined,
): PublisherSellers['sellers'][number]['confirmation'] {
  const { file, check, seller } = known ?? {};
  const code = seller === undefined ? withoutEntry(known) : confirmationOf(record, owner, seller);
  const [status, reason] = CONFIRMATIONS[code];
  return {
    ...{ source: 'sellers_json', status, code, reason },
    ...{ source_url: file?.source_url ?? null, seen_at: file?.seen_at ?? null },
    ...{ next_read_at: check?.due_at ?? null, last_error: check?.last_error ?? null },
    ...{ seller_type: seller?.seller_type ?? null, name: seller?.name ?? null, domain: seller?.domain ?? null },
    ...{ is_confidential: seller?.is_confidential ?? false, is_passthrough: seller?.is_passthrough ?? false },
    is_cut: file?.facts?.is_cut ?? false,
  };
}

/** Why there is no entry of the account. */
function withoutEntry(known: KnownSeller | undefined): ConfirmationCode {
  const { file, check } = known ?? {};
  if (file?.list != null) return file.facts?.is_cut === true ? 'file_cut' : 'seller_not_listed';
  if (check === undefined) return 'system_not_followed';
  return check.last_error === null ? 'file_not_read' : 'file_unreachable';
}
