import { hostedFiles, MOST_SAVES } from '../../directory/hosted-file/hosted-file.ts';
import type { HostedFile } from '../../directory/hosted-file/hosted-file.ts';
import type { Organization } from '../../directory/organization/organization.ts';
import { holdCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { strongEtag } from '../../platform/etag.ts';
import { isObject } from '../../platform/json-object.ts';
import { lookAtSent } from '../adagents-validate/look.ts';
import type { LookedAt } from '../adagents-validate/look.ts';
import { callerId } from '../auth/caller.ts';
import { finishHosting } from '../crawl/settle-hosted.ts';
import type { EndpointCall } from '../endpoint.ts';
import { hostedUrl } from './own-file.ts';

/** What came of saving; `stale`: another than the one that was meant is there, or none. */
export type SaveOutcome =
  { kind: 'saved'; isNew: boolean; row: HostedFile } | { kind: 'stale'; row: HostedFile | undefined };

/** The header that says which file is meant, as it came. */
export type Meant = string | undefined;

/** Whether the file that is there is one of those which an `If-Match` names; without the header any is, and none. */
export function isMeant(meant: Meant, etag: string | undefined): boolean {
  if (meant === undefined) return true;
  if (etag === undefined) return false;
  return meant.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}

/**
 * Has a file looked at as one that is published, by the very check that `POST /api/adagents/validate` makes.
 * @throws {AppError} `VALIDATION_ERROR`, with each error's pointer and how to mend it.
 */
export async function checkedFile(file: object, of: { publisherDomain: string; nowMs: number }): Promise<LookedAt> {
  const looked = await lookAtSent(file, of);
  const errors = [...(looked.findings?.errors ?? [])];
  // One that names another place would be the second hop, which no reader follows.
  if (looked.file === undefined || looked.file.authoritative_location !== undefined)
    errors.push({
      ...{ pointer: '/authorized_agents', message: 'the file that is hosted is the one that counts' },
      ...{ fix: 'put the list here, and leave out authoritative_location', source_url: null },
    });
  const [first] = errors;
  if (first === undefined) return looked;
  throw new AppError('VALIDATION_ERROR', `the file was not saved: ${first.pointer || 'it'}: ${first.message}`, {
    field: first.pointer,
    suggestion: first.fix,
    issues: errors.map(({ pointer, message, fix }) => ({ pointer, message: `${message}; ${fix}` })),
  });
}

/**
 * Saves a checked file for its organization, in one write by compare-and-swap. The same again is saved already, whatever `meant` says, so
 * that whoever got no answer may ask again. What a former holder of the domain had here is over before.
 * @throws {AppError} `RATE_LIMITED` where the organization has as many as it may.
 */
export async function saveFile(
  call: EndpointCall,
  { organization_id }: Organization,
  { publisher_domain, file, meant }: { publisher_domain: string; file: object; meant: Meant },
): Promise<SaveOutcome> {
  const { store, clock } = call;
  const rows = store.collection(hostedFiles);
  const file_json = JSON.stringify(file);
  const etag = strongEtag(file_json);
  const url = hostedUrl(call, publisher_domain);
  for (;;) {
    const stored = await rows.get(publisher_domain);
    const isOwn = stored?.organization_id === organization_id && stored.ended_at === null;
    const present = isOwn ? stored : undefined;
    if (present?.etag === etag && present.url === url) return { kind: 'saved', isNew: false, row: present };
    if (!isMeant(meant, present?.etag)) return { kind: 'stale', row: present };
    if (present !== undefined) refuseOlder(file, present, clock.now());
    if (present === undefined) {
      const used = await rows.count({ organization_id, ended_at: null }, { most: call.budgets.size('hosted_files') });
      call.budgets.checkRows('hosted_files', used);
      if (stored !== undefined) await finishHosting(call, publisher_domain);
    }
    // Before, so that the origin is looked at soon, also when this process dies before its own look.
    await holdCheck(call, 'adagents', publisher_domain);
    const now = toTimestamp(clock.now());
    const number = (present?.saves.at(-1)?.number ?? 0) + 1;
    const by = call.caller === undefined ? '' : callerId(call.caller);
    const save = { number, etag, bytes: Buffer.byteLength(file_json), saved_at: now, saved_by: by };
    const said = { organization_id, url, file_json, etag };
    const row: HostedFile =
      present === undefined
        ? {
            ...{ publisher_domain, ...said, saves: [save], verified_at: null, lost_at: null, ended_at: null },
            ...{ created_at: now, revision: 1 },
          }
        : { ...present, ...said, saves: [...present.saves, save].slice(-MOST_SAVES) };
    if (present !== undefined) {
      const replaced = await rows.replace(row);
      if (replaced !== undefined) return { kind: 'saved', isNew: false, row: replaced };
      continue;
    }
    // What has ended is over: nothing of it is to stay in the new one.
    if (stored !== undefined && !(await letGo(call, publisher_domain))) continue;
    if ((await rows.insert(row)).inserted) return { kind: 'saved', isNew: true, row };
  }
}

/** A crawl takes a file for a forgotten copy that was changed earlier, by its own word, than the one before. */
function refuseOlder(file: object, { file_json }: HostedFile, nowMs: number): void {
  const changed = updatedMs(file);
  const before = Number.isNaN(changed) ? NaN : updatedMs(JSON.parse(file_json));
  if (!(changed < before && before <= nowMs)) return;
  throw new AppError('VALIDATION_ERROR', 'the file was not saved: /last_updated: it is older than the one before', {
    field: '/last_updated',
    suggestion: 'write when the file was changed last, or leave it out',
  });
}

/** NaN where it says no time. */
function updatedMs(file: unknown): number {
  const said = isObject(file) ? file['last_updated'] : undefined;
  return typeof said === 'string' ? Date.parse(said) : NaN;
}

/** Removes what has ended, and answers whether the place is free. */
async function letGo({ store }: EndpointCall, publisherDomain: string): Promise<boolean> {
  const rows = store.collection(hostedFiles);
  const ended = await rows.get(publisherDomain);
  return ended === undefined || (ended.ended_at !== null && (await rows.delete(publisherDomain, ended.revision)));
}
