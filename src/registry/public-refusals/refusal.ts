import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';

const Refused = z.object({
  error: z.string(),
  code: z.literal('NOT_IMPLEMENTED'),
  suggestion: z.string(),
});

/** What is told of what is not done, and what to do instead. */
export interface WhyNot {
  error: string;
  suggestion: string;
}

/** Parameters in a path are not read. */
const Parameters = z.record(z.string(), z.string());

/**
 * A path of the public registry that is not answered here. A client takes 404 for "unknown", which nobody has looked for; so it
 * is 501, with what to do instead (rule R16.refused).
 */
export function refusal(
  { id, method, path, tag, summary }: Pick<Endpoint, 'id' | 'method' | 'path' | 'tag' | 'summary'>,
  { error, suggestion }: WhyNot,
): Endpoint {
  return endpoint({
    ...{ id, method, path, tag, summary },
    access: 'public',
    effect: 'read',
    limit: 'public_refusals',
    ...(path.includes('{') && { params: Parameters }),
    responses: { 501: { description: 'Not answered by this registry, for anybody', schema: Refused } },
    handle: () => Promise.resolve({ status: 501, body: { error, code: 'NOT_IMPLEMENTED', suggestion } }),
  });
}
