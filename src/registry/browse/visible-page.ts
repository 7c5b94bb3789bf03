import { agents } from '../../directory/agent/agent.ts';
import type { Agent, AgentType, AgentVisibility } from '../../directory/agent/agent.ts';
import { resolveTier } from '../../directory/organization/tier.ts';
import { AppError } from '../../platform/errors.ts';
import type { Store } from '../../platform/store/collection.ts';
import type { RegistryCaller } from '../auth/caller.ts';
import { organizationsOfCaller } from '../auth/organizations-of-caller.ts';

/** A page of agents, by URL within each visibility; null: there is no more. */
interface AgentPage {
  rows: Agent[];
  cursor: string | null;
}

/** What of others' agents a caller sees in lists: members' ones with a tier that has API access, private ones never (rule R5). */
export async function listedFor(store: Store, caller: RegistryCaller | undefined): Promise<AgentVisibility[]> {
  const own = await organizationsOfCaller(store, caller);
  return own.some((row) => resolveTier(row)?.hasApiAccess === true) ? ['public', 'members_only'] : ['public'];
}

/**
 * Agents of some visibilities, one after the other, each by an index.
 * @throws {AppError} `INVALID_REQUEST`, field `cursor`, for one that this list did not give.
 */
export async function visiblePage(
  store: Store,
  shown: readonly AgentVisibility[],
  { type, cursor, limit }: { type?: AgentType | undefined; cursor?: string | undefined; limit: number },
): Promise<AgentPage> {
  const rows: Agent[] = [];
  let [at, after] = placeOf(cursor, shown.length);
  for (;;) {
    const visibility = shown[at] ?? 'public';
    const page = await store.collection(agents).find({
      where: { visibility, ...(type !== undefined && { type }) },
      sort: { field: 'url', direction: 'asc' },
      limit: limit - rows.length,
      ...(after !== undefined && { after }),
    });
    rows.push(...page.rows);
    if (page.cursor !== undefined) return { rows, cursor: `${at}.${page.cursor}` };
    [at, after] = [at + 1, undefined];
    if (at >= shown.length) return { rows, cursor: null };
    if (rows.length >= limit) return { rows, cursor: `${at}.` };
  }
}

/** Which visibility a cursor is in, and where in it. */
function placeOf(cursor: string | undefined, visibilities: number): [number, string | undefined] {
  if (cursor === undefined) return [0, undefined];
  const [, at = '', after = ''] = /^(\d)\.(.*)$/.exec(cursor) ?? [];
  if (at === '' || Number(at) >= visibilities)
    throw new AppError('INVALID_REQUEST', 'cursor: send a cursor that this list gave', { field: 'cursor' });
  return [Number(at), after === '' ? undefined : after];
}
