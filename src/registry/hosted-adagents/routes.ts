import { z } from 'zod';
import { endHostedFile } from '../../directory/hosted-file/end-hosted-file.ts';
import type { HostedFile } from '../../directory/hosted-file/hosted-file.ts';
import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { ADAGENTS_SHAPE } from '../../platform/intake/json-shape.ts';
import { finishHosting } from '../crawl/settle-hosted.ts';
import { endpoint } from '../endpoint.ts';
import type { Answer, EndpointCall } from '../endpoint.ts';
import { refuseBlocked } from '../refuse-blocked.ts';
import { lookAfterSave, lookAtOrigin } from './look.ts';
import { KEPT_ELSEWHERE, ownFile, ownPublisher, servedFile } from './own-file.ts';
import { checkedFile, isMeant, saveFile } from './save-file.ts';
import { HostedLooked, HostedParams, HostedRead, HostedSaved, HostedStale } from './schema.ts';
import { viewOfHosted } from './view.ts';

const PATH = '/api/me/publishers/{domain}/adagents';
/** Rule R15.hosted. */
const OF_MANAGERS = { tag: 'Publishers', access: 'required', params: HostedParams } as const;
const CHANGING = { ...OF_MANAGERS, effect: 'write', limit: 'change_hosted_adagents' } as const;
const STALE = { description: 'Another file is there than If-Match names', schema: HostedStale };
const NO_STORE = { 'Cache-Control': 'no-store' };

export const putHostedAdagents = endpoint({
  ...CHANGING,
  id: 'putHostedAdagents',
  method: 'put',
  path: PATH,
  summary: "Have a publisher's adagents.json hosted here; for owners and admins",
  description:
    'Send the file itself. It is checked first, and refused where a check finds errors. It counts once the origin of the domain names it: serve `place.file` at `place.url`. With If-Match another file than the one that it names is not overwritten.',
  body: z.looseObject({ authorized_agents: z.array(z.unknown()).describe('As adagents.json has it') }),
  bodyBytes: INPUT_LIMITS.adagentsBodyBytes,
  bodyShape: ADAGENTS_SHAPE,
  tooLarge: KEPT_ELSEWHERE,
  responses: {
    200: { description: 'The file was there and is what was sent', schema: HostedSaved },
    201: { description: 'The file is hosted from now on', schema: HostedSaved },
    412: STALE,
  },

  async handle({ params: { domain }, body }, call) {
    await refuseBlocked(call, domain);
    const organization = await ownPublisher(call, domain);
    const { valid, findings, file } = await checkedFile(body, { publisherDomain: domain, nowMs: call.clock.now() });
    const meant = call.header('if-match');
    const saved = await saveFile(call, organization, { publisher_domain: domain, file: body, meant });
    if (saved.kind === 'stale') return staleAnswer(saved.row);
    const look = await lookAfterSave(call, domain);
    const { errors = [], warnings = [] } = findings ?? {};
    return {
      status: saved.isNew ? 201 : 200,
      body: {
        ...(await viewOfHosted(call, await asItIs(call, saved.row))),
        ...{ validation: { valid, errors, warnings, problems: file?.problems ?? [] }, look },
      },
      headers: { ...NO_STORE, ETag: saved.row.etag },
    };
  },
});

export const getHostedAdagents = endpoint({
  ...OF_MANAGERS,
  id: 'getHostedAdagents',
  method: 'get',
  path: PATH,
  effect: 'read',
  limit: 'read_hosted_adagents',
  summary:
    'See the file that is hosted for a domain, whether it counts, and what its origin says; for owners and admins',
  responses: { 200: { description: 'The file and what is known of it', schema: HostedRead } },

  async handle({ params: { domain } }, call) {
    const row = await ownFile(call, domain);
    const file = JSON.parse(row.file_json) as unknown;
    return { body: { ...(await viewOfHosted(call, row)), file }, headers: { ...NO_STORE, ETag: row.etag } };
  },
});

export const verifyHostedAdagents = endpoint({
  ...CHANGING,
  id: 'verifyHostedAdagents',
  method: 'post',
  path: `${PATH}/verify`,
  summary: 'Have the origin looked at now, to see whether it names the hosted file; for owners and admins',
  description: 'The look of every crawl, within its budgets; it is made once a day by itself.',
  responses: { 200: { description: 'What is known now, whatever the look found', schema: HostedLooked } },

  async handle({ params: { domain } }, call) {
    const row = await ownFile(call, domain);
    const look = await lookAtOrigin(call, domain);
    return { body: { ...(await viewOfHosted(call, await asItIs(call, row))), look }, headers: NO_STORE };
  },
});

export const deleteHostedAdagents = endpoint({
  ...CHANGING,
  id: 'deleteHostedAdagents',
  method: 'delete',
  path: PATH,
  summary: 'Take down the file that is hosted for a domain; for owners and admins',
  description:
    'What it let agents sell ends with it, at once. With If-Match another file than the one that it names stays.',
  responses: { 204: { description: 'It is no longer served, and counts for nothing' }, 412: STALE },

  async handle({ params: { domain: publisher_domain } }, call) {
    const { organization_id } = await ownPublisher(call, publisher_domain);
    const isStill = ({ etag }: HostedFile) => isMeant(call.header('if-match'), etag);
    const isEnded = await endHostedFile(call, { publisher_domain, organization_id }, isStill);
    const row = isEnded ? undefined : await servedFile(call.store, publisher_domain);
    if (row !== undefined) return staleAnswer(row);
    // Also where a call before died here.
    await finishHosting(call, publisher_domain);
    if (!isEnded) throw new AppError('NOT_FOUND', 'no file is hosted here for this domain', { field: 'domain' });
    return { status: 204 };
  },
});

/** After a look, which may have noted something. */
async function asItIs({ store }: EndpointCall, row: HostedFile): Promise<HostedFile> {
  const now = await servedFile(store, row.publisher_domain);
  return now?.etag === row.etag ? now : row;
}

function staleAnswer(row: HostedFile | undefined): Answer {
  const body = {
    error: row === undefined ? 'there is no file that If-Match could mean' : 'the file was changed since',
    field: 'If-Match',
    suggestion:
      row === undefined ? 'send it without If-Match' : 'read the file, put your change into it, and send its ETag',
    etag: row?.etag ?? null,
  };
  return { status: 412, body, headers: NO_STORE };
}
