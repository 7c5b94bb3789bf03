import type { Mutant } from './mutant.ts';

const RECORDED = { file: 'test/sales/statement/record-statement.test.ts' };

/** The book of what was delivered. */
export const BOOK_MUTANTS: readonly Mutant[] = [
  {
    name: 'a statement that cannot be true is recorded',
    rule: 'I10',
    file: 'src/sales/statement/record-statement.ts',
    text: 'if (problems.length > 0) return',
    by: 'if (problems.length > 99) return',
    seenBy: [RECORDED],
  },
  {
    name: 'an hour that is stated otherwise is changed without a correction',
    rule: 'I10',
    file: 'src/sales/statement/plan-line.ts',
    text: '...(isKnown && { correction_id: correctionId(hour) }),',
    by: '',
    seenBy: [RECORDED],
  },
  {
    name: 'all corrections of an hour have one id',
    rule: 'I10',
    file: 'src/sales/statement/plan-day.ts',
    text: 'correctionsOf(day, package_id, hour) + 1}`',
    by: 'Math.min(correctionsOf(day, package_id, hour), 0) + 1}`',
    seenBy: [RECORDED],
  },
  {
    name: 'an hour that is covered and not named keeps its count',
    rule: 'I10',
    file: 'src/sales/statement/plan-day.ts',
    text: 'hours: covered.filter((hour) => known.has(hour.hourMs) || said.has',
    by: 'hours: covered.filter((hour) => said.has',
    seenBy: [RECORDED],
  },
  {
    name: 'what is delivered beyond the budget is billed',
    rule: 'I7',
    file: 'src/sales/statement/plan-line.ts',
    text: 'Math.max(0, line.budget_minor - billed);\n    const added',
    by: 'Math.max(0, 2 * line.budget_minor - billed);\n    const added',
    seenBy: [RECORDED],
  },
  {
    name: 'a statement may be complete for less than the one before',
    rule: 'I10',
    file: 'src/sales/statement/statement-problems.ts',
    text: '...asked.flatMap((buy) => goingBack(answered, buy)),',
    by: '...asked.slice(0, 0).flatMap((buy) => goingBack(answered, buy)),',
    seenBy: [{ file: 'test/sales/statement/statement-problems.test.ts' }],
  },
];
