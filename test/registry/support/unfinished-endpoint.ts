import type { Endpoint } from '../../../src/registry/endpoint.ts';
import type { Requirement } from '../../requirements/row.ts';
import { rulesCitedIn } from '../../support/citations.ts';
import type { SourceFile } from '../../support/source-imports.ts';
import { hasNoFields, missingInRules, missingInTests, sameWords } from '../../support/unfinished.ts';

export interface Papers {
  rules: readonly Requirement[];
  /** The files of `src/registry`. */
  sources: readonly SourceFile[];
  /** The tests of `test/registry`. */
  tests: readonly SourceFile[];
}

/** What an endpoint still lacks, one line each: `readThing: the answer 200 has no fields`. */
export function missingInEndpoint(endpoint: Endpoint, { rules, sources, tests }: Papers): string[] {
  const { id, summary, body, responses } = endpoint;
  const folder = folderOf(id, sources);
  if (folder === undefined) return [`${id}: no file of src/registry has id: '${id}'`];
  const name = folder.split('/').at(-1) ?? '';
  const missing: string[] = [];
  if (summary.trim() === '') missing.push('the summary is empty; say what a caller gets');
  else if (sameWords(summary, id)) missing.push('the summary only repeats the name; say what a caller gets');
  if (hasNoFields(body)) missing.push('the body has no fields; say in schema.ts what it takes');
  for (const [status, { description, schema }] of Object.entries(responses)) {
    if (description.trim() === '') missing.push(`the description of its answer ${status} is empty; say what it means`);
    else if (sameWords(description, summary) || sameWords(description, id))
      missing.push(`the description of its answer ${status} only repeats the name; say what it means`);
    if (hasNoFields(schema)) missing.push(`its answer ${status} has no fields; say in schema.ts what it answers`);
  }
  const cited = sources.filter(({ path }) => path.startsWith(`${folder}/`)).flatMap(rulesCitedIn);
  const own = `C.endpoints.${name}`;
  const ownTest = tests.filter(({ path }) => path === `test/registry/${name}.test.ts`);
  missing.push(
    ...(ownTest.length > 0 ? missingInTests(ownTest, `test/registry/${name}.test.ts`) : []),
    ...missingInRules(
      rules.filter((rule) => rule.id === own || cited.includes(rule.id)),
      own,
    ),
  );
  return missing.map((line) => `${id}: ${line}`);
}

function folderOf(id: string, sources: readonly SourceFile[]): string | undefined {
  const path = sources.find(({ text }) => text.includes(`id: '${id}'`))?.path;
  return path?.slice(0, path.lastIndexOf('/'));
}
