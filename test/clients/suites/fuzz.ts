/** Runs the public SDK's own fuzzer over each transport against one fresh agent, always with the same seed. Arguments: a folder, tools. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ADCPMultiAgentClient } from '#adcp-buyer/client';
import { startOwnAgent } from '../../../src/main/demo/own-agent.ts';
import { projectRoot } from '../../support/project-files.ts';
import { printedBy, tell } from './told.ts';

const SEED = 42;
/** Calls for each tool. */
const CALLS = 40;
const WITHIN_MS = 240_000;
const FLIGHT_MS = 20 * 86_400_000;

const Tool = z.object({ runs: z.int(), failed: z.int(), skipped: z.boolean(), skipReason: z.string().optional() });
const Report = z.object({
  perTool: z.record(z.string(), Tool),
  failures: z.array(z.looseObject({ tool: z.string() })),
  uniformError: z.array(
    z.object({ tool: z.string(), verdict: z.string(), differences: z.array(z.string()).optional() }),
  ),
});

const TRANSPORTS = [
  ['A2A', 'a2a', ''],
  ['MCP', 'mcp', '/mcp'],
] as const;

const [, ...tools] = process.argv.slice(2);
const program = join(projectRoot, 'packages', 'adcp-buyer', 'node_modules', '@adcp', 'sdk', 'bin', 'adcp.js');
const home = await mkdtemp(join(tmpdir(), 'adcp-fuzz-'));
const agent = await startOwnAgent();
try {
  const { base_url, api_key } = await agent.ready();
  const bought = await buy(base_url, api_key);
  for (const [binding, protocol, path] of TRANSPORTS) {
    const args = ['fuzz', `${base_url}${path}`, '--protocol', protocol, '--auth-token', api_key, '--format', 'json'];
    const bounds = ['--seed', String(SEED), '--turn-budget', String(CALLS), '--tools', tools.join(',')];
    const fixtures = Object.entries(bought).flatMap(([pool, id]) => ['--fixture', `${pool}=${id}`]);
    const options = { env: { ...process.env, HOME: home }, withinMs: WITHIN_MS };
    const report = Report.parse(
      JSON.parse(await printedBy(process.execPath, [program, ...args, ...bounds, ...fixtures], options)),
    );
    judge(binding, report);
  }
} finally {
  await agent.stop();
  await rm(home, { recursive: true, force: true });
}

function judge(binding: string, { perTool, failures, uniformError }: z.infer<typeof Report>): void {
  for (const tool of tools) {
    const told = perTool[tool];
    const isRun = told !== undefined && !told.skipped && told.runs > 0;
    const faults = failures.filter((one) => one.tool === tool).map((one) => JSON.stringify(one));
    tell(binding, tool, isRun ? faults : [`was not fuzzed: ${told?.skipReason ?? 'it is not known'}`]);
  }
  const probed = uniformError.filter(({ tool }) => tools.includes(tool));
  const unlike = probed.filter(({ verdict }) => verdict !== 'pass');
  const found = unlike.map((one) => `${one.tool}: ${one.verdict}: ${one.differences?.join('; ') ?? ''}`);
  tell(binding, 'uniform errors', probed.length === 0 ? ['nothing was probed'] : found);
}

/** A media buy for calls to be of something that there is. */
async function buy(agent_uri: string, auth_token: string): Promise<Record<string, string>> {
  const config = { id: 'seller', name: 'seller', agent_uri, protocol: 'a2a' as const, auth_token };
  const buyer = new ADCPMultiAgentClient([config]).agent('seller');
  const brand = { domain: 'fuzz.example' };
  const found = await buyer.getProducts({ buying_mode: 'wholesale', brand, filters: { is_fixed_price: true } });
  const product = found.data?.products.find(
    ({ delivery_type, pricing_options: [first] }) =>
      delivery_type === 'non_guaranteed' && first !== undefined && 'fixed_price' in first,
  );
  const [option] = product?.pricing_options ?? [];
  if (product === undefined || option === undefined) throw new Error('nothing is for sale');
  const made = await buyer.createMediaBuy({
    ...{ account: { brand, operator: brand.domain }, brand, idempotency_key: randomUUID(), start_time: 'asap' },
    end_time: new Date(Date.now() + FLIGHT_MS).toISOString(),
    packages: [{ product_id: product.product_id, pricing_option_id: option.pricing_option_id, budget: 45_000 }],
  });
  if (!made.success) throw new Error(`nothing could be bought: ${JSON.stringify(made)}`);
  const { media_buy_id, packages } = z
    .object({ media_buy_id: z.string(), packages: z.tuple([z.object({ package_id: z.string() })]) })
    .parse(made.data);
  return { media_buy_ids: media_buy_id, package_ids: packages[0].package_id };
}
