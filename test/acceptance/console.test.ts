import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES } from '../../src/admin/console/pages.ts';
import { PAGE_PARTS, partsOf } from '../admin/console/support/named-pages.ts';
import type { PageNames } from '../admin/console/support/named-pages.ts';
import { shotsOf } from '../screenshots/pages.ts';
import { projectRoot } from '../support/project-files.ts';
import { titlesIn } from '../support/test-titles.ts';
import { ACCEPTANCE } from './console.ts';

/** None where there is no such file. */
async function titlesOf(file: string): Promise<string[]> {
  const path = join(projectRoot, 'test', file);
  return existsSync(path) ? titlesIn({ path, text: await readFile(path, 'utf8') }) : [];
}

describe('the forty points that the console is accepted by', () => {
  it('are forty, and one without a test says why', () => {
    expect(ACCEPTANCE).toHaveLength(40);
    const silent = ACCEPTANCE.filter(({ proof, lacks = '' }) => proof.length === 0 && lacks.length < 20);
    expect(silent.map(({ says }) => says)).toEqual([]);
  });

  it('name tests that there are, each in its file', async () => {
    const files = [...new Set(ACCEPTANCE.flatMap(({ proof }) => proof.map(([file]) => file)))];
    const titles = new Map(await Promise.all(files.map(async (file) => [file, await titlesOf(file)] as const)));
    const missing = ACCEPTANCE.flatMap(({ proof }, i) =>
      proof
        .filter(([file, words]) => titles.get(file)?.some((title) => title.includes(words)) !== true)
        .map(([file, words]) => `${i + 1}: ${file}: ${words}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('the pictures', () => {
  const names = Object.fromEntries(PAGE_PARTS.map((part) => [part, 'x'])) as PageNames;

  it('are told by a story that has one of each thing that pages are of', () => {
    expect([...new Set(PAGES.flatMap(({ path }) => partsOf(path)))].sort()).toEqual([...PAGE_PARTS].sort());
  });

  it('are of every page of the console, each under a name of its own', () => {
    const shots = shotsOf(names);
    const shown = shots.map(({ path }) => path.replace(/\?.*/, ''));
    const pages = PAGES.map(({ path }) => `/admin${path === '/' ? '' : path.replaceAll(/:\w+/g, 'x')}`);
    expect(pages.filter((path) => !shown.includes(path))).toEqual([]);
    expect(new Set(shots.map(({ name }) => name)).size).toBe(shots.length);
  });

  it('the one in README.md is small enough to be looked at', async () => {
    const [, path = ''] =
      /!\[[^\]]+\]\((docs\/[^)]+\.png)\)/.exec(await readFile(join(projectRoot, 'README.md'), 'utf8')) ?? [];
    const picture = await readFile(join(projectRoot, path));
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect(picture.length).toBeLessThan(150_000);
  });
});
