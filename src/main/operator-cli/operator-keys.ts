import { Command, Option } from 'commander';
import { addOperatorKey, listOperatorKeys, revokeOperatorKey } from '../../admin/operator/people/operator-keys.ts';
import type { OperatorKeyView } from '../../admin/operator/people/operator-keys.ts';
import { OPERATOR_ROLES } from '../../directory/operator/operator.ts';
import { more, paged } from './paging.ts';
import type { PagingOptions } from './paging.ts';
import type { Run } from './session.ts';
import { table } from './table.ts';

interface AddOptions {
  role: string;
  person?: string;
  days?: string;
}

/** `operator-keys …`: keys of the operator API with a name and a role. */
export function operatorKeyCommands(run: Run): Command {
  return new Command('operator-keys')
    .description('Keys of the operator API with a name and a role; each stands in for OPERATOR_API_KEY.')
    .addCommand(
      run(paged(new Command('list').description(listOperatorKeys.summary).option('--person <id>', "one person's")), {
        ask: (client, _args, { person, limit, cursor }: PagingOptions & { person?: string }) =>
          client.call(listOperatorKeys, { query: { person_id: person, limit, cursor } }),
        rows: (answer) => answer.operator_keys,
        show: (answer) => listed(answer.operator_keys) + more(answer),
      }),
    )
    .addCommand(
      run(
        new Command('add')
          .description(addOperatorKey.summary)
          .argument('<name>')
          .addOption(new Option('--role <role>', 'what it may').choices(OPERATOR_ROLES).makeOptionMandatory())
          .option('--person <id>', "whose it is; default: a program's")
          .option('--days <days>', 'ends after so many; default: never'),
        {
          ask: (client, [name]: [string], { role, person, days }: AddOptions) =>
            client.call(addOperatorKey, { body: { name, role, person_id: person, days } }),
          show: (answer) => `${listed([answer])}\nThe key, shown this once:\n${answer.key}\n`,
        },
      ),
    )
    .addCommand(
      run(
        new Command('revoke')
          .description(revokeOperatorKey.summary)
          .argument('<operator_key_id>')
          .requiredOption('--reason <words>', 'why, for the record'),
        {
          ask: (client, [operator_key_id]: [string], { reason }: { reason: string }) =>
            client.call(revokeOperatorKey, { params: { operator_key_id }, body: { reason } }),
          show: (answer) => listed([answer]),
        },
      ),
    );
}

function listed(keys: readonly OperatorKeyView[]): string {
  if (keys.length === 0) return 'None yet: there is the shared key alone.\n';
  const rows = keys.map(
    ({ operator_key_id, name, role, person_id, key_hint, last_used_at, expires_at, revoked_at }) => [
      ...[operator_key_id, name, role, person_id ?? 'a program', `...${key_hint}`, last_used_at ?? 'never used'],
      revoked_at === null ? (expires_at ?? '') : `revoked ${revoked_at}`,
    ],
  );
  return table(['KEY', 'NAME', 'ROLE', 'WHOSE', 'HINT', 'LAST USED', 'ENDS'], rows);
}
