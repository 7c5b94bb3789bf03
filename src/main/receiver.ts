import { parseArgs } from 'node:util';
import { ConfigError } from './config/config-error.ts';
import { startBuyerReceiver } from './buyer-receiver.ts';
import { readRunning } from './process/running-file.ts';
import { messageOf, runProcess } from './process/process.ts';

const HELP = `usage: npm run receiver -- [--port 8090] [--agent URL]

Starts a buyer's webhook endpoint that verifies signatures and prints each event.
--agent  the sales agent's URL; default: the one running on DATA_DIR, else http://127.0.0.1:8080
`;

/** A buyer's webhook endpoint for people: verifies, prints, and says why it refuses what it refuses. */
await runProcess({ allowLoopback: true }, async (config) => {
  const { port, agent } = parsedArguments();
  const running = await readRunning(config.dataDir);
  const agentUrl = agent ?? running?.base_url ?? 'http://127.0.0.1:8080';
  const receiver = await startBuyerReceiver({
    agentUrl,
    protocolName: config.protocolName,
    port,
    onWebhook: ({ event, raw }) => {
      process.stdout.write(
        `${event.timestamp ?? ''} ${event.task_type ?? event.format} ${event.status ?? ''}  signature verified\n`,
      );
      process.stdout.write(`${JSON.stringify(raw.json, null, 2)}\n`);
    },
    onOutcome: ({ outcome, status, code, reason }) => {
      if (outcome === 'handled') return;
      process.stdout.write(`answered ${status}: ${outcome}${code ? ` (${code})` : ''}${reason ? `: ${reason}` : ''}\n`);
    },
  });
  process.stdout.write(`receiver ready\n  url    ${receiver.url}\n  agent  ${agentUrl}\n`);
  return receiver;
});

/** @throws {ConfigError} naming the mistake on the command line. */
function parsedArguments(): { port: number; agent: string | undefined } {
  const options = { port: { type: 'string' }, agent: { type: 'string' }, help: { type: 'boolean' } } as const;
  let values;
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    throw new ConfigError([messageOf(error)]);
  }
  if (values.help === true) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const port = Number(values.port ?? 8090);
  const mistakes: string[] = [];
  if (!Number.isInteger(port) || port < 0 || port > 65_535) mistakes.push('--port must be a whole number up to 65535');
  if (values.agent !== undefined && !URL.canParse(values.agent)) mistakes.push('--agent must be a URL');
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return { port, agent: values.agent };
}
