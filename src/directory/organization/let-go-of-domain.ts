import { AppError } from '../../platform/errors.ts';
import type { SecurityLog } from '../../platform/security/security-log.ts';
import type { FeedDeps } from '../feed/publish.ts';
import { loseDomain } from './lose-domain.ts';
import type { Organization } from './organization.ts';

export interface LetGoDeps extends FeedDeps {
  security: SecurityLog;
}

/**
 * Lets go of a domain other than the first, so that whoever has it next can prove it; its agents there end with it, and so does a file
 * hosted for it. Safe to repeat, also after it was killed anywhere.
 * @throws {AppError} `NOT_FOUND`, `CONFLICT`.
 */
export async function letGoOfDomain(
  deps: LetGoDeps,
  { organization_id, corporate_domain }: Organization,
  { domain, by }: { domain: string; by: string },
): Promise<void> {
  if (domain === corporate_domain)
    throw new AppError('CONFLICT', "this is the organization's first domain, which stays", { field: 'domain' });
  const { wasHeld, agentsRemoved } = await loseDomain(deps, { organization_id, domain });
  if (!wasHeld && agentsRemoved === 0)
    throw new AppError('NOT_FOUND', 'the organization has no such domain', { field: 'domain' });
  deps.security.record('domain.released', { subject: by, organization_id, target: domain });
}
