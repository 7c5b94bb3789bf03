import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { operations } from '../../../src/admin/operator/operations.ts';
import { agentProgram } from '../../../src/main/operator-cli/program.ts';
import { projectRoot } from '../../support/project-files.ts';

/** What only an admin does, by the beginning of the action's name: keys, access, the catalog, and what is final. */
const ADMIN_ACTIONS = [
  ...['keys.', 'queues.', 'sign_in_links.', 'properties.', 'orders.give_up', 'buys.cancel'],
  ...['people.', 'operator_keys.', 'sessions.', 'buyers.', 'grants.', 'accounts.', 'secret.', 'registry.'],
  ...['portal_links.', 'portal_sessions.'],
];

/** What everybody does with what is their own. */
const OWN_ACTIONS = 'me.';

/** What is no decision about access, or makes its event where it is done: `api_key.…`, `grant.revoked`. */
const MAKES_NO_EVENT_HERE = [
  ...[
    'actions.undo',
    'approvals.',
    'creatives.',
    'orders.',
    'properties.',
    'queues.',
    'webhooks.',
    'registry.',
    'grants.end',
  ],
  ...[
    'buyers.add',
    'buyers.limits',
    'buyers.add_key',
    'buyers.reroll_key',
    'buyers.revoke_key',
    'buyers.move_account',
    'buys.',
    'tasks.',
  ],
];

describe('the list of what an operator can see and do', () => {
  it('[S5.record] names the decision that each action about access is', () => {
    const silent = operations.filter(({ action, decides }) => action !== undefined && decides === undefined);
    const unknown = silent.filter(
      ({ action }) =>
        !MAKES_NO_EVENT_HERE.some((name) => name === action || (name.endsWith('.') && action?.startsWith(name))),
    );
    expect(unknown.map(({ action }) => action)).toEqual([]);
  });

  it.each(operations)(
    '$method $path says what it does in a line, who may, and what it answers',
    ({ summary, role, action, method, answer }) => {
      expect(summary).toMatch(/^[A-Z][^\n]{10,140}\.$/);
      expect(action === undefined).toBe(method === 'get');
      const isAdmins = ADMIN_ACTIONS.some((name) => action?.startsWith(name));
      const isAnybodys = action === undefined || action.startsWith(OWN_ACTIONS);
      expect(role).toBe(isAnybodys ? 'viewer' : isAdmins ? 'admin' : 'operator');
      expect(answer.safeParse(undefined).success).toBe(false);
    },
  );

  it('stands in docs/operator.md with each call and who may', async () => {
    const paper = await readFile(join(projectRoot, 'docs', 'operator.md'), 'utf8');
    const told = [...paper.matchAll(/^\| `(GET|POST) (\S+)` +\| (\w+)/gm)].map(([, ...row]) => row.join(' '));
    expect(told.sort()).toEqual(operations.map((one) => `${one.method.toUpperCase()} ${one.path} ${one.role}`).sort());
  });

  it('has each path and action once, and the command line helps in its words', () => {
    const names = operations.map(({ method, path }) => `${method} ${path}`);
    const actions = operations.flatMap(({ action }) => action ?? []);
    for (const all of [names, actions]) expect(all.filter((name, i) => all.indexOf(name) !== i)).toEqual([]);
    const commands = allOf(agentProgram({ env: {}, write: () => undefined, writeError: () => undefined }));
    const helped = commands.map((command) => command.description()).join('\n');
    const unhelped = operations.filter(({ summary }) => !helped.includes(summary)).map(({ path }) => path);
    // What `webhooks` shows on the way.
    expect(unhelped).toEqual(['/webhooks/ranges/:range_id']);
  });
});

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}
