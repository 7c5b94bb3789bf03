import { normalizeHost, registrableDomain } from '../domain/normalize-domain.ts';
import { isFreeMailDomain } from '../user/free-mail-domains.ts';

/**
 * The domain an e-mail address proves a company by; undefined for a free-mail address (rule R7), for a public suffix,
 * and for what is no address.
 */
export function corporateDomainOf(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  if (at < 1) return undefined;
  const domain = normalizeHost(email.slice(at + 1));
  if (
    domain === undefined ||
    /[^\w.-]/.test(
      email
        .slice(at + 1)
        .normalize('NFKC')
        .replace(/\p{L}|\p{M}/gu, 'a'),
    )
  )
    return undefined;
  const registrable = registrableDomain(domain);
  return registrable === null || isFreeMailDomain(domain) || isFreeMailDomain(registrable) ? undefined : domain;
}
