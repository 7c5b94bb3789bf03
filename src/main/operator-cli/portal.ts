import { Command } from 'commander';
import { createBuyersPortalLink, endBuyersPortalSessions } from '../../admin/operator/buyers/portal.ts';
import type { Run } from './session.ts';
import { facts } from './table.ts';

/** `portal …`: who is let in to the buyers' portal. */
export function portalCommands(run: Run): Command {
  return new Command('portal')
    .description("The buyers' portal.")
    .addCommand(
      run(new Command('link').description(createBuyersPortalLink.summary).argument('<organization_id>'), {
        ask: (client, [organization_id]: [string]) =>
          client.call(createBuyersPortalLink, { params: { organization_id } }),
        show: ({ portal_url, expires_at }) =>
          facts([
            ['link', portal_url],
            ['expires', expires_at],
          ]),
      }),
    )
    .addCommand(
      run(
        new Command('end-sessions')
          .description(endBuyersPortalSessions.summary)
          .argument('<organization_id>')
          .requiredOption('--reason <words>', 'why, for the record'),
        {
          ask: (client, [organization_id]: [string], { reason }: { reason: string }) =>
            client.call(endBuyersPortalSessions, { params: { organization_id }, body: { reason } }),
          show: ({ sessions_ended }) => `${sessions_ended} sessions ended\n`,
        },
      ),
    );
}
