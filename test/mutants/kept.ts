import type { Mutant, Tests } from './mutant.ts';

const RANDOM: Tests = { file: 'test/registry/kept-look-up.test.ts', named: /sqlite.*after each step/ };
const RESOLVED: Tests = { file: 'test/registry/kept-look-up.test.ts', named: /sqlite.*manager’s file/ };
const TIMES: Tests = { file: 'test/registry/kept-look-up.test.ts', named: /sqlite.*instant/ };
const KEPT: Tests = { file: 'test/platform/store/kept-answers.test.ts' };
const TOLD: Tests = { file: 'test/platform/store/sqlite/sqlite-told-changes.test.ts' };

/** Answers that are kept: what has to be noticed before one is given again. */
export const KEPT_MUTANTS: readonly Mutant[] = [
  {
    name: 'a kept answer outlives a write to what it was made of',
    rule: 'R5.kept',
    file: 'src/platform/store/kept-answers.ts',
    text: 'for (const one of [...ended]) drop(one);',
    by: 'if (touched === undefined) for (const one of [...ended]) drop(one);',
    seenBy: [RANDOM],
  },
  {
    name: 'an answer is kept though it was written to while it was made',
    rule: 'R5.kept',
    file: 'src/platform/store/kept-answers.ts',
    text: 'if (touched === undefined || touched.some((row) => one.rows.has(row))) one.isSpoilt = true;',
    by: 'if (touched === undefined) one.isSpoilt = true;',
    seenBy: [KEPT],
  },
  {
    name: 'a kept answer is given without asking what has been written',
    rule: 'R5.kept',
    file: 'src/platform/store/kept-answers.ts',
    text: 'if (!(await catchUp())) return',
    by: 'if (mark === undefined && !(await catchUp())) return',
    seenBy: [RANDOM],
  },
  {
    name: 'a kept answer is given after an entry in it has begun or ended',
    rule: 'R5.kept',
    file: 'src/platform/time-span.ts',
    text: 'return fromMs <= atMs && atMs < untilMs;',
    by: 'return fromMs <= untilMs && atMs === atMs;',
    seenBy: [TIMES],
  },
  {
    name: 'a kept answer is given after the clock went back behind the beginning of an entry in it',
    rule: 'R5.kept',
    file: 'src/platform/time-span.ts',
    text: 'if (time <= atMs) span.fromMs = Math.max(span.fromMs, time);',
    by: 'if (time <= atMs) continue;',
    seenBy: [TIMES],
  },
  {
    name: 'a kept answer is given after an entry in it was revoked',
    rule: 'R5.kept',
    file: 'src/directory/authorization/judge.ts',
    text: 'return [fromMs, untilMs, revokedMs];',
    by: 'return revokedMs === 0 ? [] : [fromMs, untilMs];',
    seenBy: [TIMES],
  },
  {
    name: 'a kept answer is given to whoever asks, whatever the caller may see',
    rule: 'R5.kept',
    file: 'src/registry/look-up-operator/route.ts',
    text: 'kept.answer(`operator ${JSON.stringify(asked)}`',
    by: 'kept.answer(`operator ${domain}`',
    seenBy: [RANDOM],
  },
  {
    name: 'a kept answer outlives rows that come to be what was asked for',
    rule: 'R5.kept',
    file: 'src/platform/store/sqlite/sqlite-told-changes.ts',
    text: "UPDATE: ['OLD', 'NEW']",
    by: "UPDATE: ['OLD']",
    seenBy: [KEPT],
  },
  {
    name: 'a kept answer outlives rows that cease to be what was asked for',
    rule: 'R5.kept',
    file: 'src/platform/store/sqlite/sqlite-told-changes.ts',
    text: "UPDATE: ['OLD', 'NEW']",
    by: "UPDATE: ['NEW']",
    seenBy: [KEPT],
  },
  {
    name: 'a kept answer outlives more writes than are remembered',
    rule: 'R5.kept',
    file: 'src/platform/store/sqlite/sqlite-told-changes.ts',
    text: "const isWhole = first?.['number'] === mark &&",
    by: 'const isWhole =',
    seenBy: [TOLD],
  },
  {
    name: 'a kept answer outlives triggers that another release has put in the place of ours',
    rule: 'R5.kept',
    file: 'src/platform/store/sqlite/sqlite-told-changes.ts',
    text: 'return isDeclared(connection, declared) ? { mark: number, touched: [] } : undefined;',
    by: 'return { mark: number, touched: [] };',
    seenBy: [TOLD],
  },
  {
    name: 'an answer is kept of rows that nobody tells of',
    rule: 'R5.kept',
    file: 'src/platform/store/kept-answers.ts',
    text: 'if (rows === undefined) one.isSpoilt = true;',
    by: 'if (rows === undefined) return;',
    seenBy: [KEPT],
  },
  {
    name: 'one of several kept answers outlives a write to what was read for all',
    rule: 'R5.kept',
    file: 'src/platform/store/kept-answers.ts',
    text: '(byValue.get(valueNamed(row)) ?? ofAll).push(row);',
    by: 'byValue.get(valueNamed(row))?.push(row);',
    seenBy: [KEPT],
  },
  {
    name: 'what was resolved of a publisher outlives a write to its manager’s rows',
    rule: 'R5.kept',
    file: 'src/registry/resolve-properties/route.ts',
    text: '...(publisher.manager_domain == null ? [] : [publisher.manager_domain])',
    by: '...(publisher.manager_domain == null ? [] : [])',
    seenBy: [RESOLVED],
  },
  {
    name: 'what was resolved of a publisher is given after an entry of it has begun or ended',
    rule: 'R5.kept',
    file: 'src/directory/authorization/live-authorizations.ts',
    text: 'narrowBy(publisher, within, atMs);',
    by: 'if (atMs < 0) narrowBy(publisher, within, atMs);',
    seenBy: [TIMES],
  },
];
