import { registrableDomain } from '../domain/normalize-domain.ts';
import type { OutboundResult } from '../../platform/outbound/outbound-result.ts';
import type { Send } from '../../platform/outbound/outbound-request.ts';
import type { ResolveTxt } from '../../platform/outbound/resolve-txt.ts';
import { placeOfProof } from './domain-claim.ts';
import type { DomainClaim } from './domain-claim.ts';

export interface ProofDeps {
  outbound: { send: Send };
  resolveTxt: ResolveTxt;
  /** Where a domain's file is; default: {@link placeOfProof}. */
  claimFileUrl?: (domain: string) => string;
}

const LOOK_MS = 9_500;
/** Of the file; enough for some hundred claims. */
const MOST_BYTES = 16_384;

/** Whether a claim's token is where it was to be shown; else why not, for people. Redirects are not followed. */
export async function lookForProof(
  deps: ProofDeps,
  claim: Pick<DomainClaim, 'domain' | 'method' | 'token'>,
): Promise<{ found: true } | { found: false; reason: string }> {
  const place = placeOfProof(claim);
  if (claim.method === 'dns') {
    const answer = await deps.resolveTxt(place).catch(() => undefined);
    if (answer === undefined) return { found: false, reason: `the name servers of ${claim.domain} do not answer` };
    // A wildcard that leads elsewhere, as to a host of many customers, would let whoever has that name prove the domain.
    const own = registrableDomain(claim.domain);
    const foreign = answer.aliases.some((alias) => registrableDomain(alias.toLowerCase()) !== own);
    if (foreign)
      return {
        found: false,
        reason: `${place} is an alias (CNAME) of a name outside ${own ?? claim.domain}; put the TXT record at ${place} itself`,
      };
    if (answer.records.some((text) => text.trim() === claim.token)) return { found: true };
    return {
      found: false,
      reason: `no TXT record of ${place} is the token; a new one may take some minutes to be seen`,
    };
  }
  const url = deps.claimFileUrl?.(claim.domain) ?? place;
  const result = await deps.outbound.send({
    url,
    ...{ method: 'GET', headers: { accept: 'text/plain', 'accept-encoding': 'identity' } },
    ...{ totalTimeoutMs: LOOK_MS, maxResponseBytes: MOST_BYTES },
  });
  if (result.kind !== 'response' || result.status !== 200) return { found: false, reason: `${url} ${whyNot(result)}` };
  const lines = result.body.toString('utf8').split(/\r?\n/);
  if (lines.some((line) => line.trim() === claim.token)) return { found: true };
  return { found: false, reason: `no line of ${url} is the token` };
}

function whyNot(result: OutboundResult): string {
  if (result.kind === 'response')
    return result.status >= 300 && result.status < 400
      ? `answers ${result.status}; put the file at this very URL, redirects are not followed`
      : `answers ${result.status}`;
  if (result.kind === 'refused') return 'is at an address that no request is sent to';
  return result.kind === 'timeout' ? 'does not answer in time' : `cannot be reached: ${result.reason}`;
}
