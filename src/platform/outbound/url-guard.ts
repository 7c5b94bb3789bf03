import { isIP } from 'node:net';
import { forbiddenRule } from '#receiver/node/address-guard';
import { allowedPlaces, portRefused } from './allowed-places.ts';
import type { AllowedPlaces } from './allowed-places.ts';
import { isBadPort } from './bad-ports.ts';

/** A URL that passed {@link checkUrl}, taken apart for connecting. */
export interface Target {
  /** The URL as the WHATWG parser writes it, without its fragment. */
  href: string;
  /** Scheme, host and port as in the URL, such as `https://buyer.example:8443`. */
  origin: string;
  /** Path and query. */
  path: string;
  /** Lower case, A-labels, without IPv6 brackets or a trailing dot. */
  host: string;
  /** The host is an IP address, so there is nothing to look up. */
  isLiteral: boolean;
  port: number;
  isSecure: boolean;
  /** The host is, by its spelling, this machine: a loopback address, or a name below `localhost`. */
  isThisMachine: boolean;
  /** Only loopback addresses may be connected to: the scheme is `http`, or the name means this machine. */
  isLoopbackOnly: boolean;
}

/** The verdict on a URL: where it leads, or the rule it breaks. */
export type UrlVerdict = { ok: true; target: Target } | { ok: false; reason: string };

/** Where an outbound URL may lead besides the public addresses that anybody may name. */
export interface UrlRules {
  allowLoopback: boolean;
  /** The URL is a setting of the operator's own: to any address, by `http` too. */
  trustsUrls?: boolean | undefined;
  /** Default: public addresses at the usual ports. */
  places?: AllowedPlaces | undefined;
}

const USUAL_PLACES = allowedPlaces();

/**
 * Checks all that can be checked of an outbound URL without DNS (rule W16): absolute, `https` (or `http` to loopback
 * when `allowLoopback`), no userinfo, a port that may be called, at most 8,192 characters, and no forbidden address in any spelling
 * the WHATWG parser understands. Use it when a URL is registered; sending checks again. Never throws.
 */
export function checkUrl(
  text: string,
  { allowLoopback, trustsUrls = false, places = USUAL_PLACES }: UrlRules,
): UrlVerdict {
  if (text.length > MAX_URL) return refused('url is too long');
  if (REWRITTEN_BY_THE_PARSER.test(text)) return refused('url has white space, control characters or backslashes');
  const url = ABSOLUTE.test(text) ? parsed(text) : undefined;
  if (url === undefined) return refused('url is not absolute or not well-formed');
  const isSecure = url.protocol === 'https:';
  if (!isSecure && url.protocol !== 'http:') return refused('url scheme is not https');
  if (url.username !== '' || url.password !== '') return refused('url has userinfo');
  if (url.port === '0') return refused('url port is 0');
  const host = bareHost(url.hostname);
  const isLiteral = isIP(host) !== 0;
  if (!isLiteral && !isWellFormedName(host)) return refused('url host is not a well-formed name');
  const rule = isLiteral ? forbiddenRule(host) : isLoopbackName(host) ? 'loopback' : undefined;
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  if (!trustsUrls) {
    // Of plain http the scheme is refused below, whatever its port.
    const against = isLiteral
      ? places.ruleAgainst(host, isSecure ? port : 443, allowLoopback)
      : nameRefused({ isThisMachine: rule !== undefined, port, isSecure }, { allowLoopback, places });
    if (against !== undefined) return refused(against);
  }
  const mayBePlain = trustsUrls || (allowLoopback && (!isLiteral || rule === 'loopback'));
  if (!isSecure && !mayBePlain) return refused('url scheme is not https');
  // Where loopback is allowed no other rule judges a name's port; this machine's own are its owner's affair.
  if (!trustsUrls && rule === undefined && isBadPort(port) && !places.hasPort(port)) return refused(portRefused(port));
  const path = url.pathname + url.search;
  return {
    ok: true,
    target: {
      href: url.origin + path,
      origin: url.origin,
      path,
      host,
      isLiteral,
      port,
      isSecure,
      isThisMachine: rule === 'loopback',
      isLoopbackOnly: !trustsUrls && (!isSecure || rule === 'loopback'),
    },
  };
}

const MAX_URL = 8192;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i;
const REWRITTEN_BY_THE_PARSER = /[\u0000-\u0020\u007f\\]/;

/** What can be said against a name before it is looked up; where it may be this machine's, a port is judged by the address. */
function nameRefused(
  { isThisMachine, port, isSecure }: { isThisMachine: boolean; port: number; isSecure: boolean },
  { allowLoopback, places }: { allowLoopback: boolean; places: AllowedPlaces },
): string | undefined {
  if (allowLoopback) return undefined;
  if (isThisMachine) return 'loopback address';
  return isSecure && !places.hasPort(port) ? portRefused(port) : undefined;
}

function refused(reason: string): UrlVerdict {
  return { ok: false, reason };
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

function bareHost(hostname: string): string {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}

function isWellFormedName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((label) => label.length >= 1 && label.length <= 63);
}

/** RFC 6761: `localhost` and all below it mean this machine, whatever DNS says. */
function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
