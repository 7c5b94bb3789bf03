import { importJWK } from 'jose';
import type { JWK } from 'jose';
import { z } from 'zod';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { getJson } from '../probe/ask.ts';
import type { Asking } from '../probe/ask.ts';
import { isOnSite } from './same-site.ts';

const Brand = z.object({
  agents: z.array(z.looseObject({ url: z.unknown().optional(), jwks_uri: z.unknown().optional() })).max(1000),
});
const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(1000) });

/** Key uses by which webhooks are signed (rule C.webhook.signatures.1). */
const SIGNING_USES: readonly unknown[] = ['request-signing', 'webhook-signing'];

/**
 * Whether the keys an agent signs webhooks with are published: `brand.json` under its host names the agent and a key
 * set on its own site, and that has a public key for signing which can be used. `judged` without a reason: they are. `unknown`: nobody answered.
 */
export async function whyNoWebhookKeys(
  asking: Asking,
  names: ProtocolNames,
  agentUrl: string,
): Promise<{ kind: 'judged'; reason?: string } | { kind: 'unknown'; reason: string }> {
  const brandJson = await getJson(asking, `${new URL(agentUrl).origin}/.well-known/brand.json`);
  if (brandJson.kind !== 'json' && brandJson.isPassing === true) return { kind: 'unknown', reason: brandJson.reason };
  if (brandJson.kind !== 'json') return missing('publishes no brand.json');
  const entry = Brand.safeParse(brandJson.json).data?.agents.find(
    ({ url }) => typeof url === 'string' && canonicalAgentUrl(url) === agentUrl,
  );
  if (typeof entry?.jwks_uri !== 'string') return missing('its brand.json names no key set for this agent');
  if (!isOnSite(entry.jwks_uri, agentUrl)) return missing('its key set is on a site that is not its own');
  const keySet = await getJson(asking, entry.jwks_uri);
  if (keySet.kind !== 'json' && keySet.isPassing === true) return { kind: 'unknown', reason: keySet.reason };
  if (keySet.kind !== 'json') return missing('its key set cannot be read');
  const keys = KeySet.safeParse(keySet.json).data?.keys ?? [];
  const isSigningKey = (key: Record<string, unknown>) =>
    typeof key['kid'] === 'string' && !('d' in key) && SIGNING_USES.includes(key[names.keyUseField]);
  const named = keys.filter(isSigningKey).slice(0, MOST_KEYS);
  if (named.length === 0) return missing('its key set has no key for signing webhooks');
  const usable = await Promise.all(named.map(isUsable));
  return usable.includes(true)
    ? { kind: 'judged' }
    : missing('its key for signing webhooks is no public key by RFC 7517');
}

/** Keys of one set that are looked at. */
const MOST_KEYS = 20;

/** The algorithms of webhook signatures, by key type and curve (rule C.webhook.signatures.1). */
const ALGORITHMS: Readonly<Record<string, string>> = { 'OKP Ed25519': 'EdDSA', 'EC P-256': 'ES256' };

/** Whether it has the material of a public key, of an algorithm that webhooks are signed by, and may verify. */
async function isUsable(key: Record<string, unknown>): Promise<boolean> {
  const { use = 'sig', key_ops = ['verify'], kty, crv } = key;
  const algorithm = ALGORITHMS[`${String(kty)} ${String(crv)}`];
  if (algorithm === undefined || use !== 'sig' || !Array.isArray(key_ops) || !key_ops.includes('verify')) return false;
  if ((key['alg'] ?? algorithm) !== algorithm) return false;
  return importJWK(key as JWK, algorithm).then(
    () => true,
    () => false,
  );
}

function missing(reason: string): { kind: 'judged'; reason: string } {
  return { kind: 'judged', reason };
}
