import { z } from 'zod';
import { FEED_TYPES } from '../../directory/feed/feed-event.ts';
import { publicTypeOf } from './public-event.ts';

const MOST_TYPES = 100;

/** Types of events, ours and the public protocol's, and all of a kind as `agent.*`; as the list of ours that they mean. */
export const Types = z
  .string()
  .max(4000)
  .transform((list, context) => {
    const wanted = [...new Set(list.split(',').map((type) => type.trim()))].slice(0, MOST_TYPES);
    const meant = wanted.map(typesMeantBy);
    if (meant.some((types) => types.length === 0)) {
      const known = [...FEED_TYPES, ...new Set(FEED_TYPES.map(publicTypeOf))].filter(
        (type, i, all) => all.indexOf(type) === i,
      );
      context.addIssue({
        code: 'custom',
        message: `send types of events with commas between, of: ${known.join(', ')}; or all of a kind, such as agent.*`,
      });
    }
    return [...new Set(meant.flat())];
  })
  .optional()
  .describe('Only events of these types, with commas between, such as agent.added,authorization.*');

function typesMeantBy(wanted: string): string[] {
  if (wanted === '*') return [...FEED_TYPES];
  if (wanted.endsWith('.*')) return FEED_TYPES.filter((type) => type.startsWith(wanted.slice(0, -1)));
  return FEED_TYPES.filter((type) => type === wanted || publicTypeOf(type) === wanted);
}
