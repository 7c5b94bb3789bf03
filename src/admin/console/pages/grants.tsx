import { endGrant, listGrants } from '../../operator/buyers/grants.ts';
import type { ConsolePage } from '../console-page.ts';
import { Pages } from '../parts/paging.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { Said } from '../parts/words.tsx';
import { BuyerGrants } from './buyer-access.tsx';

/** What people have allowed applications, whoever they did it for; or one person, or one organization. */
export const grantsPage: ConsolePage = {
  path: '/grants',
  list: { of: listGrants, rows: 'grants' },
  async show(call) {
    const { query, read } = call;
    const { subject, organization_id } = query;
    const { grants, cursor } = await read(listGrants, { query: { ...query } });
    const one = subject ?? organization_id;
    const body = (
      <>
        <p class="crumbs">
          <a href="/admin/buyers">Buyers</a>
        </p>
        <h1>Applications</h1>
        {one !== undefined && (
          <p class="note">
            {'Of one alone: '}
            <Said>{one}</Said>
            {'. '}
            <a href="/admin/grants">Show all</a>
          </p>
        )}
        <RoleNote call={call} role={endGrant.role} />
        <BuyerGrants call={call} grants={grants} />
        <Pages path="/grants" query={query} cursor={cursor} />
      </>
    );
    return { title: 'Applications', body };
  },
};
