import { Option } from 'commander';
import type { Command } from 'commander';
import { csvOf } from '../../admin/console/csv.ts';
import { more } from './paging.ts';
import { jsonLine, printable } from './table.ts';

/** How an answer may be printed. */
const FORMS = ['table', 'json', 'csv', 'ndjson'] as const;
type Form = (typeof FORMS)[number];

/** What the line says of the form; of the two, one. */
export interface FormOptions {
  json?: true;
  output?: Form;
}

/** Gives a command that answers with a list the forms it can be had in; `--json` is one of them for every command. */
export function withForms(command: Command): Command {
  const forms = new Option('--output <form>', 'how to print the list; csv and ndjson are its rows alone');
  return command.addOption(forms.choices(FORMS).conflicts('json'));
}

/** The form that was asked for; a table where none was. */
export function outputFormOf({ json, output = json === true ? 'json' : 'table' }: FormOptions): Form {
  return output;
}

/** Whether a line, of which nothing else may be known yet, asks for JSON: what went wrong is told as such then, too. */
export function asksForJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, i) => word === '--json' || word === '--output=json' || (word === '--output' && argv[i + 1] === 'json'),
  );
}

/** Rows as data alone. CSV has them as they were written, but where a terminal reads it. */
export function rowsText(rows: readonly object[], form: 'csv' | 'ndjson', isRead: boolean): string {
  if (form === 'ndjson') return rows.map(jsonLine).join('');
  const text = csvOf(rows);
  return isRead ? text.split('\r\n').map(printable).join('\r\n') : text;
}

/** Where the next page is, of an answer that may be none of a page: told on standard error, apart from the rows. */
export function nextPage(answer: unknown): string {
  const { cursor } = answer as { cursor?: unknown };
  return typeof cursor === 'string' ? more({ cursor }).trimStart() : '';
}
