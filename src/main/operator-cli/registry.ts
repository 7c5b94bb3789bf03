import { Command } from 'commander';
import { z } from 'zod';
import { importEntries } from '../../admin/operator/registry/operations.ts';
import { parseSeedFor } from '../../directory/seed/parse-seed.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { parseInput } from '../../platform/validation.ts';
import { readJsonFile } from '../buyer-cli/given-files.ts';
import { blockedDomainCommands } from './registry-blocked-domains.ts';
import { domainCommands } from './registry-domains.ts';
import { joinRequestCommands } from './registry-join-requests.ts';
import { publisherCommands, registeredAgentCommands } from './registry-looks.ts';
import type { Run } from './session.ts';

const SeedFile = z.strictObject({
  organizations: z.array(z.unknown()).default([]),
  publishers: z.array(z.unknown()).default([]),
});
type SeedFile = z.infer<typeof SeedFile>;

/** `registry …`: what a first start plants, at any time later, and who has which domain. */
export function registryCommands(run: Run): Command {
  const imported = new Command('import')
    .description(importEntries.summary)
    .argument('<file>', 'JSON of the form of catalog/registry-seed.json');
  return new Command('registry')
    .description('Who may sell for whom.')
    .addCommand(domainCommands(run))
    .addCommand(publisherCommands(run))
    .addCommand(registeredAgentCommands(run))
    .addCommand(joinRequestCommands(run))
    .addCommand(blockedDomainCommands(run))
    .addCommand(
      run(imported, {
        async ask(client, [file]: [string]) {
          const seed = parseInput(SeedFile, await readJsonFile('file', file), [], Infinity);
          // All of it before any of it is sent: what is refused adds nothing, and is named by its place in the file.
          await parseSeedFor(ANY_AGENT, seed);
          const batches = inBatches(seed);
          const total = { entries: 0, rows_added: 0 };
          for (const body of batches) {
            const { entries, rows_added } = await client.call(importEntries, { body });
            total.entries += entries;
            total.rows_added += rows_added;
          }
          return total;
        },
        show: ({ entries, rows_added }) => `${entries} entries read, ${rows_added} rows added.\n`,
      }),
    );
}

/** In the place of the agent's own URL, which its server puts in. */
const ANY_AGENT = 'https://sales.example';

/** What a body has room for besides what holds the entries together. */
const BATCH_BYTES = INPUT_LIMITS.operatorBodyBytes - 1_000;

type Body = Record<keyof SeedFile, object[]>;

/** Organizations first: publishers may authorize their agents. @throws {Error} for an entry that no body has room for. */
function inBatches(file: SeedFile): Body[] {
  const batches: Body[] = [];
  let bytes = Infinity;
  for (const name of ['organizations', 'publishers'] as const)
    for (const [i, entry] of file[name].entries()) {
      const size = Buffer.byteLength(JSON.stringify(entry)) + 1;
      if (size > BATCH_BYTES) throw new Error(`${name}[${i}] has more than ${BATCH_BYTES} bytes; make it smaller`);
      if (bytes + size > BATCH_BYTES) {
        batches.push({ organizations: [], publishers: [] });
        bytes = 0;
      }
      batches.at(-1)?.[name].push(entry as object);
      bytes += size;
    }
  return batches;
}
