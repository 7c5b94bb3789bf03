import { z } from 'zod';
import { agents } from '../../directory/agent/agent.ts';
import { healthOf } from '../../directory/agent-check/read-checks.ts';
import { liveOfAgents } from '../../directory/authorization/live-of-agents.ts';
import { badges } from '../../directory/badge/badge.ts';
import { visibleAgent } from '../agent-checks/visible-agent.ts';
import { pathSegment } from '../badge/escape.ts';
import { EncodedUrl } from '../badge/subject.ts';
import { endpoint } from '../endpoint.ts';
import { publicPage } from '../publisher-page/public-page.ts';
import { agentPageBody } from './page.ts';

/** Publishers that are looked at for one page, and those that it shows. */
const MOST_LOOKED_AT = 1000;
const MOST_SHOWN = 200;

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

  async handle({ params: { encodedUrl: agent_url } }, { store, names, clock, baseUrl }) {
    const [known, held, { live, cut }, seen] = await Promise.all([
      store.collection(agents).find({ where: { url: agent_url }, limit: 1 }),
      store.collection(badges).find({ where: { agent_url }, limit: 1000 }),
      liveOfAgents(store, [agent_url], clock.now(), MOST_LOOKED_AT),
      visibleAgent({ store, caller: undefined, ownUrl: baseUrl() }, agent_url),
    ]);
    const agent = known.rows.find((row) => row.visibility === 'public');
    const health = seen && (await healthOf(store, seen));
    const authorized = live.slice(0, MOST_SHOWN);
    const hasMore = live.length > MOST_SHOWN || cut.size > 0;
    const shown = seen === undefined ? [] : held.rows;
    const isKnown = agent !== undefined || shown.length > 0 || authorized.length > 0 || hasMore;
    const page = publicPage({
      title: agent?.name ?? agent_url,
      canonical: isKnown ? `${baseUrl()}/registry/agents/${pathSegment(agent_url)}` : null,
      body: agentPageBody({ agent_url, agent, badges: shown, health, authorized, hasMore, protocolName: names.name }),
    });
    return { status: isKnown ? 200 : 404, ...page };
  },
});
