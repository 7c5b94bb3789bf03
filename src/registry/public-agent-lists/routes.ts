import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import type { RegistryContext } from '../context.ts';
import { DiscoverQuery, DiscoveryError } from '../discover-agent/schema.ts';
import { endpoint } from '../endpoint.ts';
import { FORMATS, PRODUCTS } from '../probe/told-lists.ts';
import type { ToldList } from '../probe/told-lists.ts';
import { askList } from './ask-list.ts';

/** Below the 10 s of rule R12, so that the answer is out by then. */
const ASK_MS = 9_500;

const DESCRIPTION =
  "Asked live, without a credential, by MCP and else by A2A; in the agent's own words, at most 512 KB. Answers within 10 seconds. An agent that wants a credential is UNSUPPORTED_FEATURE: call it yourself.";

const errorBody = (code: string, message: string) => ({ code, message });

const refusals = {
  502: { description: 'No agent answers there, or not with such a list', schema: DiscoveryError },
  504: { description: 'It did not answer within 10 seconds' },
};

/** Rules R12, R16.public. */
export const getAgentFormats = endpoint({
  id: 'getAgentFormats',
  method: 'get',
  path: '/api/public/agent-formats',
  tag: 'Agents',
  summary: 'Ask an agent which creative formats it takes',
  description: DESCRIPTION,
  access: 'public',
  effect: 'read',
  limit: 'discover_agent',
  query: DiscoverQuery,
  responses: {
    200: {
      description: 'What it answers to list_creative_formats',
      schema: z.object({ success: z.literal(true), formats: z.array(z.unknown()) }),
    },
    ...refusals,
  },
  errorBody,
  handle: ({ query: { url } }, context) => answerOf(context, url, FORMATS),
});

/** Rules R12, R16.public. */
export const getAgentProducts = endpoint({
  id: 'getAgentProducts',
  method: 'get',
  path: '/api/public/agent-products',
  tag: 'Agents',
  summary: 'Ask an agent what it sells to anybody',
  description: DESCRIPTION,
  access: 'public',
  effect: 'read',
  limit: 'discover_agent',
  query: DiscoverQuery,
  responses: {
    200: {
      description: 'What it answers to get_products, without a brief',
      schema: z.object({ success: z.literal(true), products: z.array(z.unknown()) }),
    },
    ...refusals,
  },
  errorBody,
  handle: ({ query: { url } }, context) => answerOf(context, url, PRODUCTS),
});

async function answerOf(
  { outbound, probeMs = ASK_MS }: Pick<RegistryContext, 'outbound' | 'probeMs'>,
  url: string,
  wanted: ToldList,
) {
  const asking = { out: outbound, deadline: performance.now() + probeMs };
  const answer = await askList(asking, url, wanted);
  switch (answer.kind) {
    case 'list':
      return { body: { success: true, [wanted.list]: answer.items } };
    case 'wants_credential':
      throw new AppError('UNSUPPORTED_FEATURE', `this agent answers ${wanted.task} only with a credential of its own`, {
        field: 'url',
        suggestion: 'call the agent yourself, with your credential for it',
      });
    case 'not_offered':
      throw new AppError('UNSUPPORTED_TASK', `this agent does not say that it answers ${wanted.task}`, {
        field: 'url',
        suggestion: 'ask /api/public/discover-agent which tasks it has',
      });
    case 'refused':
      throw new AppError('ADDRESS_REFUSED', `this URL is not asked: ${answer.reason}`, { field: 'url' });
    case 'timeout':
      throw new AppError('TIMEOUT', 'the agent did not answer within 10 seconds');
    case 'unreachable':
      return {
        status: 502,
        body: { error: 'agent not reachable', message: `no such list is answered at this URL: ${answer.reason}` },
      };
  }
}
