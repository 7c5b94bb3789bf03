import { typescriptFiles } from './project-files.ts';
import { rulesNamedIn } from './test-titles.ts';

/** Their titles hold examples of ids, which prove nothing. */
const ABOUT_RULES = ['test/requirements.test.ts', 'test/citations.test.ts'];

/** The test files whose titles name each rule, sorted. */
export async function proofsByRule(): Promise<ReadonlyMap<string, readonly string[]>> {
  const proofs = new Map<string, string[]>();
  for (const file of await typescriptFiles('test')) {
    if (ABOUT_RULES.includes(file.path)) continue;
    for (const id of new Set(rulesNamedIn(file))) proofs.set(id, [...(proofs.get(id) ?? []), file.path]);
  }
  return proofs;
}
