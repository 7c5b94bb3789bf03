import { toTimestamp } from '../../platform/clock.ts';
import { hastenCheck, holdCheck } from '../scheduled-check/scheduled-check.ts';
import type { CheckDeps } from '../scheduled-check/scheduled-check.ts';
import { hostedFiles } from './hosted-file.ts';
import type { HostedFile } from './hosted-file.ts';

/**
 * From now on an organization's file for a domain is not served. What it let agents sell is taken back by the next look at the domain,
 * which is due at once: also where this process dies right here. Safe to repeat. Answers whether this call ended it.
 * @param isMeant may say no of the file as it is now.
 */
export async function endHostedFile(
  deps: CheckDeps,
  { publisher_domain, organization_id }: Pick<HostedFile, 'publisher_domain' | 'organization_id'>,
  isMeant: (row: HostedFile) => boolean = () => true,
): Promise<boolean> {
  const rows = deps.store.collection(hostedFiles);
  if ((await rows.get(publisher_domain))?.organization_id !== organization_id) return false;
  await holdCheck(deps, 'adagents', publisher_domain);
  const ended_at = toTimestamp(deps.clock.now());
  const outcome = await rows.update(publisher_domain, (row) =>
    row.organization_id === organization_id && row.ended_at === null && isMeant(row)
      ? { ...row, file_json: '', ended_at }
      : undefined,
  );
  await hastenCheck(deps, 'adagents', publisher_domain);
  return outcome?.changed === true;
}
