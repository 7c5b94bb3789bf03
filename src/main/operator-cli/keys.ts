import { Command, Option } from 'commander';
import { listKeys, revokeKey, rotateKey } from '../../admin/operator/keys/operations.ts';
import type { KeyLine } from '../../admin/operator/keys/operations.ts';
import { KeyFacts } from '../../webhooks/keys/key-set.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

/** `keys …`: the keys that sign webhooks and the agent card. */
export function keyCommands(run: Run): Command {
  return new Command('keys')
    .description('The keys that sign webhooks and the agent card.')
    .addCommand(
      run(new Command('list').description(listKeys.summary), {
        ask: (client) => client.call(listKeys, {}),
        rows: (answer) => answer.keys,
        show: (answer) => listed(answer.keys),
      }),
    )
    .addCommand(
      run(
        new Command('rotate')
          .description(rotateKey.summary)
          .addOption(new Option('--alg <alg>', 'default: ed25519').choices(KeyFacts.shape.alg.options)),
        {
          ask: (client, _args, { alg }: { alg?: string }) => client.call(rotateKey, { body: { alg } }),
          show: shown,
        },
      ),
    )
    .addCommand(
      run(
        new Command('revoke')
          .description(revokeKey.summary)
          .argument('<kid>')
          .requiredOption('--reason <words>', 'why, for the record'),
        {
          ask: (client, [kid]: [string], { reason }: { reason: string }) =>
            client.call(revokeKey, { params: { kid }, body: { reason } }),
          show: shown,
        },
      ),
    );
}

function listed(keys: readonly KeyLine[]): string {
  const rows = keys.map(({ kid, alg, part, signs_from, revoked_at, webhooks_only, signed_24h }) => [
    ...[kid, alg, webhooks_only === true ? `${part} webhooks only` : part, signs_from, String(signed_24h)],
    revoked_at ?? '',
  ]);
  return table(['KEY', 'ALG', 'PART', 'SIGNS FROM', 'SIGNED 24H', 'REVOKED'], rows);
}

function shown({ kid, alg, part, signs_from, revoked_at }: KeyFacts): string {
  return facts([
    ['key', kid],
    ['alg', alg],
    ['part', part],
    ['signs from', signs_from],
    ['revoked', revoked_at ?? undefined],
  ]);
}
