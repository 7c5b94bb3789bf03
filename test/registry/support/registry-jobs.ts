import { publishOverdue } from '../../../src/directory/feed/announcing.ts';
import { checkAgentsDue, crawlDue, readAdsTxtDue, readSellersJsonDue } from '../../../src/registry/periodic-jobs.ts';
import type { RegistryJobDeps } from '../../../src/registry/periodic-jobs.ts';

/** All that the registry does by itself, once, as a worker's periodic jobs do. */
export async function doRegistryJobs(deps: RegistryJobDeps): Promise<void> {
  await Promise.all([crawlDue(deps), checkAgentsDue(deps), publishOverdue(deps)]);
  await readAdsTxtDue(deps);
  await readSellersJsonDue(deps);
}
