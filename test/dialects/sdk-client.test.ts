import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADCPMultiAgentClient } from '#adcp-buyer/client';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';

let at: TestAgent;

beforeAll(async () => {
  at = await startTestAgent('sqlite');
});
afterAll(() => at.stop());

it('tries', async () => {
  const client = new ADCPMultiAgentClient([
    { id: 'us', name: 'us', agent_uri: at.baseUrl, protocol: 'a2a', auth_token: at.apiKey },
  ] as never);
  const agent = client.agent('us') as any;
  console.log(JSON.stringify(await agent.getAgentInfo?.()).slice(0, 300));
  console.log(JSON.stringify(await agent.getCapabilities?.()).slice(0, 900));
  const got = await agent.getProducts({ buying_mode: 'brief', brief: 'video for runners', brand: { domain: 'acme.example' } });
  console.log(JSON.stringify(got).slice(0, 1800));
  const wrong = await agent.getProducts({ buying_mode: 'refine', brand: { domain: 'acme.example' } }).catch((e: unknown) => String(e));
  console.log(JSON.stringify(wrong).slice(0, 1800));
  expect(1).toBe(1);
});
