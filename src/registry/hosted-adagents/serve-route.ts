import { AppError } from '../../platform/errors.ts';
import { endpoint } from '../endpoint.ts';
import { servedFile } from './own-file.ts';
import { isMeant } from './save-file.ts';
import { HostedParams, ServedFile } from './schema.ts';

/** The file as its publisher's origin names it (rule R15.hosted). It says nothing by itself: whoever reads it begins at the origin. */
export const serveHostedAdagents = endpoint({
  id: 'serveHostedAdagents',
  method: 'get',
  path: '/hosted/{domain}/adagents.json',
  tag: 'Publishers',
  summary: 'The adagents.json that is hosted here for a publisher, by its authoritative_location',
  description:
    "It counts for a domain only where that domain's own /.well-known/adagents.json names this URL. Ask again by its ETag: 304 while it is the same.",
  access: 'public',
  effect: 'read',
  limit: 'hosted_adagents',
  params: HostedParams,
  responses: {
    200: { description: 'The file as it was saved', schema: ServedFile },
    304: { description: 'It is the one that If-None-Match names' },
  },

  async handle({ params: { domain } }, { store, header }) {
    const row = await servedFile(store, domain);
    if (row === undefined)
      throw new AppError('NOT_FOUND', 'no file is hosted here for this domain', { field: 'domain' });
    // What was taken down, or belongs to another by now, must not be answered by a cache in between.
    const headers = { ETag: row.etag, 'Cache-Control': 'public, no-cache' };
    const known = header('if-none-match');
    if (known !== undefined && isMeant(known, row.etag)) return { status: 304, headers };
    return { json: row.file_json, headers };
  },
});
