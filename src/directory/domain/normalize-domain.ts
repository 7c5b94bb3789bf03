import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';

/** What normalizing did to a domain; the reasons of the property check's `modify` bucket (rule R2). */
export type DomainChange = 'none' | 'www_stripped' | 'm_stripped' | 'normalized';

export interface NormalizedDomain {
  /** Lower case, A-labels, without one leading `www.` or else `m.` unless that is part of its registrable domain. */
  domain: string;
  change: DomainChange;
}

/**
 * The one domain normalizer (rule R1). Accepts a domain in any common way of writing one, a URL included; answers
 * undefined for what is no domain name (an address, one label, a bad character). One prefix is stripped and no more, so
 * the canonical form of `www.m.example.com` is `m.example.com`: never apply it to its own result.
 */
export function normalizeDomain(input: string): NormalizedDomain | undefined {
  const host = normalizeHost(input);
  if (host === undefined) return undefined;
  const prefix = strippable(host);
  if (prefix === undefined) return { domain: host, change: host === input ? 'none' : 'normalized' };
  return { domain: host.slice(prefix.length), change: prefix === 'www.' ? 'www_stripped' : 'm_stripped' };
}

/** The same without stripping prefixes: for looking up a host as it is (rule R5). */
export function normalizeHost(input: string): string | undefined {
  if (input.length > INPUT_LIMITS.domainInputLength) return undefined;
  if (PLAIN.test(input) && input.length <= INPUT_LIMITS.domainLength && !input.includes('xn--')) return input;
  const written = input
    .trim()
    .replace(/^(?:[a-z][a-z0-9+.-]*:)?[/\\]{2}/i, '')
    .replace(/[/\\?#].*$/s, '');
  const authority = written.slice(written.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  const host = domainToASCII(authority.replace(DOTS, '.').replace(/\.+$/, '')).replace(/\.+$/, '');
  return isDomainName(host) ? host : undefined;
}

/** The part of a host that somebody registered under a public suffix (private suffixes count); null for a suffix. */
export function registrableDomain(host: string): string | null {
  return getDomain(host, { allowPrivateDomains: true, validateHostname: false });
}

/** The host itself and every domain above it down to two labels: `a.b.example.com` → itself, `b.example.com`, `example.com`. */
export function withParents(host: string): string[] {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'));
}

/** What most lists hold: a domain that every step below would leave as it is. A-labels are not among them. */
const PLAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;

/** Dots of other scripts that browsers take for one (UTS 46). */
const DOTS = /[\u3002\uff0e\uff61]/g;

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

function isDomainName(host: string): boolean {
  if (host.length > INPUT_LIMITS.domainLength || isIP(host) !== 0) return false;
  const labels = host.split('.');
  return labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '');
}

function strippable(domain: string): 'www.' | 'm.' | undefined {
  const prefix = (['www.', 'm.'] as const).find((candidate) => domain.startsWith(candidate));
  return prefix !== undefined && registrableDomain(domain.slice(prefix.length)) !== null ? prefix : undefined;
}
