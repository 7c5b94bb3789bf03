import { validate } from 'dockerfile-utils';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../support/project-files.ts';

const inProject = (name: string) => readFile(join(projectRoot, name), 'utf8');

describe('the image, as a linter of Dockerfiles reads it', () => {
  const problems = (text: string) => validate(text).map(({ message }) => message);

  it('has nothing that it complains of', async () => {
    expect(problems(await inProject('Dockerfile'))).toEqual([]);
  });

  it('would not pass with a word misspelt', async () => {
    const text = await inProject('Dockerfile');
    expect(problems(text.replace('\nUSER ', '\nUSR '))).toEqual(['Unknown instruction: USR']);
    expect(problems(text.replace(' --start-period=', ' --start-perod='))).toEqual(['Unknown flag: start-perod']);
  });
});

describe('compose.yaml, as the schema of Compose and a linter read it', () => {
  /** What is told of the order and the quotes of a file is a matter of taste. */
  const TASTE = [
    ...['service-keys-order', 'services-alphabetical-order', 'top-level-properties-order', 'no-quotes-in-volumes'],
  ];
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'media-buy-agent-compose-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** By its command: its types name files that are not there. */
  async function problems(text: string): Promise<string[]> {
    const [path, config] = [join(folder, 'compose.yaml'), join(folder, 'dclint.json')];
    await writeFile(path, text);
    await writeFile(config, JSON.stringify({ rules: Object.fromEntries(TASTE.map((name) => [name, 0])) }));
    const program = join(dirname(createRequire(import.meta.url).resolve('dclint/package.json')), 'bin', 'dclint.cjs');
    const { stdout } = spawnSync(process.execPath, [program, '--config', config, '--formatter', 'json', path]);
    const [result] = JSON.parse(stdout.toString()) as { messages: { message: string }[] }[];
    return result?.messages.map(({ message }) => message) ?? ['nothing was read'];
  }

  it('has nothing that they complain of but that its proxy is reached from everywhere', async () => {
    const [http, https, ...others] = await problems(await inProject('compose.yaml'));
    expect([http, https]).toEqual([expect.stringContaining('"80:80"'), expect.stringContaining('"443:443"')]);
    expect(others).toEqual([]);
  });

  it('would not pass with a word misspelt, or a value of another kind', async () => {
    const text = await inProject('compose.yaml');
    for (const [right, wrong] of [
      ['stop_grace_period: ', 'stop_grace_perod: '],
      ['cap_drop: [ALL]', 'cap_drop: ALL'],
      ['condition: service_healthy', 'condition: service_well'],
    ] as const) {
      expect(text).toContain(right);
      const found = await problems(text.replace(right, wrong));
      expect(found.filter((message) => !message.includes('without specifying the interface'))).not.toEqual([]);
    }
  });
});
