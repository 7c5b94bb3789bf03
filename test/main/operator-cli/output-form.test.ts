import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addOrganization } from '../../../src/directory/organization/add-organization.ts';
import { operatorKey } from '../../../src/main/wiring/operator-routes.ts';
import { agentProgram } from '../../../src/main/operator-cli/program.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { runAgentCommand } from '../support/cli.ts';

/** A formula, what moves a cursor, and what turns what follows. */
const HOSTILE = '=1+1 \u009b2J \u202egnirps';

describe('how a list is printed', () => {
  let agent: TestAgent;
  let at: string[];
  beforeAll(async () => {
    agent = await startTestAgent('sqlite', { working: false });
    at = ['--url', agent.baseUrl, '--key', await operatorKey(agent.core)];
    for (const [i, name] of ['Ann', HOSTILE].entries()) {
      await addOrganization(agent.core, String(i), name);
    }
  });
  afterAll(() => agent.stop());

  const list = (form: string, ...more: string[]) =>
    runAgentCommand(['buyers', 'list', '--state', 'active', '--output', form, ...more, ...at], {});

  it('[O1.lists] prints a list as a table, as the API’s JSON, as CSV without formulas, and as JSON line by line', async () => {
    const whole = JSON.parse((await list('json')).stdout) as { buyers: { name: string; organization_id: string }[] };
    expect(whole.buyers.map(({ name }) => name)).toEqual(expect.arrayContaining(['Ann', HOSTILE]));
    const lines = (await list('ndjson')).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(whole.buyers);
    const csv = (await list('csv')).stdout.trimEnd().split('\r\n');
    expect(csv[0]?.split(',')).toEqual(expect.arrayContaining(['"organization_id"', '"name"', '"state"']));
    expect(csv).toHaveLength(whole.buyers.length + 1);
    expect(csv.join('\n')).toContain(`"'${HOSTILE}"`);
    expect((await list('table')).stdout).toMatch(/^ORGANIZATION +NAME/);
    for (const form of ['table', 'json', 'ndjson']) expect((await list(form)).stdout).not.toMatch(/[\u009b\u202e]/);
  });

  it('[O1.lists] rows of a page are alone on standard output, and where the next page is stands on standard error', async () => {
    const page = await list('ndjson', '--limit', '1');
    expect(page.stdout.trimEnd().split('\n')).toHaveLength(1);
    const cursor = /^There is more: --cursor '(.+)'\n$/.exec(page.stderr)?.[1] ?? '';
    expect(await list('ndjson', '--limit', '100', '--cursor', cursor)).toMatchObject({ status: 0, stderr: '' });
  });

  it('two forms at once, or one that there is none of, are wrong usage; what is refused is JSON where JSON was asked for', async () => {
    expect(await list('csv', '--json')).toMatchObject({ status: 2, stdout: '' });
    expect(await list('yaml')).toMatchObject({ status: 2, stdout: '' });
    const refused = await list('json', '--cursor', 'none');
    expect(refused).toMatchObject({ status: 1, stderr: '' });
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { field: 'cursor' } });
  });
});

it('[O1.lists] every command that lists can print its rows alone', () => {
  const program = agentProgram({ env: {}, write: () => undefined, writeError: () => undefined });
  const has = (command: Command, name: string) => command.options.some(({ long }) => long === name);
  const lists = allOf(program).filter((one) => one.name() === 'list' || has(one, '--limit'));
  expect(lists.length).toBeGreaterThan(20);
  expect(lists.filter((one) => !has(one, '--output')).map((one) => one.name())).toEqual([]);
});

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}
