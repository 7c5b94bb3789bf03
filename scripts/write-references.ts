/**
 * Writes the references in docs that follow from the sources: settings, skills, the API of buyers, what stands on record, what the log
 * says, refusals. `--check`
 * only says, by the exit code, whether they are fresh.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { projectRoot } from '../test/support/project-files.ts';
import { auditPaper } from './references/audit-actions.ts';
import { buyerApiPaper } from './references/buyer-api.ts';
import { errorsPaper } from './references/errors.ts';
import { logPaper } from './references/log-lines.ts';
import { settingsPaper } from './references/settings.ts';
import { skillsPaper } from './references/skills.ts';

const PAPERS: Readonly<Record<string, () => string | Promise<string>>> = {
  'docs/audit-actions.md': auditPaper,
  'docs/buyer-api.md': buyerApiPaper,
  'docs/errors.md': errorsPaper,
  'docs/log-lines.md': logPaper,
  'docs/settings.md': settingsPaper,
  'docs/skill-schemas.md': skillsPaper,
};

/** Each paper's path below the project, and the text that it should have. */
async function referenceTexts(): Promise<[path: string, text: string][]> {
  return Promise.all(
    Object.entries(PAPERS).map(async ([path, make]): Promise<[string, string]> => {
      const options = { ...(await resolveConfig(join(projectRoot, path))), parser: 'markdown' };
      return [path, await format(await make(), options)];
    }),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [path, text] of await referenceTexts()) {
    const file = join(projectRoot, path);
    if (!process.argv.includes('--check')) await writeFile(file, text);
    else if (text !== (await readFile(file, 'utf8').catch(() => ''))) {
      console.error(`${path} is stale: run npx tsx scripts/write-references.ts`);
      process.exitCode = 1;
    }
  }
}
