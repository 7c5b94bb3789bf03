import { filledIn } from '../operator/filled-in.ts';
import type { ActionView } from '../operator/actions/operations.ts';

const NO_PAGE = null;
const ORGANIZATION = '/buyers/:organization_id';
const BUY = '/buys/:media_buy_id';
const ORDER = '/orders/:media_buy_id';
const PROPERTY = '/properties/:property_id';
const TASK = '/tasks/:task_id';
const APPROVAL = '/approvals/:approval_id';
const CREATIVE = '/creatives/:organization_id/:creative_id';
const DELIVERY = '/webhooks/:delivery_id';
const RECEIVER = '/webhooks/receivers/:destination';
const PEOPLE = '/people';
const BLOCKED = '/registry/blocked-domains';

/**
 * Where each action leads from the record: the page of what it was done to, else the list in which that stands; its parameters are what
 * the action's path named and its answer says. One that is missing fails a test.
 */
export const PAGES_OF_ACTIONS: Readonly<Record<string, string | null>> = {
  ...{ 'buys.cancel': BUY, 'buys.hold': BUY, 'buys.release': BUY, 'buys.report': BUY },
  ...{ 'buys.hold_several': '/buys', 'buys.release_several': '/buys' },
  ...{ 'tasks.nudge': TASK, 'tasks.cancel': TASK },
  ...{ 'approvals.approve': APPROVAL, 'approvals.reject': APPROVAL, 'approvals.ask': APPROVAL },
  ...{ 'creatives.approve': CREATIVE, 'creatives.reject': CREATIVE },
  ...{ 'creatives.suspend': CREATIVE, 'creatives.restore': CREATIVE },
  ...{ 'orders.look_at_all': '/orders', 'orders.look': ORDER, 'orders.push': ORDER, 'orders.give_up': ORDER },
  ...{ 'properties.suspend': PROPERTY, 'properties.restore': PROPERTY },
  ...{
    'webhooks.attempt': DELIVERY,
    'webhooks.resend': DELIVERY,
    'webhooks.resend_range': '/webhooks/ranges/:range_id',
  },
  ...{ 'webhooks.pause': RECEIVER, 'webhooks.resume': RECEIVER, 'webhooks.end_registration': TASK },
  'webhooks.test': TASK,
  ...{ 'keys.rotate': '/keys', 'keys.revoke': '/keys' },
  ...{ 'secret.move_out': '/keys', 'secret.reseal': '/keys' },
  ...{ 'buyers.add': ORGANIZATION, 'buyers.suspend': ORGANIZATION, 'buyers.restore': ORGANIZATION },
  'buyers.limits': ORGANIZATION,
  ...{ 'buyers.add_key': ORGANIZATION, 'buyers.reroll_key': ORGANIZATION, 'buyers.revoke_key': ORGANIZATION },
  ...{ 'portal_links.create': ORGANIZATION, 'portal_sessions.end': ORGANIZATION },
  'buyers.move_account': '/buyer-accounts/:account_id',
  ...{ 'grants.end': '/grants', 'accounts.end': NO_PAGE },
  ...{ 'people.invite': PEOPLE, 'people.role': '/people/:person_id', 'people.remove': '/people/:person_id' },
  ...{ 'sessions.end_all': PEOPLE, 'sessions.end': PEOPLE, 'me.end_sessions': NO_PAGE },
  ...{ 'operator_keys.add': PEOPLE, 'operator_keys.revoke': PEOPLE, 'sign_in_links.create': PEOPLE },
  ...{ 'queues.pause': '/job-queues', 'queues.resume': '/job-queues' },
  'actions.undo': NO_PAGE,
  ...{ 'registry.import': '/registry', 'registry.assign_domain': NO_PAGE, 'registry.release_domain': NO_PAGE },
  'registry.crawl': '/registry/publishers/:publisher_domain',
  'registry.check': '/registry/agents/:agent_id',
  ...{ 'registry.approve_join': '/registry/join-requests', 'registry.reject_join': '/registry/join-requests' },
  ...{ 'registry.block': BLOCKED, 'registry.unblock': BLOCKED },
};

/** The page below `/admin` that an action on record leads to; undefined where there is none, or what it needs is not on record. Pure. */
export function pageOfAction({
  action,
  params = {},
  answer,
}: Pick<ActionView, 'action' | 'params' | 'answer'>): string | undefined {
  const page = Object.hasOwn(PAGES_OF_ACTIONS, action) ? PAGES_OF_ACTIONS[action] : undefined;
  if (page === undefined || page === null) return undefined;
  const told = Object.entries(answer ?? {}).filter((one): one is [string, string] => typeof one[1] === 'string');
  const known: Record<string, string> = { ...Object.fromEntries(told), ...params };
  const needed = [...page.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  return needed.every((name) => known[name] !== undefined) ? filledIn(page, known) : undefined;
}
