import { z } from 'zod';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** Lists that are searched: agents by who may see them, and never private ones. */
export const SearchList = z.enum(['agent.public', 'agent.members_only', 'publisher']);
export type SearchList = z.infer<typeof SearchList>;

/** What something is found by, as its row said when it was last looked at: one for each agent and publisher that is in a list. */
export const SearchEntry = z.object({
  /** An `agent_id` or a publisher's domain. */
  subject: z.string(),
  /** Null: in none. */
  list: SearchList.nullable(),
  /** At most {@link MOST_TERMS}. */
  terms: z.array(z.string()),
  /** Ids of hints that it had before, and that may still be there. */
  dropping: z.array(z.string()),
  revision: z.int(),
});
export type SearchEntry = z.infer<typeof SearchEntry>;

export const searchEntries: CollectionSpec<SearchEntry> = {
  name: 'search_entries',
  key: 'subject',
  schema: SearchEntry,
  indexes: [],
};

/** That something may be found by a term: whoever finds it asks the entry. */
export const SearchHint = z.object({
  /** List, term and subject: so those of one term stand in the order of their subjects. */
  hint_id: z.string(),
  list: SearchList,
  term: z.string(),
  subject: z.string(),
  revision: z.int(),
});
export type SearchHint = z.infer<typeof SearchHint>;

export const searchHints: CollectionSpec<SearchHint> = {
  name: 'search_hints',
  key: 'hint_id',
  schema: SearchHint,
  indexes: [{ name: 'term', fields: ['list', 'term'], holds: [] }],
};

/** What one agent or publisher is found by, at most. */
export const MOST_TERMS = 300;

export function hintId(list: SearchList, term: string, subject: string): string {
  return `${list} ${term} ${subject}`;
}
