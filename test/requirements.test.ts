import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { RULES_FILE, rulesText } from '../scripts/write-rules.ts';
import { REQUIREMENTS } from './requirements.ts';
import { proofsByRule } from './support/proofs.ts';
import { rulesNamedIn } from './support/test-titles.ts';

const ids = REQUIREMENTS.map(({ id }) => id);
const rules = await rulesText();
const named = new Set((await proofsByRule()).keys());

it('every rule that is not open is named by a test', () => {
  const unproved = REQUIREMENTS.filter(({ id, status }) => status === 'proved' && !named.has(id));
  expect(unproved.map(({ id, text }) => `[${id}] ${text}`)).toEqual([]);
});

it('every rule that a test names exists', () => {
  expect([...named].filter((id) => !ids.includes(id))).toEqual([]);
});

it('every rule stands once, in one line, and an open one says why', () => {
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  const texts = REQUIREMENTS.flatMap((rule) => [rule.text, ...(rule.status === 'open' ? [rule.reason] : [])]);
  expect(texts.filter((text) => text.trim() === '' || text.includes('\n'))).toEqual([]);
});

it('docs/rules.md says what stands here (npx tsx scripts/write-rules.ts)', async () => {
  expect(await readFile(RULES_FILE, 'utf8')).toBe(rules);
});

describe('the search for rules in titles', () => {
  it.each([
    [`it('[W7] retries', () => {});`, ['W7']],
    [`test("[C.events.2] and [T1] both", () => {});`, ['C.events.2', 'T1']],
    ['describe(`[B12] over ${wire}`, () => {});', ['B12']],
    [`it.each([1])('[C.webhook.signatures.3] covers %s', () => {});`, ['C.webhook.signatures.3']],
    [`it('[W7.retry-after] counts on 429 only', () => {});`, ['W7.retry-after']],
    [`it.concurrent.for([1])('[N1] derives', () => {});`, ['N1']],
  ])('finds them in %s', (text, found) => {
    expect(rulesNamedIn({ path: 'a.test.ts', text })).toEqual(found);
  });

  it.each([
    [`// it('[W7] retries')`],
    [`const title = '[W7] retries';`],
    [`expect(rows['[W7]']).toBe(rows[W7]);`],
    [`it('answers [object Object] and [] and [w7]', () => {});`],
  ])('finds none in %s', (text) => {
    expect(rulesNamedIn({ path: 'a.test.ts', text })).toEqual([]);
  });
});
