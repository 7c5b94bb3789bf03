import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADCPMultiAgentClient } from '#adcp-buyer/client';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';

let at: TestAgent;

beforeAll(async () => {
  at = await startTestAgent('sqlite', { working: false });
});
afterAll(() => at.stop());

function buyer() {
  const config = { id: 'us', name: 'us', agent_uri: at.baseUrl, protocol: 'a2a' as const, auth_token: at.apiKey };
  return new ADCPMultiAgentClient([config]).agent('us');
}

it('[D1] the public client of release 3.0, as it is, finds the agent, what it can do and what it sells', async () => {
  const agent = buyer();
  const info = await agent.getAgentInfo();
  expect(info.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['get_adcp_capabilities', 'get_products', 'list_creative_formats', 'tasks/get']),
  );
  const capabilities = await agent.getCapabilities();
  expect(capabilities).toMatchObject({
    version: 'v3',
    majorVersions: [3],
    protocols: ['media_buy'],
    _synthetic: false,
  });

  const found = await agent.getProducts({ buying_mode: 'brief', brief: 'video', brand: { domain: 'acme.example' } });
  expect(found).toMatchObject({ success: true, status: 'completed' });
  expect(found.data?.products?.length).toBeGreaterThan(0);
  const formats = await agent.listCreativeFormats({ asset_types: ['image'] });
  expect(formats).toMatchObject({ success: true, status: 'completed' });
  expect(formats.data?.formats?.length).toBeGreaterThan(0);
});

it('[D2.refusals] the same client reads code, field and recovery of a refusal', async () => {
  const refused = await buyer().getProducts({ buying_mode: 'brief', brief: ' ', brand: { domain: 'acme.example' } });
  expect(refused).toMatchObject({
    success: false,
    adcpError: { code: 'INVALID_REQUEST', field: 'brief', recovery: 'correctable' },
  });
});
