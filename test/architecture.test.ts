import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { breaches } from './support/architecture-rules.ts';
import { projectRoot, typescriptFiles } from './support/project-files.ts';

it('the sources keep to the ladder, have no cycles, and use packages and the environment only where they may', async () => {
  const { dependencies } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(breaches(await typescriptFiles('src'), Object.keys(dependencies))).toEqual([]);
});

it('nothing of the public protocol’s client, with which tests call as buyers do, is installed for running', async () => {
  const lock = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; link?: boolean }>;
  };
  const below = Object.entries(lock.packages).filter(([path]) => path.startsWith('packages/adcp-buyer/node_modules/'));
  expect(below.map(([path]) => path)).toContain('packages/adcp-buyer/node_modules/@adcp/sdk');
  expect(below.filter(([, { dev }]) => dev !== true)).toEqual([]);
});

describe('the check', () => {
  it.each([
    ['a folder further down', { 'src/tasks/a.ts': `import { b } from '../platform/b.ts';`, 'src/platform/b.ts': '' }],
    [
      'its own folder',
      { 'src/tasks/x/a.ts': `import './b.ts'; import '../c.ts';`, 'src/tasks/x/b.ts': '', 'src/tasks/c.ts': '' },
    ],
    ['data', { 'src/sales/a.ts': `import data from '../../catalog/products.json' with { type: 'json' };` }],
    ['a package at its place', { 'src/platform/q.ts': `import { Queue } from 'bullmq'; import { z } from 'zod';` }],
    [
      'jose where keys are handled',
      { 'src/webhooks/signing/a.ts': `import 'jose';`, 'src/registry/auth/b.ts': `import 'jose';` },
    ],
    ['a part of a package', { 'src/a2a/a.ts': `import type { Task } from '@a2a-js/sdk/server';` }],
    ['a schema and its type', { 'src/tasks/a.ts': 'export const A = 1; export type A = number;' }],
    [
      'the receiver’s package, of which any rung may import',
      { 'src/platform/a.ts': `import { webhookNames } from '#receiver/wire/webhook-names';` },
    ],
    ['Node’s own modules', { 'src/platform/a.ts': `import { join } from 'node:path';` }],
    ['the environment in main', { 'src/main/a.ts': `export const port = process.env['PORT'];` }],
    [
      'a word in a comment or a string',
      { 'src/tasks/a.ts': `// import '../main/a.ts'\nexport const a = "process.env";` },
    ],
  ])('allows %s', (_, files) => {
    expect(breachesOf(files)).toEqual([]);
  });

  it.each([
    ['a folder further up', { 'src/platform/a.ts': `import '../tasks/b.ts';`, 'src/tasks/b.ts': '' }, 'below tasks'],
    ['a neighbour', { 'src/sales/a.ts': `import '../directory/b.ts';`, 'src/directory/b.ts': '' }, 'beside directory'],
    [
      'a neighbour’s type',
      { 'src/a2a/a.ts': `import type { B } from '../mcp/b.ts';`, 'src/mcp/b.ts': '' },
      'beside mcp',
    ],
    [
      'by re-export',
      { 'src/runtime/a.ts': `export * from '../webhooks/b.ts';`, 'src/webhooks/b.ts': '' },
      'below webhooks',
    ],
    [
      'by import()',
      { 'src/runtime/a.ts': `await import('../webhooks/b.ts');`, 'src/webhooks/b.ts': '' },
      'below webhooks',
    ],
    ['by import type', { 'src/runtime/a.ts': `type B = import('../main/b.ts').B;`, 'src/main/b.ts': '' }, 'below main'],
    ['code outside src', { 'src/tasks/a.ts': `import '../../test/b.ts';` }, 'outside the ladder'],
    ['a folder of no rung', { 'src/utils/a.ts': '' }, 'no folder of the ladder'],
    ['a file of no folder', { 'src/a.ts': '' }, 'no folder of the ladder'],
    ['bullmq above platform', { 'src/runtime/a.ts': `import { Queue } from 'bullmq';` }, 'may not import bullmq'],
    ['mongoose above platform', { 'src/sales/a.ts': `import 'mongoose';` }, 'may not import mongoose'],
    [
      'the A2A SDK outside its edge',
      { 'src/tasks/a.ts': `import '@a2a-js/sdk/server';` },
      'may not import @a2a-js/sdk',
    ],
    [
      'express below the edges',
      { 'src/tasks/a.ts': `import type { Request } from 'express';` },
      'may not import express',
    ],
    ['jose where no keys are handled', { 'src/sales/a.ts': `import 'jose';` }, 'may not import jose'],
    ['a package for development', { 'src/main/a.ts': `import 'vitest';` }, 'no dependency'],
    ['process.env', { 'src/platform/a.ts': `export const x = process.env.HOME;` }, 'reads the environment'],
    ['process["env"]', { 'src/a2a/a.ts': `export const x = process['env']['HOME'];` }, 'reads the environment'],
    ['env taken from process', { 'src/a2a/a.ts': `const { env } = process;` }, 'reads the environment'],
    ['env imported', { 'src/a2a/a.ts': `import { env } from 'node:process';` }, 'reads the environment'],
    ['a file that imports itself', { 'src/tasks/a.ts': `import './a.ts';` }, 'cycle: src/tasks/a.ts > src/tasks/a.ts'],
    [
      'a circle',
      {
        'src/tasks/a.ts': `import './b.ts';`,
        'src/tasks/b.ts': `import './c.ts';`,
        'src/tasks/c.ts': `import './b.ts';`,
      },
      'cycle: src/tasks/b.ts > src/tasks/c.ts > src/tasks/b.ts',
    ],
    [
      'a name for two things',
      { 'src/tasks/a.ts': 'export const [x, run] = [1, 2], walk = 1;', 'src/sales/b.ts': 'export function walk() {}' },
      'walk is exported by src/tasks/a.ts and src/sales/b.ts',
    ],
  ])('finds %s', (_, files, told) => {
    const found = breachesOf(files);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(told);
  });
});

function breachesOf(files: Record<string, string | undefined>): string[] {
  const packages = ['bullmq', 'mongoose', 'zod', 'jose', 'express', '@a2a-js/sdk'];
  const sources = Object.entries(files).map(([path, text = '']) => ({ path, text }));
  return breaches(sources, packages);
}
