import { describe, expect, it } from 'vitest';
import { createSigningKeySets } from '../../../src/webhooks/keys/signing-key-sets.ts';
import { SigningKeys, WebhookSigningKeys } from '../../../src/webhooks/keys/signing-key-row.ts';
import { generateSigningKey, signingKeyToJwk } from '../../../src/webhooks/signing/signing-key.ts';
import { judge } from '../support/judge.ts';
import { openReceiver } from '../support/open-receiver.ts';
import { NAMES, openSender, storedRun, withStatuses } from '../support/open-sender.ts';
import { registration } from '../support/registrations.ts';

const jwkOf = (alg: 'ed25519' | 'ecdsa-p256-sha256', kid: string) =>
  signingKeyToJwk(generateSigningKey(alg, { names: NAMES, kid }));

describe('[C.webhook.signatures.1] a key for webhooks only', () => {
  it('signs webhooks, verified by an independent implementation; another signs the rest; both are published', async () => {
    const receiver = await openReceiver();
    const webhooksOnly = [jwkOf('ecdsa-p256-sha256', 'webhooks-1'), jwkOf('ed25519', 'webhooks-2')];
    const sender = await openSender({ keyOptions: { webhooksOnly } });
    const run = await storedRun(sender, [registration(receiver.url())]);
    await sender.webhooks.notifier.notify(withStatuses(run, { state: 'working' }));
    await sender.attempt(await sender.deliveryOf(run.task_id));
    const { keys } = await sender.webhooks.jwks();
    const params = await judge(receiver.request(), keys, sender.clock.now());
    expect(params).toMatchObject({ alg: 'ecdsa-p256-sha256', keyid: 'webhooks-1' });
    const other = await sender.webhooks.keys.signer();
    const of30 = await sender.webhooks.keys.webhookSigner('adcp/3.0');
    // To ask for a key, as above, is not to sign with it.
    expect([...sender.webhooks.keys.signed()]).toEqual([['webhooks-1', 1]]);
    const USED = 'request-signing';
    expect(keys.map(({ kid, proto_use, adcp_use }) => [kid, proto_use, adcp_use])).toEqual([
      ...[other.kid, 'webhooks-1', 'webhooks-2'].map((kid) => [kid, USED, USED]),
      [of30.kid, 'webhook-signing', 'webhook-signing'],
    ]);
    expect(await sender.webhooks.keys.list()).toMatchObject([
      { kid: other.kid, part: 'signing' },
      { kid: 'webhooks-1', part: 'signing', webhooks_only: true },
      { kid: 'webhooks-2', webhooks_only: true },
      { kid: of30.kid, part: 'signing', webhooks_only: true },
    ]);
    await sender.close();
    await receiver.close();
  });

  it('leaves the other to be rotated and revoked, and is its owner’s to take away', async () => {
    const sender = await openSender({ keyOptions: { webhooksOnly: [jwkOf('ed25519', 'webhooks-1')] } });
    const { keys } = sender.webhooks;
    const { kid } = await keys.signer();
    expect(await keys.rotate()).not.toBe(kid);
    expect(await keys.revoke(kid)).toBe(true);
    await expect(keys.revoke('webhooks-1')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await keys.revoke('none')).toBe(false);
    await sender.close();
  });

  it('is no other key of the agent', async () => {
    const key = jwkOf('ed25519', 'one');
    const sender = await openSender();
    const keys = sender.store.collection(SigningKeys);
    const webhookKeys = sender.store.collection(WebhookSigningKeys);
    const keySets = () =>
      createSigningKeySets({ ...sender.dependencies, keys, webhookKeys, configured: [key], webhooksOnly: [key] });
    expect(keySets).toThrow('same kid');
    await sender.close();
  });
});

it('[W12] configured keys that their owner has revoked are listed as such and not published', async () => {
  const configured = [jwkOf('ed25519', 'good'), jwkOf('ed25519', 'leaked')];
  const sender = await openSender({ keyOptions: { configured, revokedKids: ['leaked', 'gone'] } });
  expect((await sender.webhooks.revocations()).revoked_kids).toEqual(['leaked', 'gone']);
  const of30 = await sender.webhooks.keys.webhookSigner('adcp/3.0');
  expect((await sender.webhooks.jwks()).keys.map(({ kid }) => kid)).toEqual(['good', of30.kid]);
  await sender.close();
});
