/**
 * Writes the tables of docs/budgets.md from the table of budgets; the words around them are its own. `--check` only says, by the
 * exit code, whether they are fresh.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { BUDGETS } from '../src/platform/budget/budget-table.ts';
import type { Budget } from '../src/platform/budget/budget-table.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'budgets.md');

const ROWS = Object.entries(BUDGETS) as [string, Budget][];

const WHERE = {
  spent: 'Redis',
  held: 'Redis',
  rows: 'the store',
} as const satisfies Record<Budget['kind'], string>;

function line([name, { kind, size, unit, scope, setting, isOfProcess }]: [string, Budget]): string {
  const where = isOfProcess === true ? 'each process' : WHERE[kind];
  const cells = [`\`${name}\``, `${size.toLocaleString('en-US')} ${unit}`, scope, where];
  return `| ${[...cells, setting === undefined ? '' : `\`${setting}\``].join(' | ')} |`;
}

/** The page with its tables as they should be: what can be set, then what is fixed. */
export async function budgetsPage(page: string): Promise<string> {
  const head = '| budget | size | of each | counted in | setting |\n| - | - | - | - | - |\n';
  const tables = [
    ROWS.filter(([, row]) => row.setting !== undefined),
    ROWS.filter(([, row]) => row.setting === undefined),
  ];
  const parts = page.split(/(?<=<!-- table -->\n)[^]*?(?=<!-- end -->)/);
  if (parts.length !== tables.length + 1)
    throw new Error('docs/budgets.md needs <!-- table --> and <!-- end --> twice');
  const text = parts.map((part, i) => {
    const rows = tables[i];
    return rows === undefined ? part : `${part}\n${head}${rows.map(line).join('\n')}\n\n`;
  });
  return format(text.join(''), { ...(await resolveConfig(PAGE)), parser: 'markdown' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const page = await readFile(PAGE, 'utf8');
  const fresh = await budgetsPage(page);
  if (!process.argv.includes('--check')) await writeFile(PAGE, fresh);
  else if (page !== fresh) {
    console.error('docs/budgets.md is stale: run npx tsx scripts/write-budgets.ts');
    process.exitCode = 1;
  }
}
