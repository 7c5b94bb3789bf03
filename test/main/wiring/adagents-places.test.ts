import { expect, it } from 'vitest';
import { readConfig } from '../../../src/main/config/config.ts';
import { adAgentsPlaces } from '../../../src/main/wiring/adagents-places.ts';
import { createOutbound } from '../../../src/platform/outbound/outbound-client.ts';
import { fetchAdAgents } from '../../../src/registry/crawl/fetch-adagents.ts';
import { serveHttp } from '../../platform/outbound/support/servers.ts';

it('[W16] reads the file of a rehearsed publisher from this machine, and only where loopback is allowed', async () => {
  const { port } = await serveHttp((_request, response) => {
    response.end('{"authorized_agents":[]}');
  });
  const env = { LOOPBACK_PUBLISHERS: `other.example=1,WWW.News.example=${port}`, ALLOW_LOOPBACK: 'true' };
  const { adAgentsUrl, brandJsonUrl, claimFileUrl } = adAgentsPlaces(readConfig(env, { allowLoopback: false }));
  expect(adAgentsUrl('shop.example')).toBe('https://shop.example/.well-known/adagents.json');
  expect(brandJsonUrl('shop.example')).toBe('https://shop.example/.well-known/brand.json');
  expect(brandJsonUrl('news.example')).toBe(`http://127.0.0.1:${port}/.well-known/brand.json`);
  const proof = '/.well-known/media-buy-agent-claim.txt';
  expect(claimFileUrl('shop.example')).toBe(`https://shop.example${proof}`);
  expect(claimFileUrl('news.example')).toBe(`http://127.0.0.1:${port}${proof}`);
  const look = { url: adAgentsUrl('news.example'), publisherDomain: 'news.example', nowMs: Date.now() };
  const outcomes: Record<string, string> = {};
  for (const allowLoopback of [true, false]) {
    const out = createOutbound({ allowLoopback });
    const found = await fetchAdAgents({ out, deadline: performance.now() + 60_000 }, look);
    outcomes[String(allowLoopback)] = found.kind;
    await out.close();
  }
  expect(outcomes).toEqual({ true: 'read', false: 'failed' });
});

it.each([
  [{ LOOPBACK_PUBLISHERS: 'news.example=8090' }, 'ALLOW_LOOPBACK'],
  [{ LOOPBACK_PUBLISHERS: 'news.example=8090', ALLOW_LOOPBACK: 'false' }, 'ALLOW_LOOPBACK'],
  [{ LOOPBACK_PUBLISHERS: 'localhost=8090', ALLOW_LOOPBACK: 'true' }, 'must name domains'],
  [{ LOOPBACK_PUBLISHERS: 'news.example=99999', ALLOW_LOOPBACK: 'true' }, 'ports from 1 to 65535'],
  [{ LOOPBACK_PUBLISHERS: 'news.example', ALLOW_LOOPBACK: 'true' }, 'domain=port'],
])('refuses %j', (env, words) => {
  expect(() => readConfig(env, { allowLoopback: false })).toThrow(words);
});
