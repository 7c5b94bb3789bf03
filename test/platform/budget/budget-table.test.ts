import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { budgetsPage } from '../../../scripts/write-budgets.ts';
import { SETTINGS } from '../../../src/main/config/settings.ts';
import { readConfig } from '../../../src/main/config/config.ts';
import { BUDGETS } from '../../../src/platform/budget/budget-table.ts';
import type { Budget } from '../../../src/platform/budget/budget-table.ts';
import { projectRoot } from '../../support/project-files.ts';

const rows = Object.entries<Budget>(BUDGETS);

it('[S2.table] docs/budgets.md shows every budget as the table has it', async () => {
  const page = await readFile(join(projectRoot, 'docs/budgets.md'), 'utf8');
  expect(page).toBe(await budgetsPage(page));
  for (const [name] of rows) expect(page).toContain(`\`${name}\``);
});

it('[S2.table] a budget has a setting of its own or is fixed, and the setting changes its size', () => {
  const settings = rows.flatMap(([, { setting }]) => setting ?? []);
  expect(new Set(settings).size).toBe(settings.length);
  expect(Object.keys(SETTINGS)).toEqual(expect.arrayContaining(settings));
  const env = { MAX_AGENTS: '7', ANONYMOUS_REPORT_MB_PER_DAY: '1' };
  expect(readConfig(env, { allowLoopback: false }).budgets).toEqual({ agents: 7, property_reports: 1 });
  expect(() => readConfig({ MAX_AGENTS: '0' }, { allowLoopback: false })).toThrow('MAX_AGENTS must be a whole number');
});

it.each(rows)('[S2.table] %s says when it is free: after a time, or once something is let go', (_, row) => {
  expect(row.seconds === undefined).toBe(row.kind !== 'spent');
  if (row.kind !== 'spent') expect(row.instead).toBeTruthy();
  expect(row.size).toBeGreaterThan(0);
});
