import { parseArgs } from 'node:util';
import { startBuyerReceiver } from './buyer-receiver.ts';
import { readRunning } from './running-file.ts';
import { runProcess } from './process.ts';

const HELP = `usage: npm run receiver -- [--port 8090] [--agent URL]

Starts a buyer's webhook endpoint that verifies signatures and prints each event.
--agent  the sales agent's URL; default: the one running on DATA_DIR, else http://127.0.0.1:8080
`;

/** A buyer's webhook endpoint for people: verifies, prints, and says why it refuses what it refuses. */
await runProcess({ allowLoopback: true }, async (config) => {
  const { values } = parseArgs({
    options: { port: { type: 'string' }, agent: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const running = await readRunning(config.dataDir);
  const agentUrl = values.agent ?? running?.base_url ?? 'http://127.0.0.1:8080';
  const receiver = await startBuyerReceiver({
    agentUrl,
    protocolName: config.protocolName,
    port: Number(values.port ?? 8090),
    onWebhook: ({ event, raw }) => {
      process.stdout.write(
        `${event.timestamp ?? ''} ${event.task_type ?? event.format} ${event.status ?? ''}  signature verified\n`,
      );
      process.stdout.write(`${JSON.stringify(raw.json, null, 2)}\n`);
    },
    onOutcome: ({ outcome, status, code }) => {
      if (outcome !== 'handled') process.stdout.write(`answered ${status}: ${outcome}${code ? ` (${code})` : ''}\n`);
    },
  });
  process.stdout.write(`receiver ready\n  url    ${receiver.url}\n  agent  ${agentUrl}\n`);
  return receiver;
});
