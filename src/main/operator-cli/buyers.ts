import { Command } from 'commander';
import { addBuyerKey, listBuyerKeys, rerollBuyerKey, revokeBuyerKey } from '../../admin/operator/buyers/api-keys.ts';
import type { BuyerKeyView } from '../../admin/operator/buyers/api-keys.ts';
import { listBuyerPeople } from '../../admin/operator/buyers/people.ts';
import { listRefusals } from '../../admin/operator/buyers/refusals.ts';
import { addBuyer, restoreBuyer, showBuyer, suspendBuyer } from '../../admin/operator/buyers/operations.ts';
import type { BuyerView } from '../../admin/operator/buyers/operations.ts';
import { limitsCommand } from './buyer-limits.ts';
import { listBuyersCommand } from './buyer-list.ts';
import { standingCommand } from './buyer-standing.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

/** `buyers …`: organizations and their API keys. */
export function buyerCommands(run: Run): Command {
  return new Command('buyers')
    .description('Organizations, and their API keys.')
    .addCommand(listBuyersCommand(run))
    .addCommand(
      run(new Command('show').description(showBuyer.summary).argument('<organization_id>'), {
        ask: (client, [organization_id]: [string]) => client.call(showBuyer, { params: { organization_id } }),
        show: shown,
      }),
    )
    .addCommand(standingCommand(run))
    .addCommand(limitsCommand(run))
    .addCommand(
      run(new Command('add').description(addBuyer.summary).argument('<name>'), {
        ask: (client, [name]: [string]) => client.call(addBuyer, { body: { name } }),
        show: shown,
      }),
    )
    .addCommand(
      run(
        new Command('suspend')
          .description(suspendBuyer.summary)
          .argument('<organization_id>')
          .requiredOption('--reason <words>', 'why, for the record; the buyer is not told')
          .option('--stop-webhooks', 'its webhooks wait, too; default: they go on'),
        {
          ask: (client, [organization_id]: [string], given: { reason: string; stopWebhooks?: true }) =>
            client.call(suspendBuyer, {
              params: { organization_id },
              body: { reason: given.reason, ...(given.stopWebhooks && { webhooks: 'stop' }) },
            }),
          show: (answer) => `${shown(answer)}Every process knows within ${answer.known_within_seconds} seconds.\n`,
        },
      ),
    )
    .addCommand(
      run(new Command('restore').description(restoreBuyer.summary).argument('<organization_id>'), {
        ask: (client, [organization_id]: [string]) => client.call(restoreBuyer, { params: { organization_id } }),
        show: (answer) => `${shown(answer)}Every process knows within ${answer.known_within_seconds} seconds.\n`,
      }),
    )
    .addCommand(
      run(paged(new Command('people').description(listBuyerPeople.summary).argument('<organization_id>')), {
        ask: (client, [organization_id]: [string], { limit, cursor }: PagingOptions) =>
          client.call(listBuyerPeople, { params: { organization_id }, query: { limit, cursor } }),
        rows: (answer) => answer.people,
        show: (answer) =>
          table(
            ['PERSON', 'E-MAIL', 'ROLE', 'SINCE'],
            answer.people.map(({ user_id, email, role, since }) => [user_id, email ?? '', role, since]),
          ) + more(answer),
      }),
    )
    .addCommand(
      run(new Command('refusals').description(listRefusals.summary).argument('<organization_id>'), {
        ask: (client, [organization_id]: [string]) => client.call(listRefusals, { params: { organization_id } }),
        rows: (answer) => answer.refusals,
        show: ({ refusals }) =>
          table(
            ['AT', 'TASK', 'TYPE', 'STATE', 'CODE', 'FIELD', 'MESSAGE'],
            refusals.map(({ at, task_id, task_type, state, code, field, message }) => [
              ...[at, task_id, task_type, state, code ?? '', field ?? '', message],
            ]),
          ),
      }),
    )
    .addCommand(keyCommandsOfBuyers(run));
}

interface AddKeyOptions {
  scopes?: string;
  expires?: string;
}

interface RerollOptions {
  overlapDays: string;
  expires?: string;
}

function keyCommandsOfBuyers(run: Run): Command {
  return new Command('keys')
    .description("An organization's API keys.")
    .addCommand(
      run(paged(new Command('list').description(listBuyerKeys.summary).argument('<organization_id>')), {
        ask: (client, [organization_id]: [string], { limit, cursor }: PagingOptions) =>
          client.call(listBuyerKeys, { params: { organization_id }, query: { limit, cursor } }),
        rows: (answer) => answer.api_keys,
        show: (answer) => keysListed(answer.api_keys) + more(answer),
      }),
    )
    .addCommand(
      run(
        new Command('add')
          .description(addBuyerKey.summary)
          .argument('<organization_id>')
          .argument('<name>')
          .option('--scopes <scopes>', 'with commas between; default: every one')
          .option(
            '--expires <time>',
            'when it ends, such as 2027-01-31 (at 0:00 UTC) or 2027-01-31T12:00:00Z; default: never',
          ),
        {
          ask: (client, [organization_id, name]: [string, string], { scopes, expires }: AddKeyOptions) =>
            client.call(addBuyerKey, {
              params: { organization_id },
              body: { name, scopes, expires_at: expires === undefined ? undefined : timeOf(expires) },
            }),
          show: (answer) => `${keysListed([answer])}\nThe key, shown this once:\n${answer.key}\n`,
        },
      ),
    )
    .addCommand(
      run(
        new Command('reroll')
          .description(rerollBuyerKey.summary)
          .argument('<organization_id>')
          .argument('<api_key_id>')
          .requiredOption('--overlap-days <days>', 'for how long the former one goes on, 0 to 30 days')
          .option('--expires <time>', 'when the new one ends, as of "add"; default: as the former one would have'),
        {
          ask: (client, [organization_id, api_key_id]: [string, string], given: RerollOptions) =>
            client.call(rerollBuyerKey, {
              params: { organization_id, api_key_id },
              body: {
                overlap_days: given.overlapDays,
                expires_at: given.expires === undefined ? undefined : timeOf(given.expires),
              },
            }),
          show: (answer) => `${keysListed([answer, answer.former])}\nThe new key, shown this once:\n${answer.key}\n`,
        },
      ),
    )
    .addCommand(
      run(
        new Command('revoke')
          .description(revokeBuyerKey.summary)
          .argument('<organization_id>')
          .argument('<api_key_id>')
          .requiredOption('--reason <words>', 'why, for the record'),
        {
          ask: (client, [organization_id, api_key_id]: [string, string], { reason }: { reason: string }) =>
            client.call(revokeBuyerKey, { params: { organization_id, api_key_id }, body: { reason } }),
          show: (answer) => keysListed([answer]),
        },
      ),
    );
}

/** A day alone is its beginning, in UTC; whatever else, the agent reads. */
function timeOf(expires: string): string {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(expires) && !Number.isNaN(Date.parse(expires));
  return isDay ? new Date(expires).toISOString() : expires;
}

function shown(row: BuyerView): string {
  return facts([
    ['organization', row.organization_id],
    ['name', row.name],
    ['kind', row.company_type ?? undefined],
    ['domain', row.corporate_domain ?? undefined],
    ['state', row.state],
    ['since', row.created_at],
    ['suspended', row.suspended_at ?? undefined],
    ['by', row.suspension?.by],
    ['reason', row.suspension?.reason],
    ['webhooks', row.suspension === null ? undefined : row.suspension.webhooks === 'stop' ? 'wait' : 'go on'],
  ]);
}

function keysListed(keys: readonly BuyerKeyView[]): string {
  if (keys.length === 0) return 'It has no key.\n';
  const rows = keys.map((key) => [
    ...[key.api_key_id, key.name, `...${key.key_hint}`, key.scopes.join(' '), key.created_at],
    key.last_used_at ?? 'never used',
    key.revoked_at === null ? (key.expires_at ?? '') : `revoked ${key.revoked_at}`,
  ]);
  return table(['KEY', 'NAME', 'HINT', 'SCOPES', 'MADE', 'LAST USED', 'ENDS'], rows);
}
