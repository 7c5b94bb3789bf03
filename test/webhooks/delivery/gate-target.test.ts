import { describe, expect, it } from 'vitest';
import { gateTargetOf } from '../../../src/webhooks/delivery/gate-target.ts';

const pathOf = (path: string) => gateTargetOf({ organization_id: 'org', url: `https://buyer.example${path}` }).path;

describe('[W18] what the gate takes a URL for', () => {
  it.each([
    ['', '/'],
    ['/webhooks/media-buys', '/webhooks/media-buys'],
    ['/Hooks/', '/Hooks/'],
    // Versions are words.
    ['/v1/hooks', '/v1/hooks'],
    ['/api/V2.1/hooks/v10', '/api/V2.1/hooks/v10'],
    // Whatever else has a digit is an id: numbers, UUIDs, what SDKs make of a task and an operation.
    ['/hooks/12345', '/hooks/*'],
    ['/hooks/0190b5a4-9d5e-7c1a-8a57-0f3f6d1b2c3d/events', '/hooks/*/events'],
    ['/webhook/create_media_buy/agent_7/op-1', '/webhook/create_media_buy/*/*'],
    ['/v12345', '/*'],
    ['/a%2Fb', '/*'],
    // And so is what is longer than words are.
    ['/hooks/kQzXbvLwNpRtYhJmGfDsAcVeUiOoPqKjH', '/hooks/*'],
    ['/hooks/completion-of-tasks', '/hooks/completion-of-tasks'],
    // The query says nothing, and one spelling is as good as another.
    ['/hooks?task=1&a=/b', '/hooks'],
    ['/x/../%68ooks', '/hooks'],
  ])('%s is %s', (path, shape) => {
    expect(pathOf(path)).toBe(shape);
  });

  it('has the origin in its one spelling, and the organization', () => {
    expect(gateTargetOf({ organization_id: 'org', url: 'HTTPS://Buyer.Example:443/hooks' })).toEqual({
      organization_id: 'org',
      origin: 'https://buyer.example',
      path: '/hooks',
    });
  });

  it('is short, however long the path', () => {
    const path = '/words'.repeat(1000);
    expect(pathOf(path)).toHaveLength(161);
    expect(pathOf(`${path}/more`)).toBe(pathOf(path));
  });
});
