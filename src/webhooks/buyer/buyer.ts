import type { ApiKey } from '../../directory/api-key/api-key.ts';
import type { Budgets } from '../../platform/budget/budgets.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { withoutQuery } from '../../platform/outbound/without-query.ts';
import type { Collection, Page, Where } from '../../platform/store/collection.ts';
import type { LastAnswers } from '../answers/last-answers.ts';
import type { Delivery, DeliveryState } from '../delivery/delivery.ts';
import { sentBody } from '../delivery/sent-body.ts';
import type { SentBody, SentBodyDependencies } from '../delivery/sent-body.ts';
import { resend } from '../delivery/resend.ts';
import type { ResendDependencies, Resent } from '../delivery/resend.ts';
import type { SigningKeySets } from '../keys/signing-key-sets.ts';
import { buyerDelivery, buyerDeliveryDetail } from './delivery-view.ts';
import type { BuyerDelivery, BuyerDeliveryDetail } from './delivery-view.ts';
import { destinationHealths } from './destination-health.ts';
import type { DestinationHealth } from './destination-health.ts';
import { buyerRanges } from './continue-ranges.ts';
import { keysOfBuyer, publishedKeys } from './keys.ts';
import type { BuyerKey, PublishedKeys } from './keys.ts';
import { endRegistrationOfBuyer, registrationsOfBuyer, ownRegistration } from './registrations.ts';
import type { BuyerRegistration, BuyerRegistrationDependencies, RegistrationPlace } from './registrations.ts';
import { askRange, countRange, listRanges, showBuyerRange, stopRange } from './resend-range.ts';
import type { BuyerRangeDependencies, BuyerRangeView, RangeCount, RangeRequest } from './resend-range.ts';
import { successOf } from './success.ts';
import type { Success, SuccessRange } from './success.ts';
import { sendTestEvent, sendTestToRegistration } from './test-event.ts';
import type { TestEventDependencies, TestOutcome, TestRequest } from './test-event.ts';

/** What buyers can see of their own webhooks, and do about them; nothing of anybody else's (rule T5). */
export interface WebhooksOfBuyer {
  /** Newest first, `limit` 1–100. Of a task of somebody else's there are none, as of one that is not there. */
  list(
    organization_id: OrganizationId,
    filter: { state?: DeliveryState | undefined; task_id?: string | undefined },
    page: { limit: number; after?: string | undefined },
  ): Promise<Page<BuyerDelivery>>;
  /** @throws {AppError} `NOT_FOUND` for an unknown id and for another organization's alike. */
  show(organization_id: OrganizationId, delivery_id: string): Promise<BuyerDeliveryDetail>;
  /** See {@link resend}. @throws {AppError} `NOT_FOUND` likewise. */
  resend(organization_id: OrganizationId, delivery_id: string): Promise<Resent>;
  /** See {@link destinationHealths}. */
  destinations(organization_id: OrganizationId): Promise<DestinationHealth[]>;
  /** See {@link sendTestEvent}. */
  test(organization_id: OrganizationId, asked: TestRequest): Promise<TestOutcome>;
  /** See {@link sendTestToRegistration}. @throws {AppError} `NOT_FOUND` likewise. */
  testRegistration(organization_id: OrganizationId, place: RegistrationPlace): Promise<TestOutcome>;
  /** What one sends, to the byte. @throws {AppError} `NOT_FOUND` likewise. */
  body(organization_id: OrganizationId, delivery_id: string): Promise<SentBody>;
  /** See {@link registrationsOfBuyer}. */
  registrations(
    organization_id: OrganizationId,
    asked: { task_id?: string | undefined; after?: string | undefined },
  ): Promise<{ rows: BuyerRegistration[]; cursor?: string }>;
  /** @throws {AppError} `NOT_FOUND` likewise. */
  registration(organization_id: OrganizationId, place: RegistrationPlace): Promise<BuyerRegistration>;
  /** See {@link endRegistrationOfBuyer}. */
  endRegistration(organization_id: OrganizationId, place: RegistrationPlace): Promise<BuyerRegistration>;
  ranges: RangesOfBuyer;
  /** See {@link keysOfBuyer}. */
  apiKeys(organization_id: OrganizationId, after?: string): Promise<{ rows: BuyerKey[]; cursor?: string }>;
  /** See {@link publishedKeys}. */
  signingKeys(): Promise<PublishedKeys>;
  /** See {@link successOf}. */
  success(organization_id: OrganizationId, range: SuccessRange): Promise<Success>;
}

/** Many that are sent again by one wish. */
export interface RangesOfBuyer {
  /** See {@link countRange}. */
  count(
    organization_id: OrganizationId,
    asked: Omit<RangeRequest, 'until'> & { until?: string | undefined },
  ): Promise<RangeCount>;
  /** See {@link askRange}. */
  ask(
    organization_id: OrganizationId,
    asked: RangeRequest,
    budgets: Pick<Budgets, 'checkRows'>,
  ): Promise<BuyerRangeView>;
  /** See {@link listRanges}. */
  list(organization_id: OrganizationId): Promise<BuyerRangeView[]>;
  /** See {@link showBuyerRange}. */
  show(organization_id: OrganizationId, range_id: string): Promise<BuyerRangeView>;
  /** See {@link stopRange}. */
  stop(organization_id: OrganizationId, range_id: string): Promise<BuyerRangeView>;
  /** See {@link buyerRanges}. */
  continueDue(budgets: Pick<Budgets, 'take'>): Promise<number>;
}

export interface WebhooksOfBuyerDependencies
  extends
    ResendDependencies,
    SentBodyDependencies,
    TestEventDependencies,
    BuyerRegistrationDependencies,
    BuyerRangeDependencies {
  keys: Collection<ApiKey>;
  keySet: Pick<SigningKeySets, 'published' | 'revoked' | 'webhookSigner' | 'noteSigned'>;
  answers: Pick<LastAnswers, 'last'>;
}

export function createWebhooksOfBuyer(deps: WebhooksOfBuyerDependencies): WebhooksOfBuyer {
  const { deliveries } = deps;

  async function own(organization_id: OrganizationId, delivery_id: string): Promise<Delivery> {
    const row = await deliveries.get(delivery_id);
    if (row?.organization_id === organization_id) return row;
    throw new AppError('NOT_FOUND', 'no delivery has this id', { field: 'delivery_id' });
  }

  return {
    async list(organization_id, { state, task_id }, { limit, after }) {
      const where: Where<Delivery> = {
        organization_id,
        ...(state !== undefined && { state }),
        ...(task_id !== undefined && { task_id }),
      };
      const { rows, cursor } = await deliveries.find({
        where,
        // Of one task, in the order that the index of tasks has.
        sort: { field: task_id === undefined ? 'created_at' : 'sequence', direction: 'desc' },
        limit,
        ...(after !== undefined && { after }),
      });
      return { rows: rows.map(buyerDelivery), ...(cursor !== undefined && { cursor }) };
    },
    async show(organization_id, delivery_id) {
      const row = await own(organization_id, delivery_id);
      return buyerDeliveryDetail(row, await deps.answers.last(row));
    },
    async resend(organization_id, delivery_id) {
      await own(organization_id, delivery_id);
      return resend(deps, delivery_id);
    },
    destinations: (organization_id) => destinationHealths(deps, organization_id),
    test: (organization_id, asked) => sendTestEvent(deps, organization_id, asked),
    async testRegistration(organization_id, place) {
      const { registration } = await ownRegistration(deps, organization_id, place);
      return sendTestToRegistration(deps, organization_id, registration);
    },
    body: async (organization_id, delivery_id) => sentBody(deps, await own(organization_id, delivery_id), withoutQuery),
    registrations: (organization_id, asked) => registrationsOfBuyer(deps, organization_id, asked),
    registration: async (organization_id, place) => (await ownRegistration(deps, organization_id, place)).view,
    endRegistration: (organization_id, place) => endRegistrationOfBuyer(deps, organization_id, place),
    ranges: {
      count: (organization_id, asked) => countRange(deps, organization_id, asked),
      ask: (organization_id, asked, budgets) => askRange({ ...deps, budgets }, organization_id, asked),
      list: (organization_id) => listRanges(deps, organization_id),
      show: (organization_id, range_id) => showBuyerRange(deps, organization_id, range_id),
      stop: (organization_id, range_id) => stopRange(deps, organization_id, range_id),
      continueDue: (budgets) => buyerRanges({ ...deps, budgets }).continueDue(),
    },
    apiKeys: (organization_id, after) => keysOfBuyer(deps.keys, organization_id, after),
    signingKeys: () => publishedKeys(deps.keySet, deps.identity),
    success: (organization_id, range) => successOf(deps, organization_id, range),
  };
}
