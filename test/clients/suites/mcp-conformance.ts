/** Runs scenarios of MCP's conformance kit, each by its name, against the conformance agent. Arguments: where the kit is, scenarios. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { projectRoot } from '../../support/project-files.ts';
import { printedBy, tell } from './told.ts';

const Checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

const SCENARIO_WITHIN_MS = 60_000;

const [kit = '', ...scenarios] = process.argv.slice(2);
const program = join(kit, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const node = join(kit, 'node_modules', 'node', 'bin', 'node');

const agent = spawn(process.execPath, [join(projectRoot, 'scripts', 'run.mjs'), 'conformance-agent'], {
  env: { ...process.env, PORT: '0', BOOTSTRAP_API_KEY: '' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(agent, 'exit');
const results = await mkdtemp(join(tmpdir(), 'mcp-conformance-'));
try {
  const lines = createInterface(agent.stdout)[Symbol.asyncIterator]();
  const { value } = (await lines.next()) as { value: unknown };
  const { base_url } = z.object({ base_url: z.string() }).parse(JSON.parse(String(value)));
  for (const scenario of scenarios) {
    const folder = join(results, scenario);
    const args = ['server', '--url', `${base_url}/mcp`, '--scenario', scenario, '-o', folder];
    const env = { ...process.env, NO_COLOR: '1' };
    const printed = await printedBy(node, [program, ...args], { env, withinMs: SCENARIO_WITHIN_MS });
    tell('MCP', scenario, (await faultsIn(folder)) ?? [`it wrote no checks: ${printed}`]);
  }
} finally {
  agent.kill('SIGTERM');
  await ended;
  await rm(results, { recursive: true, force: true });
}

/** What checks found, warnings too; undefined where nothing was checked. */
async function faultsIn(folder: string): Promise<string[] | undefined> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const written = files.find((file) => file.endsWith('checks.json'));
  if (written === undefined) return undefined;
  const checks = Checks.parse(JSON.parse(await readFile(join(folder, written), 'utf8')));
  if (!checks.some(({ status }) => status === 'SUCCESS')) return undefined;
  const bad = checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
  return bad.map(({ id, status, errorMessage = '' }) => `${id} ${status}: ${errorMessage}`);
}
