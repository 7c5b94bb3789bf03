import { z } from 'zod';
import { addOrganization } from '../../../directory/organization/add-organization.ts';
import { Organization, organizations } from '../../../directory/organization/organization.ts';
import {
  restoreOrganization,
  suspendOrganization,
  SUSPENSION_KNOWN_WITHIN_MS,
} from '../../../directory/organization/suspension.ts';
import { AppError } from '../../../platform/errors.ts';
import type { OrganizationId } from '../../../platform/organization-id.ts';
import type { Store } from '../../../platform/store/collection.ts';
import { IdOfOrganization, Name, Words } from '../fields.ts';
import { clickOf, operation } from '../operation.ts';

/** An organization as an operator sees it. */
export const BuyerView = z
  .object(Organization.shape)
  .pick({
    organization_id: true,
    name: true,
    state: true,
    company_type: true,
    corporate_domain: true,
    created_at: true,
  })
  .extend({
    /** Null: it is not suspended. */
    suspended_at: z.string().nullable(),
    suspension: Organization.shape.suspension.unwrap().nullable(),
  });
export type BuyerView = z.infer<typeof BuyerView>;

export const BuyerParams = z.strictObject({ organization_id: IdOfOrganization });

export const showBuyer = operation({
  method: 'get',
  path: '/buyers/:organization_id',
  summary: 'Show an organization, and whether it is suspended, by whom and why.',
  role: 'viewer',
  params: BuyerParams,
  answer: BuyerView,
  async handle({ params: { organization_id } }, { store }) {
    return viewOfBuyer(await knownBuyer(store, organization_id));
  },
});

/** For a buyer whom nobody of theirs signs up; it has no key yet. */
export const addBuyer = operation({
  method: 'post',
  path: '/buyers/add',
  summary: 'Make an organization for a buyer; buyers keys add then makes its API key.',
  role: 'admin',
  action: 'buyers.add',
  done: ({ name }) => `${name} is added.`,
  body: z.strictObject({ name: Name }),
  answer: BuyerView,
  async handle({ body: { name } }, call) {
    return viewOfBuyer(await addOrganization(call, clickOf(call), name));
  },
});

/** Within so many seconds every process knows. */
const known_within_seconds = z.literal(SUSPENSION_KNOWN_WITHIN_MS / 1000);

/** Nobody acts for it from then on, its tasks wait as they are, and its buys go on. */
export const suspendBuyer = operation({
  method: 'post',
  path: '/buyers/:organization_id/suspend',
  summary: 'Suspend an organization: its credentials open nothing, its tasks wait, its buys go on.',
  role: 'admin',
  action: 'buyers.suspend',
  done: ({ name }) => `${name} is suspended.`,
  undo: 'buyers.restore',
  decides: 'organization.suspended',
  concerns: ({ organization_id }, { body: { webhooks } }) => ({ organization_id, reason: `webhooks ${webhooks}` }),
  params: BuyerParams,
  body: z.strictObject({
    /** For the record; the buyer is not told. */
    reason: Words,
    /** Whether its webhooks go on or wait, too. */
    webhooks: z.enum(['go_on', 'stop']).default('go_on'),
  }),
  answer: BuyerView.extend({ known_within_seconds }),
  async handle({ params: { organization_id }, body }, call) {
    const row = await suspendOrganization(call, organization_id, { ...body, by: call.by });
    return { ...viewOfBuyer(row), known_within_seconds: SUSPENSION_KNOWN_WITHIN_MS / 1000 };
  },
});

export const restoreBuyer = operation({
  method: 'post',
  path: '/buyers/:organization_id/restore',
  summary: 'End the suspension of an organization: its credentials open again, and its tasks go on.',
  role: 'admin',
  action: 'buyers.restore',
  done: ({ name }) => `${name} is suspended no more.`,
  decides: 'organization.restored',
  concerns: ({ organization_id }) => ({ organization_id }),
  params: BuyerParams,
  answer: BuyerView.extend({ known_within_seconds }),
  async handle({ params: { organization_id } }, call) {
    const row = await restoreOrganization(call, organization_id);
    return { ...viewOfBuyer(row), known_within_seconds: SUSPENSION_KNOWN_WITHIN_MS / 1000 };
  },
});

/** @throws {AppError} `NOT_FOUND`. */
export async function knownBuyer(store: Store, organization_id: OrganizationId): Promise<Organization> {
  const row = await store.collection(organizations).get(organization_id);
  if (row === undefined) throw new AppError('NOT_FOUND', 'no organization has this id', { field: 'organization_id' });
  return row;
}

/** What of a stored organization is told. Pure. */
export function viewOfBuyer(row: Organization): BuyerView {
  const {
    organization_id,
    name,
    state,
    company_type,
    corporate_domain,
    created_at,
    suspended_at = null,
    suspension = null,
  } = row;
  return { organization_id, name, state, company_type, corporate_domain, created_at, suspended_at, suspension };
}
