import { describe, expect, it } from 'vitest';
import { wordsOfPath, shownUrl } from '../../src/platform/outbound/shown-url.ts';
import { withoutWebhookPaths, withoutWebhookSecrets } from '../../src/runtime/webhook-secrets.ts';

const webhook = {
  url: 'https://buyer.example/hook?key=SECRET-1#SECRET-2',
  token: 'SECRET-3',
  authentication: { schemes: ['Bearer'], credentials: 'SECRET-4 "quoted SECRET-5' },
};
const request = { skill: 'create_media_buy', input: { push_notification_config: webhook } };
const asText = JSON.stringify(request);

describe('[W11.text] a message that names a webhook', () => {
  it.each([
    ['a request', request],
    ['its text', asText],
    ['its text in a message', { parts: [{ text: asText }] }],
    ['with words around it', `Please do this:\n\n\`\`\`json\n${JSON.stringify(request, null, 2)}\n\`\`\`\nThanks`],
    ['a list of such', `[${asText},${asText}]`],
    ['cut short', asText.slice(0, -30)],
    ['cut within a secret', asText.slice(0, asText.indexOf('quoted SECRET-5') + 14)],
    ['as text within text', JSON.stringify({ note: `I sent ${asText}` })],
    ['escaped, with words around it', `I sent ${JSON.stringify(asText.replace('\\"quoted SECRET-5', ''))} yesterday`],
    [
      'as YAML',
      "push_notification_config:\n  url: https://buyer.example/hook?key=SECRET-1\n  token: SECRET-3\n  credentials: 'SECRET-4'",
    ],
  ])('is kept without what is secret: %s', (_form, value) => {
    const kept = JSON.stringify(withoutWebhookSecrets(value));
    expect(kept).not.toContain('SECRET');
    expect(kept).toContain('https://buyer.example/hook');
  });

  it('is kept as it is where it names none', () => {
    const plain = { text: 'our token: word, see https://acme.example/?utm=1', list: [1, 'a'] };
    expect(withoutWebhookSecrets(plain)).toBe(plain);
    const named = 'what is push_notification_config for?';
    expect(withoutWebhookSecrets(named)).toBe(named);
  });
});

describe("[W11.path] a webhook's URL, for others than its buyer", () => {
  it.each([
    ['https://hooks.example/services/T00/B00/Xy7z', 'https://hooks.example/services/*/*/*'],
    ['https://hooks.example/services/qJvNbRtLkPwZxCdF?a=1', 'https://hooks.example/services/*'],
    ['https://buyer.example/webhooks/media-buys/v2.1/', 'https://buyer.example/webhooks/media-buys/v2.1/'],
    ['https://buyer.example:8443/Hook#x', 'https://buyer.example:8443/Hook'],
    ['https://buyer.example', 'https://buyer.example'],
    [`https://buyer.example/${'a'.repeat(17)}`, 'https://buyer.example/*'],
    ['https://buyer.example/a-b-c-d-e/%41', 'https://buyer.example/*/*'],
  ])('%s stands as %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
    expect(shownUrl(shown)).toBe(shown);
  });

  it('stands so in what waits for an approval, and in paths of targets', () => {
    const push_notification_config = { url: 'https://hooks.example/services/T00/KEY7?x=1', operation_id: 'op-1' };
    expect(withoutWebhookPaths({ buyer_ref: 'b', push_notification_config })).toEqual({
      buyer_ref: 'b',
      push_notification_config: { url: 'https://hooks.example/services/*/*', operation_id: 'op-1' },
    });
    expect(wordsOfPath('/hooks/qJvNbRtLkPwZxCdF/*')).toBe('/hooks/*/*');
  });
});
