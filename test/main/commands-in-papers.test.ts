import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { agentProgram } from '../../src/main/operator-cli/program.ts';
import { projectRoot } from '../support/project-files.ts';

const nothing = () => undefined;
const program = agentProgram({ name: 'media-buy-agent', env: {}, write: nothing, writeError: nothing });
const NAMES = program.commands.flatMap((one) => [one.name(), ...one.aliases()]);

/** Written from the commands themselves. */
const GENERATED = 'docs/cli.md';

function filesBelow(folder: string, ending: RegExp): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file) && !file.includes('node_modules'))
    .map((file) => (folder === '' ? file : join(folder, file)));
}
const TOP = readdirSync(projectRoot).filter((name) => name.endsWith('.md') || name === 'compose.yaml');
const PAPERS = [
  ...TOP,
  ...filesBelow('docs', /\.md$/),
  ...filesBelow('deploy', /./).filter((file) => /\.\w+$/.test(file)),
  ...filesBelow('packages', /README\.md$/),
].filter((file) => file !== GENERATED && !file.startsWith('CHANGELOG'));

interface Line {
  file: string;
  /** From behind what starts the command line. */
  words: string;
}

/** What starts our command line: in a checkout, where it is installed, in units and containers, and in code by its short name. */
const STARTS =
  /(?:npm run (?:-s )?agent --|npx media-buy-agent|(?<![\w/.@-]|-u )media-buy-agent(?= [a-z])|scripts\/run\.mjs agent|`agent(?= [a-z-]+)) ([^\n]*)/g;

/** The command lines of a file: behind a start, up to where its code ends, and alone in code where they begin as a command does. */
function linesIn(file: string): Line[] {
  const text = readFileSync(join(projectRoot, file), 'utf8')
    .replaceAll(/\\\n\s*/g, ' ')
    // As YAML gives arguments.
    .replaceAll(/\[agent, ([^\]]*)\]/g, (_all, words: string) => `npx media-buy-agent ${words.replaceAll(',', '')}`);
  const started = [...text.matchAll(STARTS)].map(([, words = '']) => ({ file, words: words.split('`')[0] ?? '' }));
  if (!file.endsWith('.md')) return started;
  const alone = [...text.matchAll(/(?<!`)`([a-z-]+ [^`\n]+)`(?!`)/g)]
    .map(([, words = '']) => words)
    .filter((words) => NAMES.includes(words.split(' ')[0] ?? ''));
  return [...started, ...alone.map((words) => ({ file, words }))];
}

/** As a shell splits it, up to what is no part of the command. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [word, double, single] of line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)) {
    if (/^(?:[|>;&#()\\]|2>)/.test(word)) break;
    const bare = double ?? single ?? word.replace(/^\[|\]$/g, '').replace(/^\.\.\.$/, '…');
    const [kept = ''] = bare.split(/[;)]/);
    words.push(double === undefined && single === undefined ? kept.replace(/[,.:]$/, '') : bare);
    if (double === undefined && single === undefined && /[;)]|[,.:]$/.test(word)) break;
  }
  return words.filter((word) => word !== '');
}

/** What is wrong with a command line, by the commands that there are; undefined: nothing. */
function wrongWith(line: string): string | undefined {
  let at: Command = program;
  let given = 0;
  const words = wordsOf(line);
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? '';
    if (word === '--help' || word === '-h') continue;
    // Any more may follow.
    if (word.includes('…')) continue;
    if (word.startsWith('--')) {
      const [name = ''] = word.split('=');
      const option = at.options.find(({ long }) => long === name);
      if (option === undefined) return `${at.name()} has no ${name}`;
      if ((option.required || option.optional) && !word.includes('=')) i += 1;
      continue;
    }
    if (at.commands.length > 0) {
      // A place for any of them.
      if (/^[A-Z_]+$/.test(word)) return undefined;
      const next = at.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (next === undefined) return `${at.name()} has no command ${word}`;
      at = next;
      continue;
    }
    const { registeredArguments: takes } = at;
    given += 1;
    if (given > takes.length && takes.at(-1)?.variadic !== true) return `${at.name()} takes no ${word}`;
  }
  return undefined;
}

describe('the command lines that papers print', () => {
  const lines = PAPERS.flatMap(linesIn);

  it('are of commands that there are, with options that these have', () => {
    expect(lines.length).toBeGreaterThan(100);
    const wrong = lines.flatMap(({ file, words }) => {
      const fault = wrongWith(words);
      return fault === undefined ? [] : [`${file}: ${words}: ${fault}`];
    });
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('are found in every form in which they are printed, and a wrong one is seen', () => {
    for (const [words, fault] of [
      ['people invite NAME --email ADDRESS --role admin', undefined],
      ['people invite NAME --mail ADDRESS', 'invite has no --mail'],
      ['COMMAND --help', undefined],
      ['approvals approve ID [--digest …] [--nothing …]', 'approve has no --nothing'],
      ['people evict ID', 'people has no command evict'],
      ['frobnicate', 'media-buy-agent has no command frobnicate'],
      ['queues pause webhook-retries now --reason "two words"', 'pause takes no now'],
      ['log --json | jq .', undefined],
    ] as const)
      expect([words, wrongWith(words)]).toEqual([words, fault]);
    const forms = lines.map(({ file }) => file);
    for (const file of [
      'README.md',
      'docs/operator.md',
      'docs/runbooks.md',
      'deploy/systemd/media-buy-agent-backup.service',
    ])
      expect(forms).toContain(file);
  });

  it('that errors and pages print are so, too', () => {
    const wrong = filesBelow('src', /\.tsx?$/).flatMap((file) => {
      const text = readFileSync(join(projectRoot, file), 'utf8');
      return [...text.matchAll(/npm run agent -- ([a-z][^'"`<$]*)/g)].flatMap(([, words = '']) => {
        const fault = wrongWith(words);
        return fault === undefined ? [] : [`${file}: ${words}: ${fault}`];
      });
    });
    expect(wrong).toEqual([]);
  });
});
