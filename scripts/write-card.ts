/**
 * Writes agent-card/agent-card.json: the card of A2A 1.0 as an agent at a placeholder address serves it, for people and
 * registries to read. `--check` only says, by the exit code, whether the file is fresh.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AgentCard } from '@a2a-js/sdk';
import { buildAgentCard } from '../src/a2a/card/agent-card.ts';
import { CardIdentity } from '../src/a2a/card/identity.ts';
import { WAIT_LIMITS } from '../src/a2a/wait-limits.ts';
import { publicSkillsOf } from '../src/dialects/dialects.ts';
import { noCounters } from '../src/platform/metrics/metrics.ts';
import { createLogger } from '../src/platform/log.ts';
import { protocolNames } from '../src/platform/protocol-name.ts';
import { openStore } from '../src/platform/store/store.ts';
import { approvalOver } from '../src/sales/approval/approval-policy.ts';
import { loadCatalog } from '../src/sales/catalog.ts';
import { ownEndpoints } from '../src/main/wiring/oauth.ts';
import { composeSales } from '../src/main/wiring/sales.ts';
import { createFullTextRanker } from '../src/sales/product/full-text-ranker.ts';
import { callingGuide } from '../src/tasks/calling-guide.ts';
import { taskDefinitions } from '../src/tasks/index.ts';

const ROOT = join(import.meta.dirname, '..');
const BASE_URL = 'https://sales-agent.example';
/** Examples with dates in them count from here, so that the file does not change by itself. */
const NOW = Date.parse('2026-01-01T00:00:00.000Z');

export const CARD_FILE = join(ROOT, 'agent-card', 'agent-card.json');

/** The tasks as they are described to callers; none of them can be run. */
export async function describedTasks() {
  const clock = { now: () => NOW };
  const log = createLogger('silent');
  const catalog = await loadCatalog(join(ROOT, 'catalog'), { baseUrl: BASE_URL });
  // Never prepared, so nothing is opened: the tasks are described here, not run.
  const store = await openStore({ dataDir: join(ROOT, 'data'), logger: log });
  const calling = callingGuide({ baseUrl: BASE_URL, catalog, nowMs: NOW, ...WAIT_LIMITS });
  const sales = composeSales({ store, clock, log, simSpeed: 1 });
  const tasks = taskDefinitions({
    ...sales,
    ...{ clock, catalog, counters: noCounters },
    ranker: createFullTextRanker(catalog),
    approvalPolicy: approvalOver(new Map()),
    wakeTask: () => Promise.resolve(false),
    names: protocolNames(),
    outbound: { fetchBytes: never },
    tasks: { read: never, list: never },
    redirectTask: never,
    buyWebhooks: { seal: (config) => config, begin: (buy) => buy, set: never },
    accountWebhooks: { seal: (config) => config, wouldBe: (account) => ({ account, action: 'unchanged' }), set: never },
    webhookActivity: never,
    capabilities: { legacySchemes: [], mayAskPerson: never, impairmentWindowSeconds: 60, calling },
  });
  const releases = { aliases: new Map(), majorOnly: '3.0' } as const;
  const publicSkills = publicSkillsOf({
    ...{ ...sales, catalog, clock, releases, version: '', baseUrl: '', isSimulated: true },
    mayAskPerson: never,
    publishedKeys: () => Promise.resolve({ keys: [] }),
    checkWebhook: () => undefined,
  });
  return { tasks, publicSkills, calling };
}

/** The text that the file should have. */
export async function cardText(): Promise<string> {
  const { tasks, publicSkills, calling } = await describedTasks();
  const card = buildAgentCard({
    identity: CardIdentity.parse(await json('agent-card/identity.json')),
    version: ((await json('package.json')) as { version: string }).version,
    names: protocolNames(),
    tasks: [...tasks.values()],
    publicSkills,
    baseUrl: BASE_URL,
    oauth: ownEndpoints(BASE_URL),
    calling,
  });
  return `${JSON.stringify(AgentCard.toJSON(card), null, 2)}\n`;
}

/** Tasks are described here, not run. */
function never(): Promise<never> {
  return Promise.reject(new Error('the card is written without running a task'));
}

async function json(path: string): Promise<unknown> {
  return JSON.parse(await readFile(join(ROOT, path), 'utf8')) as unknown;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = await cardText();
  if (!process.argv.includes('--check')) await writeFile(CARD_FILE, text);
  else if (text !== (await readFile(CARD_FILE, 'utf8'))) {
    console.error('agent-card/agent-card.json is stale: run npx tsx scripts/write-card.ts');
    process.exitCode = 1;
  }
}
