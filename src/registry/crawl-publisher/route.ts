import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { crawlOnRequest, unreadable } from './crawl-on-request.ts';

/** On request; publishers in the registry are crawled once a day besides (rule R15). */
export const requestCrawl = endpoint({
  id: 'crawlPublisher',
  method: 'post',
  path: '/api/registry/publishers/{domain}/crawl',
  tag: 'Registry',
  summary: "Read a publisher's adagents.json now",
  description:
    'Agents that are no longer in the file lose their authorization; a bad entry is told and loses only itself. When the file cannot be read, what it last said stays for seven days, and for one where the file is gone.',
  access: 'public',
  effect: 'write',
  limit: 'crawl_publisher',
  params: z.object({ domain: z.string().min(1).max(300) }),
  responses: {
    200: {
      description: 'What was found',
      schema: z.object({
        publisher_domain: z.string(),
        source_url: z.string(),
        authorized_agents: z
          .array(z.object({ url: z.string(), authorized_for: z.string(), entry_id: z.string() }))
          .describe('Entries that let an agent sell some inventory now; of the others problems tells why not'),
        properties_count: z.int().min(0),
        problems: z.array(z.string()),
      }),
    },
    502: { description: 'The file cannot be read', schema: z.object({ error: z.string() }) },
  },

  async handle({ params }, call) {
    const { publisher_domain, result } = await crawlOnRequest(call, params.domain);
    if (result.kind === 'failed') return { status: 502, body: { error: unreadable(result.reason) } };
    const { file, source_url } = result;
    return {
      body: {
        publisher_domain,
        source_url,
        authorized_agents: file.authorized.filter(({ is_live }) => is_live),
        properties_count: file.properties.length,
        problems: file.problems,
      },
    };
  },
});
