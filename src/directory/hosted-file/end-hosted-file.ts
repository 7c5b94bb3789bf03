import { toTimestamp } from '../../platform/clock.ts';
import { hastenCheck, holdCheck } from '../scheduled-check/scheduled-check.ts';
import type { CheckDeps } from '../scheduled-check/scheduled-check.ts';
import { hostedFiles } from './hosted-file.ts';
import type { HostedFile } from './hosted-file.ts';

type OfOrganization = Pick<HostedFile, 'publisher_domain' | 'organization_id'>;

/**
 * From now on an organization's file for a domain is not served. What it let agents sell is taken back by the next look at the domain,
 * which is due at once, or in two minutes where this process dies right here. Safe to repeat. Answers whether this call ended it.
 * @param isMeant may say no of the file as it is now.
 */
export async function endHostedFile(
  deps: CheckDeps,
  of: OfOrganization,
  isMeant: (row: HostedFile) => boolean = () => true,
): Promise<boolean> {
  const { publisher_domain, organization_id } = of;
  if (!(await holdHostedFile(deps, of))) return false;
  const ended_at = toTimestamp(deps.clock.now());
  const outcome = await deps.store
    .collection(hostedFiles)
    .update(publisher_domain, (row) =>
      row.organization_id === organization_id && row.ended_at === null && isMeant(row)
        ? { ...row, file_json: '', ended_at }
        : undefined,
    );
  await hastenCheck(deps, 'adagents', publisher_domain);
  return outcome?.changed === true;
}

/** Before an organization loses a domain: what it hosts for it is looked at soon, whatever becomes of this process. Answers whether it does. */
export async function holdHostedFile(
  deps: CheckDeps,
  { publisher_domain, organization_id }: OfOrganization,
): Promise<boolean> {
  const row = await deps.store.collection(hostedFiles).get(publisher_domain);
  if (row?.organization_id !== organization_id) return false;
  await holdCheck(deps, 'adagents', publisher_domain);
  return true;
}
