import { createPublicKey } from 'node:crypto';
import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { flattenedVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eitherCredential } from '../../src/directory/credential/authentication.ts';
import { newCall } from '../../src/a2a/call.ts';
import { extendedCard } from '../../src/a2a/card/extended-card.ts';
import { legacyExtendedForm } from '../../src/a2a/card/legacy-extended-form.ts';
import { pythonForm } from '../../src/a2a/card/python-form.ts';
import type { Caller } from '../../src/directory/caller.ts';
import { canonicalJson } from '../../src/platform/crypto/canonical-json.ts';
import { protocolNames } from '../../src/platform/protocol-name.ts';
import { generateSigningKey } from '../../src/webhooks/signing/signing-key.ts';
import { organizationId } from '../support/ids.ts';
import { openAgent } from './support/open-agent.ts';
import type { Agent } from './support/open-agent.ts';
import { invoke, rpcClient } from './support/rpc.ts';
import { TASKS } from './support/tasks.ts';

const key = generateSigningKey('ed25519', { names: protocolNames() });
const signer = { kid: key.kid, alg: 'EdDSA', privateKey: key.privateKey, jku: 'https://agent.example/jwks.json' };
const publicKey = createPublicKey({ key: key.publicJwk, format: 'jwk' });
const TOKEN = `eyJ${'a'.repeat(20)}.${'b'.repeat(20)}.${'c'.repeat(20)}`;
const user: Caller = { organization_id: organizationId('users'), principal_id: 'user-1', scopes: ['tasks:read'] };

let agent: Agent;
beforeAll(async () => {
  agent = await openAgent({
    tasks: TASKS,
    options: { cardSigner: () => Promise.resolve(signer) },
    tokens: { authenticate: (token) => Promise.resolve(token === TOKEN ? user : undefined) },
  });
});
afterAll(() => agent.close());

interface SignedCard extends Record<string, unknown> {
  signatures: { protected: string; signature: string }[];
}

async function card(version?: string): Promise<SignedCard> {
  const headers = version === undefined ? {} : { 'A2A-Version': version };
  return (await (await fetch(`${agent.url}/.well-known/agent-card.json`, { headers })).json()) as SignedCard;
}

/** How many of the signatures are over this text. */
async function verifiedOver(form: string, signatures: SignedCard['signatures']): Promise<number> {
  const payload = Buffer.from(form).toString('base64url');
  const verified = await Promise.allSettled(
    signatures.map((signature) => flattenedVerify({ ...signature, payload }, publicKey)),
  );
  return verified.filter(({ status }) => status === 'fulfilled').length;
}

const SOURCE = {
  identity: {
    name: 'test agent',
    description: 'Sells.',
    provider: { organization: 'Test', url: 'https://publisher.example' },
    protocol: { version: '3.1', protocols_supported: ['media_buy'] },
  },
  version: '1.0.0',
  names: protocolNames(),
  baseUrl: 'https://agent.example',
};

describe('the signed card', () => {
  it.each(['1.0', undefined])('verifies by the official SDK, asked for as %s', async (version) => {
    const seen: unknown[] = [];
    const verify = verifyAgentCardSignature((kid, jku) => {
      seen.push(kid, jku);
      return Promise.resolve(publicKey);
    });
    await verify(AgentCard.fromJSON(await card(version)));
    expect(seen.slice(0, 2)).toEqual([key.kid, signer.jku]);
  });

  it.each(['1.0', '0.3', undefined])(
    'is signed over the very document that is served, and over the form of the Python SDK, asked for as %s',
    async (version) => {
      const { signatures, ...document } = await card(version);
      for (const form of [canonicalJson(document), pythonForm(document)])
        expect(await verifiedOver(form, signatures)).toBe(1);
    },
  );

  it.each(['JSONRPC', 'HTTP+JSON'] as const)(
    'is signed for one caller as for everybody, in the JSON of 0.3 over %s',
    async (binding) => {
      const extended = legacyExtendedForm(
        await extendedCard(
          { ...SOURCE, tasks: TASKS },
          {},
          newCall({ caller: user, wire: '0.3', binding, signal: () => new AbortController().signal }),
          signer,
        ),
        binding,
      );
      const { signatures, ...document } = extended as SignedCard;
      await expect(verifiedOver(canonicalJson(document), signatures)).resolves.toBe(1);
      await expect(verifiedOver(pythonForm(document), signatures)).resolves.toBe(1);
    },
  );

  it('does not verify when a word has been changed', async () => {
    const changed = AgentCard.fromJSON({ ...(await card('1.0')), name: 'somebody else' });
    await expect(verifyAgentCardSignature(() => Promise.resolve(publicKey))(changed)).rejects.toThrow();
  });
});

describe('access tokens', () => {
  it('[R13] are told from API keys by their form, and hold only what their scopes allow', async () => {
    const client = rpcClient(agent.url, TOKEN, '1.0');
    const { result } = await client.call('SendMessage', { message: invoke('echo', { say: 'x' }) });
    expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
    const refused = await client.call('SendMessage', { message: invoke('build', { thing: 'x' }) });
    expect(refused.error.data[1].error.code).toBe('FORBIDDEN');
    const extended = (await client.call('GetExtendedAgentCard')).result as unknown as { skills: { id: string }[] };
    expect(extended.skills.map(({ id }) => id)).toEqual(['echo']);
  });

  it('are not asked about where none are taken', async () => {
    const keys = { authenticate: () => Promise.resolve(undefined) };
    expect(eitherCredential(keys, undefined)).toBe(keys);
    expect(await eitherCredential(keys, undefined).authenticate(TOKEN)).toBeUndefined();
  });
});
