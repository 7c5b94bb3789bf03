import { search } from '../../operator/search/operations.ts';
import type { SearchHit } from '../../operator/search/operations.ts';
import type { ConsolePage } from '../console-page.ts';
import { Table } from '../parts/table.tsx';
import { IdLink, pageOfId, Said } from '../parts/words.tsx';

/** What somebody looks for: an id opens its page at once. */
export const searchPage: ConsolePage = {
  path: '/search',
  async show({ query: { q = '' }, read }) {
    const { found, is_exact } = q.trim() === '' ? { found: [], is_exact: false } : await read(search, { query: { q } });
    const [only] = found;
    const to = is_exact && found.length === 1 && only !== undefined ? pageOf(only) : undefined;
    const body = (
      <>
        <h1>Search</h1>
        <form class="act" action="/admin/search">
          <label>
            What to look for
            <input type="search" name="q" value={q} maxlength="512" />
          </label>
          <button>Search</button>
        </form>
        <h2>Found</h2>
        <Table
          caption="Found"
          rows={found}
          empty={q.trim() === '' ? SEARCHED : `Nothing. ${SEARCHED}`}
          columns={[
            { heading: 'What', cell: ({ kind }) => (kind === 'api_key' ? 'API key' : kind.replaceAll('_', ' ')) },
            { heading: 'Id', cell: (one) => <IdLink of={one.id} to={pageOf(one)} /> },
            { heading: 'Name', cell: ({ name }) => <Said>{name}</Said> },
            ...(found.some(({ organization_id }) => organization_id !== undefined)
              ? [{ heading: 'Whose', cell: ({ organization_id }: SearchHit) => <Said>{organization_id}</Said> }]
              : []),
          ]}
        />
      </>
    );
    return { title: 'Search', body, ...(to !== undefined && { to: `/admin${to}` }) };
  },
};

const SEARCHED =
  'Looked for: the whole id of a media buy, task, approval, webhook, organization or signing key; a URL of a receiver; the last four characters of an API key; the whole reference or PO number of a media buy; the beginning of an organization’s name.';

function pageOf({ kind, id, organization_id = '' }: SearchHit): string {
  switch (kind) {
    case 'media_buy':
      return pageOfId('/buys', id);
    case 'task':
      return pageOfId('/tasks', id);
    case 'approval':
      return pageOfId('/approvals', id);
    case 'delivery':
      return pageOfId('/webhooks', id);
    case 'organization':
      return pageOfId('/buyers', id);
    case 'destination':
      return pageOfId('/webhooks/receivers', id);
    case 'api_key':
      return pageOfId('/buyers', organization_id);
    case 'signing_key':
      return '/keys';
  }
}
