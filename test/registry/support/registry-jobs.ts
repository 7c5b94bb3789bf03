import { publishOverdue } from '../../../src/directory/feed/announcing.ts';
import { checkAgentsDue, crawlDue, readAdsTxtDue, readSellersJsonDue } from '../../../src/registry/periodic-jobs.ts';
import type { RegistryJobDeps } from '../../../src/registry/periodic-jobs.ts';
import { LONG_MS } from '../../support/until.ts';

/** All that the registry does by itself, once, as a worker's periodic jobs do; who answers may take long. */
export async function doRegistryJobs(given: RegistryJobDeps): Promise<void> {
  const deps = { probeMs: LONG_MS, ...given };
  await Promise.all([crawlDue(deps), checkAgentsDue(deps), publishOverdue(deps)]);
  await readAdsTxtDue(deps);
  await readSellersJsonDue(deps);
}
