import { Command } from 'commander';
import { deliveryCommands } from './deliveries.ts';
import { destinationCommands } from './destinations.ts';
import type { Run } from './session.ts';

/** `webhooks …`: what is sent to buyers, and what became of it. */
export function webhookCommands(run: Run): Command {
  const webhooks = new Command('webhooks').description('What is sent to buyers, and what became of it.');
  for (const command of [...deliveryCommands(run), ...destinationCommands(run)]) webhooks.addCommand(command);
  return webhooks;
}
