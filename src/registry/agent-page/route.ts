import { z } from 'zod';
import { agents } from '../../directory/agent/agent.ts';
import { liveOfAgents } from '../../directory/authorization/live-authorizations.ts';
import { badges } from '../../directory/badge/badge.ts';
import { EncodedUrl } from '../badge/subject.ts';
import { endpoint } from '../endpoint.ts';
import { agentPageHtml } from './page.ts';

/** The page that a badge links to (rule R11). Of an agent that is not public it shows only what is public by itself. */
export const agentPage = endpoint({
  id: 'agentPage',
  method: 'get',
  path: '/registry/agents/{encodedUrl}',
  tag: 'Badges',
  summary: 'A page about an agent: its badges, and who authorizes it',
  access: 'public',
  effect: 'read',
  limit: 'agent_page',
  params: z.object({ encodedUrl: EncodedUrl }),
  responses: {
    200: { description: 'The page', contentType: 'text/html' },
    404: { description: 'The page, saying that nothing is known', contentType: 'text/html' },
  },

  async handle({ params: { encodedUrl: agent_url } }, { store, names, clock }) {
    const [known, held, live] = await Promise.all([
      store.collection(agents).find({ where: { url: agent_url }, limit: 1 }),
      store.collection(badges).find({ where: { agent_url }, limit: 1000 }),
      liveOfAgents(store, [agent_url], clock.now()),
    ]);
    const agent = known.rows.find((row) => row.visibility === 'public');
    const authorized = live.slice(0, 200);
    const isKnown = agent !== undefined || held.rows.length > 0 || authorized.length > 0;
    return {
      status: isKnown ? 200 : 404,
      text: agentPageHtml({ agent_url, agent, badges: held.rows, authorized, protocolName: names.name }),
      headers: {
        'Cache-Control': 'public, max-age=60',
        'Content-Security-Policy':
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
      },
    };
  },
});
