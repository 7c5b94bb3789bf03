import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from './config.ts';
import { startOwnAgent } from './demo/own-agent.ts';
import type { AtHand } from './demo/own-agent.ts';
import { playStory } from './demo/story.ts';
import { readRunning } from './running-file.ts';

const say = (line: string) => {
  process.stdout.write(`${line}\n`);
};

/** The whole story against the agent that runs here, one named on the command line, or a fresh one. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { agent: { type: 'string' }, 'api-key': { type: 'string' } } });
  const config = readConfig(process.env, { allowLoopback: true });
  const agent = await atHand(config.dataDir, values.agent, values['api-key'] ?? config.bootstrapApiKey);
  try {
    say(`media-buy-agent demo\n  agent     ${agent.base_url}`);
    await playStory({ agentUrl: agent.base_url, apiKey: agent.api_key, protocolName: config.protocolName, say });
    say('the whole story, every signature verified');
  } finally {
    await agent.stop();
  }
}

async function atHand(dataDir: string, base_url: string | undefined, api_key: string | undefined): Promise<AtHand> {
  const stop = () => Promise.resolve();
  if (base_url !== undefined) {
    if (api_key === undefined) throw new ConfigError(['--api-key is needed with --agent']);
    return { base_url, api_key, stop };
  }
  const running = await readRunning(dataDir);
  if (running !== undefined) return { ...running, stop };
  say('no agent runs here; starting one for the demo');
  return startOwnAgent();
}

try {
  await main();
  process.exit(0);
} catch (error) {
  process.stderr.write(`the demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
