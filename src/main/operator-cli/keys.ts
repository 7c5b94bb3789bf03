import { Command, Option } from 'commander';
import type { KeyFacts } from '../../webhooks/keys/key-set.ts';
import { path } from './operator-client.ts';
import type { Json } from './operator-client.ts';
import type { Run } from './session.ts';
import { facts, table } from './table.ts';

/** `keys …`: the keys that sign webhooks and the agent card. */
export function keyCommands(run: Run): Command {
  return new Command('keys')
    .description('The keys that sign webhooks and the agent card.')
    .addCommand(
      run(new Command('list').description('Show all there have been, oldest first.'), {
        ask: (client) => client.get('/keys'),
        show: (answer) => listed(answer['keys'] as KeyFacts[]),
      }),
    )
    .addCommand(
      run<[], { alg?: string }>(
        new Command('rotate')
          .description('Add a key, published now and signing in ten minutes; while one is upcoming, that one is meant.')
          .addOption(new Option('--alg <alg>', 'default: ed25519').choices(['ed25519', 'ecdsa-p256-sha256'])),
        { ask: (client, _args, { alg }) => client.post('/keys/rotate', { alg }), show: shown },
      ),
    )
    .addCommand(
      run<[string], { reason: string }>(
        new Command('revoke')
          .description('End the trust in a key, at once and for good.')
          .argument('<kid>')
          .requiredOption('--reason <words>', 'why, for the record'),
        { ask: (client, [kid], { reason }) => client.post(path`/keys/${kid}/revoke`, { reason }), show: shown },
      ),
    );
}

function listed(keys: readonly KeyFacts[]): string {
  const rows = keys.map(({ kid, alg, part, signs_from, revoked_at, webhooks_only }) => [
    ...[kid, alg, webhooks_only === true ? `${part} webhooks only` : part, signs_from, revoked_at ?? ''],
  ]);
  return table(['KEY', 'ALG', 'PART', 'SIGNS FROM', 'REVOKED'], rows);
}

function shown(answer: Json): string {
  const { kid, alg, part, signs_from, revoked_at } = answer as unknown as KeyFacts;
  return facts([
    ['key', kid],
    ['alg', alg],
    ['part', part],
    ['signs from', signs_from],
    ['revoked', revoked_at ?? undefined],
  ]);
}
