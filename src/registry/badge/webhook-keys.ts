import { z } from 'zod';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import type { ProtocolNames } from '../../platform/protocol-name.ts';
import { getJson } from '../probe/ask.ts';
import type { Asking } from '../probe/ask.ts';

const Brand = z.object({
  agents: z.array(z.looseObject({ url: z.unknown().optional(), jwks_uri: z.unknown().optional() })).max(1000),
});
const KeySet = z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(1000) });

/** Key uses by which webhooks are signed (rule C.webhook.signatures.1). */
const SIGNING_USES: readonly unknown[] = ['request-signing', 'webhook-signing'];

/**
 * Whether the keys an agent signs webhooks with are published: `brand.json` under its host names the agent and a key
 * set, and that has a public key for signing. `judged` without a reason: they are. `unknown`: nobody answered.
 */
export async function whyNoWebhookKeys(
  asking: Asking,
  names: ProtocolNames,
  agentUrl: string,
): Promise<{ kind: 'judged'; reason?: string } | { kind: 'unknown'; reason: string }> {
  const brandJson = await getJson(asking, `${new URL(agentUrl).origin}/.well-known/brand.json`);
  if (brandJson.kind === 'timeout') return { kind: 'unknown', reason: brandJson.reason };
  if (brandJson.kind !== 'json') return missing('publishes no brand.json');
  const entry = Brand.safeParse(brandJson.json).data?.agents.find(
    ({ url }) => typeof url === 'string' && canonicalAgentUrl(url) === agentUrl,
  );
  if (typeof entry?.jwks_uri !== 'string') return missing('its brand.json names no key set for this agent');
  const keySet = await getJson(asking, entry.jwks_uri);
  if (keySet.kind === 'timeout') return { kind: 'unknown', reason: keySet.reason };
  if (keySet.kind !== 'json') return missing('its key set cannot be read');
  const keys = KeySet.safeParse(keySet.json).data?.keys ?? [];
  const isSigningKey = (key: Record<string, unknown>) =>
    typeof key['kid'] === 'string' && !('d' in key) && SIGNING_USES.includes(key[names.keyUseField]);
  return keys.some(isSigningKey) ? { kind: 'judged' } : missing('its key set has no key for signing webhooks');
}

function missing(reason: string): { kind: 'judged'; reason: string } {
  return { kind: 'judged', reason };
}
