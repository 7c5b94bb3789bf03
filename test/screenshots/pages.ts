import { PAGES } from '../../src/admin/console/pages.ts';
import { named } from '../admin/console/support/named-pages.ts';
import type { PageNames } from '../admin/console/support/named-pages.ts';

/** A page and who looks at it. */
export interface Shot {
  name: string;
  path: string;
  as: 'admin' | 'buyer' | 'nobody';
  /** What it is answered with. */
  status: number;
}

/** Pages that are not answered with 200. */
const STATUSES: Readonly<Record<string, number>> = { '/admin/buys/none': 404, '/admin/sign-in': 401 };

/** Pages that answer to another query than none. */
const QUERIES: Readonly<Record<string, string>> = {
  '/catalog': '?brief=ctv+for+runners',
  '/search': '?q=harbour',
  '/tasks': '?state=completed',
};

const PORTAL = ['', '/receivers', '/deliveries/:delivery_id', '/sign-out'];
const PUBLIC = ['/', '/admin/sign-in', '/portal/sign-in', '/docs', '/docs/agent', '/docs/operator'];

/** Every page of console, portal and public. */
export function shotsOf(names: PageNames): Shot[] {
  const console = [...PAGES.map(({ path }) => path), '/queues', '/sign-out', '/buys/none'];
  return [
    ...console.map((path) => shot('admin', `/admin${path === '/' ? '' : path}`, names, QUERIES[path])),
    ...PORTAL.map((path) => shot('buyer', `/portal${path}`, names)),
    ...PUBLIC.map((path) => shot('nobody', path, names)),
  ];
}

function shot(as: Shot['as'], pattern: string, names: PageNames, query = ''): Shot {
  const name = pattern.replaceAll(/[^a-z]+/g, '-').replaceAll(/^-|-$/g, '');
  const path = named(pattern, names);
  return { as, path: path + query, name: name === '' ? 'front' : name, status: STATUSES[path] ?? 200 };
}
