import { z } from 'zod';
import { crawlOnRequest, unreadable } from '../crawl-publisher/crawl-on-request.ts';
import { endpoint } from '../endpoint.ts';

/** The crawl on request, under the path of the public registry (rules R15, R16.public). */
export const requestPublicCrawl = endpoint({
  id: 'requestCrawl',
  method: 'post',
  path: '/api/registry/crawl-request',
  tag: 'Registry',
  summary: "Read a domain's adagents.json now, by the public registry's path",
  description: 'The same as `POST /api/registry/publishers/{domain}/crawl`, within the same limits.',
  access: 'public',
  effect: 'write',
  limit: 'crawl_publisher',
  body: z.strictObject({ domain: z.string().min(1).max(300) }),
  responses: {
    202: {
      description: 'The file has been read',
      schema: z.object({
        message: z.literal('Crawl request accepted'),
        domain: z.string(),
        source_url: z.string(),
        properties_count: z.int().min(0),
        problems: z.array(z.string()),
      }),
    },
    502: { description: 'The file cannot be read', schema: z.object({ error: z.string() }) },
  },

  async handle({ body }, call) {
    const { publisher_domain: domain, result } = await crawlOnRequest(call, body.domain);
    if (result.kind === 'failed') return { status: 502, body: { error: unreadable(result.reason) } };
    const { file, source_url } = result;
    const found = { source_url, properties_count: file.properties.length, problems: file.problems };
    return { status: 202, body: { message: 'Crawl request accepted', domain, ...found } };
  },
});
