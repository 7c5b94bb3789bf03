import { z } from 'zod';
import type { InstallationFinding } from '../../admin/operator/doctor/installation.ts';
import { DAY_MS } from '../../platform/hours.ts';
import type { Outbound } from '../../platform/outbound/outbound-client.ts';
import { lookAtTls } from '../../platform/outbound/tls-look.ts';
import { CARD_PATH } from '../process/ready.ts';
import { ok, warning, wrong } from './finding.ts';

/** A certificate that ends sooner should have been renewed, in milliseconds. */
const ENDS_SOON_MS = 14 * DAY_MS;
/** How long each of the two looks may take, in milliseconds. */
const WITHIN_MS = 3_000;
const MOST_CARD_BYTES = 1_048_576;

const Card = z.object({ supportedInterfaces: z.array(z.object({ url: z.string() })).min(1) });

interface PublicAddress {
  /** As buyers call this agent, without a slash at its end. */
  publicUrl: string;
  outbound: Pick<Outbound, 'send'>;
  now: number;
  /** Certificate authorities to trust instead of the built-in ones, as PEM. */
  ca?: string;
}

/** What buyers meet at the public address: whether the agent's own card is there, and by https, whether its certificate is good. */
export async function findingsAtPublicAddress(of: PublicAddress): Promise<InstallationFinding[]> {
  const [card, certificate] = await Promise.all([cardFinding(of), certificateFindings(of)]);
  // What is wrong with TLS is why nothing answers.
  const isOfTls = card.level === 'warning' && certificate.some(({ level }) => level === 'error');
  return isOfTls ? certificate : [card, ...certificate];
}

async function cardFinding({ publicUrl, outbound }: PublicAddress): Promise<InstallationFinding> {
  const url = `${publicUrl}${CARD_PATH}`;
  const limits = { connectTimeoutMs: WITHIN_MS, totalTimeoutMs: WITHIN_MS, maxResponseBytes: MOST_CARD_BYTES };
  const answer = await outbound.send({ url, method: 'GET', headers: { accept: 'application/json' }, ...limits });
  const part = 'agent card';
  if (answer.kind !== 'response') {
    const why = answer.kind === 'timeout' ? 'no answer in time' : answer.reason;
    const advice = `ask from elsewhere, curl -sS ${url}: if it answers there, this machine alone cannot reach its own address; else let DNS, firewall and proxy lead there`;
    return warning(part, `PUBLIC_URL does not answer from here: ${why}`, advice);
  }
  if (answer.status !== 200) {
    const advice = `let the proxy in front pass every path of PUBLIC_URL on to this agent, with its path as it is (docs/running.md): curl -sSi ${url}`;
    return wrong(part, `PUBLIC_URL answers ${answer.status} for the agent card`, advice);
  }
  const interfaces = urlsOf(answer.body);
  if (interfaces?.some((one) => one.startsWith(`${publicUrl}/`)) === true) return ok(part, `at ${publicUrl}`);
  const found = interfaces === undefined ? 'something that is no agent card' : 'a card that names another address';
  return wrong(
    part,
    `PUBLIC_URL has ${found}`,
    'PUBLIC_URL must be this very agent’s address: see what else listens there',
  );
}

function urlsOf(body: Buffer): string[] | undefined {
  try {
    return Card.parse(JSON.parse(body.toString('utf8'))).supportedInterfaces.map(({ url }) => url);
  } catch {
    return undefined;
  }
}

const RENEW = 'renew it where TLS ends, at the proxy in front (docs/hardening.md), and have that done by itself';
const REMEDY = {
  expired: RENEW,
  'not yet good': 'set the clock of both machines by a time server, or wait',
  'of another name': 'have one made for the name in PUBLIC_URL, at the proxy in front (docs/hardening.md)',
  untrusted: 'send the whole chain of an authority that buyers trust, not of one’s own (docs/hardening.md)',
} as const;

async function certificateFindings({ publicUrl, now, ca }: PublicAddress): Promise<InstallationFinding[]> {
  const { protocol, hostname, port } = new URL(publicUrl);
  if (protocol !== 'https:') return [];
  const host = hostname.replace(/^\[|\]$/g, '');
  const look = await lookAtTls({ host, port: Number(port || 443), timeoutMs: WITHIN_MS, ca });
  const part = 'certificate';
  // What does not answer at all is told of the card; what answers otherwise is no TLS.
  if (look.kind === 'none')
    return /^ERR_SSL|EPROTO/.test(look.why)
      ? [wrong(part, `no TLS is spoken at ${hostname}`, 'let the proxy in front end TLS there (docs/hardening.md)')]
      : [];
  const days = Math.floor((look.endsAtMs - now) / DAY_MS);
  if (look.fault !== null) {
    const since = look.fault === 'expired' ? `, ${-days - 1} days ago` : '';
    return [wrong(part, `that of ${hostname} is ${look.fault}${since}`, REMEDY[look.fault])];
  }
  const found = `that of ${hostname} is good for ${days} days`;
  return [look.endsAtMs - now < ENDS_SOON_MS ? warning(part, found, RENEW) : ok(part, found)];
}
