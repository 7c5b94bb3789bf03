import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { ENV_EXAMPLE_FILE, envExampleText } from '../../scripts/write-env-example.ts';
import { readConfig } from '../../src/main/config/config.ts';
import { SETTINGS } from '../../src/main/config/settings.ts';

const text = await readFile(ENV_EXAMPLE_FILE, 'utf8');

it('.env.example is as scripts/write-env-example.ts writes it', () => {
  expect(text).toBe(envExampleText());
});

it('.env.example changes nothing as it stands, and every line of it holds when taken in', () => {
  expect(parseEnv(text)).toEqual({});
  const example = parseEnv(text.replaceAll(/^#(?=[A-Z\d_]+=)/gm, ''));
  expect(new Set(Object.keys(example))).toEqual(new Set(Object.keys(SETTINGS)));
  expect(readConfig(example, { allowLoopback: false })).toMatchObject({ port: 8080, allowLoopback: true });
});
