import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as receiver from '#receiver';
import * as express from '#receiver/express';
import * as fastify from '#receiver/fastify';
import * as node from '#receiver/node/index';
import * as redis from '#receiver/redis/index';
import { REFUSAL_STATUS } from '#receiver/verify/refusal';
import { projectRoot } from '../support/project-files.ts';

const readme = readFileSync(join(projectRoot, 'packages/receiver/README.md'), 'utf8');
const EXPORTS: Record<string, object> = {
  'media-buy-receiver': receiver,
  'media-buy-receiver/express': express,
  'media-buy-receiver/fastify': fastify,
  'media-buy-receiver/node': node,
  'media-buy-receiver/redis': redis,
};

it('the README of the receiver’s package imports only what there is', () => {
  const imports = [...readme.matchAll(/import \{([^}]+)\} from '(media-buy-receiver[^']*)'/g)];
  expect(new Set(imports.map(([, , from]) => from)).size).toBe(5);
  for (const [, names = '', from = ''] of imports) {
    for (const name of names.split(',')) expect(EXPORTS[from]).toHaveProperty(name.trim());
  }
});

it('the README of the receiver’s package explains every code', () => {
  for (const code of Object.keys(REFUSAL_STATUS)) expect(readme).toContain(code.replace(/^webhook_signature_/, ''));
});
