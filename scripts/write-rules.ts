/**
 * Writes docs/rules.md: every rule of test/requirements, and the test files that prove it. `--check` only says, by the
 * exit code, whether the file is fresh.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { REQUIREMENTS } from '../test/requirements.ts';
import type { Requirement } from '../test/requirements/row.ts';
import { projectRoot } from '../test/support/project-files.ts';
import { proofsByRule } from '../test/support/proofs.ts';

export const RULES_FILE = join(projectRoot, 'docs', 'rules.md');

const HEAD = `# The rules

What the product promises, one rule an id. Written by \`npx tsx scripts/write-rules.ts\` from \`test/requirements\`: change a
rule there.

**Ids.** A letter and a number (\`W7\`), or \`C.place.name\`. A name after the number (\`W7.retry-after\`) marks a part of that
rule that stands apart, mostly because it is built later. Ids are never used again for something else.

**Citing.** Comments and papers cite a rule in one form, the word and the id: \`(rule W7)\`, \`(rules W7, C.events.9)\`, and
before a step of it \`(rule W12, step 7)\`; in a sentence, \`rule W7\` without parentheses. A test's title names what it proves
in square brackets: \`[W7] retries\`. \`test/citations.test.ts\` refuses other forms and ids that do not stand here.

**Proved** means that titles of the named test files name the rule, and those tests pass. **Open** means that the product does
not keep the rule yet, or nothing proves that it does; the reason follows.
`;

/** The text that the file should have. */
export async function rulesText(): Promise<string> {
  const proofs = await proofsByRule();
  const sections = [...new Set(REQUIREMENTS.map(({ section }) => section))];
  const parts = sections.flatMap((section) => [
    `## ${section}`,
    ...REQUIREMENTS.filter((rule) => rule.section === section).flatMap((rule) => [
      `### ${rule.id}`,
      rule.text,
      statusOf(rule, proofs.get(rule.id) ?? []),
    ]),
  ]);
  const config = await resolveConfig(RULES_FILE);
  return format([HEAD, ...parts].join('\n\n'), { ...config, parser: 'markdown' });
}

function statusOf(rule: Requirement, files: readonly string[]): string {
  const named = files.map((file) => `\`${file}\``).join(', ');
  if (rule.status === 'proved') return `Proved by ${named}.`;
  return `**Open:** ${rule.reason}.${named === '' ? '' : ` Named by ${named}.`}`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = await rulesText();
  if (!process.argv.includes('--check')) await writeFile(RULES_FILE, text);
  else if (text !== (await readFile(RULES_FILE, 'utf8').catch(() => ''))) {
    console.error('docs/rules.md is stale: run npx tsx scripts/write-rules.ts');
    process.exitCode = 1;
  }
}
