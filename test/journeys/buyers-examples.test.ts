import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../support/project-files.ts';
import { until } from '../support/until.ts';
import { operate } from './support/operator.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';

const EXAMPLES = { 'first-buy.sh': 'sh', 'first-buy.mjs': process.execPath, 'first_buy.py': 'python3' } as const;
const fileOf = (name: string) => join(projectRoot, 'examples', 'buyer', name);

describe('a buyer’s first media buy, as docs/buying.md has it', () => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite');
  });
  afterAll(() => agent.stop());

  // `npm run test:clients` runs the one in Python, which needs the SDK in Python.
  it.each(['first-buy.sh', 'first-buy.mjs'] as const)('%s finds products and buys', async (name) => {
    const env = { PATH: process.env['PATH'] ?? '', AGENT_URL: agent.baseUrl, API_KEY: agent.apiKey };
    const ran = spawn(EXAMPLES[name], [fileOf(name)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [told, [status]] = await Promise.all([text(ran.stdout), once(ran, 'exit') as Promise<[number]>]);
    expect([status, told]).toEqual([0, expect.stringContaining('podcast_network_dynamic')]);
    const [, media_buy_id = ''] = /"media_buy_id": ?"([^"]+)"/.exec(told) ?? [];
    const { body } = await operate(agent, 'GET', `/media-buys/${media_buy_id}`);
    expect(body['buyer_ref']).toMatch(/^first-buy-/);
  });

  it('first-buy.mjs waits for whom its buy waits for, and says so', async () => {
    const seller = await startTestAgent('sqlite', { env: { APPROVAL_OVER: 'USD:5000', APPROVAL_OVER_USD: '' } });
    try {
      const env = { PATH: process.env['PATH'] ?? '', AGENT_URL: seller.baseUrl, API_KEY: seller.apiKey };
      const ran = spawn(process.execPath, [fileOf('first-buy.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      const ending = Promise.all([text(ran.stdout), once(ran, 'exit')]);
      const { approval_id } = await until(async () => {
        const { body } = await operate(seller, 'GET', '/approvals?status=pending');
        return (body['approvals'] as { approval_id: string }[])[0];
      });
      expect((await operate(seller, 'POST', `/approvals/${approval_id}/approve`, {})).status).toBe(200);
      const [told] = await ending;
      expect(told).toMatch(/approv.*"media_buy_id": /s);
    } finally {
      await seller.stop();
    }
  });

  it('the paper shows each example as it stands', async () => {
    const paper = await readFile(join(projectRoot, 'docs', 'buying.md'), 'utf8');
    for (const name of Object.keys(EXAMPLES))
      expect(paper).toContain(`\n${await readFile(fileOf(name), 'utf8')}\`\`\`\n`);
  });
});
