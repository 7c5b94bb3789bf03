import { parseArgs } from 'node:util';
import { ConfigError } from './config/config-error.ts';
import { readConfig } from './config/config.ts';
import type { Config } from './config/config-shape.ts';
import { startOwnAgent } from './demo/own-agent.ts';
import type { AtHand } from './demo/own-agent.ts';
import { playStory } from './demo/story.ts';
import { closeNewFiles } from './process/data-dir.ts';
import { exitCodeOf, firstSignal, messageOf } from './process/process.ts';
import { readRunning } from './process/running-file.ts';

const HELP = `usage: npm run demo [-- --agent URL --api-key KEY] [--patience SECONDS]

Plays a whole media buy as a buyer's agent would, webhooks and their signatures included.
--agent     the sales agent's URL; default: the one running on DATA_DIR, else a fresh one
--api-key   a key of that agent; default: BOOTSTRAP_API_KEY
--patience  how long to wait for the webhooks; default: 60
`;

const say = (line: string) => {
  process.stdout.write(`${line}\n`);
};

interface Wishes {
  agentUrl: string | undefined;
  apiKey: string | undefined;
  timeoutMs: number;
}

/** The whole story against the agent that runs here, one named on the command line, or a fresh one. */
async function main(): Promise<void> {
  const config = readConfig(process.env, { allowLoopback: true });
  const wishes = readWishes(config);
  const agent = await atHand(config, wishes);
  const interrupted = firstSignal().then((signal) => {
    throw new Error(`interrupted by ${signal}`);
  });
  try {
    await Promise.race([play(config, agent, wishes), interrupted]);
  } finally {
    await agent.stop();
  }
}

async function play({ protocolName }: Config, agent: AtHand, { timeoutMs }: Wishes): Promise<void> {
  const { base_url: agentUrl, api_key: apiKey } = await agent.ready();
  say(`media-buy-agent demo\n  agent     ${agentUrl}`);
  const where = agent.dataDir === undefined ? '' : `DATA_DIR=${agent.dataDir} `;
  const approvalsCommand = `${where}npm run -s agent -- approvals list`;
  await playStory({ agentUrl, apiKey, protocolName, say, timeoutMs, approvalsCommand });
  say('the whole story, every signature verified');
}

/** @throws {ConfigError} naming every mistake on the command line. */
function readWishes(config: Config): Wishes {
  const { agent: agentUrl, ...values } = parsedArguments();
  const mistakes: string[] = [];
  const apiKey = values['api-key'] ?? config.bootstrapApiKey;
  if (agentUrl !== undefined && !/^https?:$/.test(URL.canParse(agentUrl) ? new URL(agentUrl).protocol : ''))
    mistakes.push('--agent must be an http or https URL');
  if (agentUrl !== undefined && apiKey === undefined) mistakes.push('--api-key is needed with --agent');
  const seconds = Number(values.patience ?? 60);
  if (!(seconds > 0 && seconds <= 3600)) mistakes.push('--patience must be 1 to 3600 seconds');
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return { agentUrl: agentUrl?.replace(/\/+$/, ''), apiKey, timeoutMs: seconds * 1000 };
}

function parsedArguments() {
  const options = {
    agent: { type: 'string' },
    'api-key': { type: 'string' },
    patience: { type: 'string' },
    help: { type: 'boolean' },
  } as const;
  try {
    const { values } = parseArgs({ options });
    if (values.help !== true) return values;
  } catch (error) {
    throw new ConfigError([messageOf(error)]);
  }
  process.stdout.write(HELP);
  process.exit(0);
}

async function atHand({ dataDir }: Config, { agentUrl, apiKey }: Wishes): Promise<AtHand> {
  const stop = () => Promise.resolve();
  if (agentUrl !== undefined) {
    return { ready: () => Promise.resolve({ base_url: agentUrl, api_key: apiKey ?? '' }), stop };
  }
  const { base_url, api_key } = (await readRunning(dataDir)) ?? {};
  if (base_url !== undefined && api_key !== undefined)
    return { ready: () => Promise.resolve({ base_url, api_key }), stop };
  say('no agent runs here; starting one for the demo');
  return startOwnAgent();
}

closeNewFiles();
try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`the demo failed: ${messageOf(error)}\n`);
  process.exit(exitCodeOf(error));
}
