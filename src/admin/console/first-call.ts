import type { Scope } from '../../directory/caller.ts';

/** A call that a new key can make at once. */
interface FirstCall {
  does: string;
  /** To be pasted into a shell. */
  curl: string;
}

/** The least that says whether a key works, of what its scopes let it do; undefined where those only change things. Pure. */
export function firstCall({
  baseUrl,
  key,
  scopes,
}: {
  baseUrl: string;
  key: string;
  scopes: readonly Scope[];
}): FirstCall | undefined {
  const proof = `-H 'Authorization: Bearer ${key}'`;
  if (scopes.includes('tasks:read')) {
    return {
      does: 'Asks for products over A2A.',
      curl: `curl -sS ${baseUrl}/a2a/jsonrpc ${proof} -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' -d '${PRODUCTS}'`,
    };
  }
  if (scopes.includes('webhooks:read')) {
    return {
      does: 'Lists webhooks that were sent to this buyer.',
      curl: `curl -sS ${baseUrl}/api/buyer/webhooks/deliveries ${proof}`,
    };
  }
  if (scopes.includes('registry:read')) {
    return { does: 'Lists the buyer’s agents in the registry.', curl: `curl -sS ${baseUrl}/api/me/agents ${proof}` };
  }
  return undefined;
}

/** In JSON-RPC, without an apostrophe, since it stands between two. */
const PRODUCTS = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage' },
  params: {
    message: {
      ...{ messageId: 'first-call', role: 'ROLE_USER' },
      parts: [{ data: { skill: 'get_products', input: { brief: 'video for runners' } } }],
    },
  },
});
