import { UploadedCreatives } from '../../adservers/simulator/creatives.ts';
import { AdOrderRecords } from '../../adservers/simulator/order-row.ts';
import { StatedDays } from '../../adservers/simulator/stated-hours.ts';
import { usedStates } from '../../admin/pending-sign-in.ts';
import { portalSessions } from '../../admin/portal-session.ts';
import { consoleSessions } from '../../admin/session.ts';
import { signInLinks } from '../../admin/sign-in-link.ts';
import { OperatorActions } from '../../admin/operator/actions/action.ts';
import { operatorKeys } from '../../admin/operator/operator-key.ts';
import { ResendRanges } from '../../admin/operator/webhooks/resend-range.ts';
import { agents } from '../../directory/agent/agent.ts';
import { agentChecks } from '../../directory/agent-check/agent-check.ts';
import { apiKeys } from '../../directory/api-key/api-key.ts';
import { authorizations } from '../../directory/authorization/authorization.ts';
import { badges } from '../../directory/badge/badge.ts';
import { BlockedDomains } from '../../directory/blocked-domain/blocked-domain-row.ts';
import { brandDocuments } from '../../directory/brand/brand-document.ts';
import { brandNames } from '../../directory/brand/brand-name.ts';
import { registryBrands } from '../../directory/brand/registry-brand.ts';
import { sandboxSessions } from '../../directory/billing/sandbox-session.ts';
import { domainClaims } from '../../directory/domain-claim/domain-claim.ts';
import { feedEvents, feedIntents } from '../../directory/feed/feed-event.ts';
import { feedMarks } from '../../directory/feed/feed-mark.ts';
import { hostedFiles } from '../../directory/hosted-file/hosted-file.ts';
import { joinRequests } from '../../directory/join-request/join-request.ts';
import { memberProfiles } from '../../directory/member-profile/member-profile.ts';
import { memberships } from '../../directory/membership/membership.ts';
import { OperatorAccessKeys } from '../../directory/operator/access-key.ts';
import { OperatorPeople } from '../../directory/operator/person.ts';
import { organizationDomains } from '../../directory/organization/organization-domain.ts';
import { organizations } from '../../directory/organization/organization.ts';
import { propertyReports } from '../../directory/property-report/property-report.ts';
import { propertyIdentifiers } from '../../directory/publisher/property-identifier.ts';
import { propertyPages } from '../../directory/publisher/property-page.ts';
import { publishers } from '../../directory/publisher/publisher.ts';
import { publisherWatches } from '../../directory/publisher-watch/publisher-watch.ts';
import { scheduledChecks } from '../../directory/scheduled-check/scheduled-check.ts';
import { adsTxtFiles } from '../../directory/seller/ads-txt-file.ts';
import { sellerPages } from '../../directory/seller/seller-page.ts';
import { sellersJsonFiles } from '../../directory/seller/sellers-json-file.ts';
import { searchEntries, searchHints } from '../../directory/search/search-entry.ts';
import { SeedMarks } from '../../directory/seed/seed-mark.ts';
import { users } from '../../directory/user/user.ts';
import { browserSessions } from '../../oauth/authorize/browser-session.ts';
import { registeredClients } from '../../oauth/client/client.ts';
import { grants } from '../../oauth/grant/grant.ts';
import { tokenKeys } from '../../oauth/keys/token-key-row.ts';
import { BackupMarks } from '../../platform/store/backup/backup-mark.ts';
import { StatSpans } from '../../platform/stats/stat-span.ts';
import type { CollectionSpec, Row, Store } from '../../platform/store/collection.ts';
import { secrets } from '../../platform/crypto/secret.ts';
import { BuySchedules } from '../../reporting/schedule.ts';
import { TaskRuns } from '../../runtime/task-run.ts';
import { AdOrderRows } from '../../sales/ad-order/ad-order-row.ts';
import { AdServerHealths } from '../../sales/ad-order/breaker.ts';
import { SimulatedOrders } from '../../adservers/simulator/simulated-order.ts';
import { Approvals } from '../../sales/approval/approval.ts';
import { Accounts } from '../../sales/account/account.ts';
import { Creatives } from '../../sales/creative/creative.ts';
import { DeliveryDays, DeliveryMonths } from '../../sales/delivery/delivery-facts.ts';
import { portalLinks } from '../../directory/portal-link/portal-link.ts';
import { FixtureRows } from '../../sales/fixture/fixture-row.ts';
import { ForcedArmRows } from '../../sales/fixture/forced-arm-row.ts';
import { FlightRows } from '../../sales/flight/flight.ts';
import { Impairments } from '../../sales/impairment/impairment.ts';
import { MediaBuys } from '../../sales/media-buy/media-buys.ts';
import { PerformanceFeedbacks } from '../../sales/performance-feedback/performance-feedback.ts';
import { Outages } from '../../sales/property/outage.ts';
import { DeliveryBooks } from '../../sales/statement/delivery-book.ts';
import { AskedReportRows } from '../../sales/statement/report-quota.ts';
import { ReceiverAnswers } from '../../webhooks/answers/receiver-answer.ts';
import { BuyerRanges } from '../../webhooks/buyer/resend-range.ts';
import { CreditLedgers } from '../../sales/credit/credit-ledger.ts';
import { TurnoverDays, TurnoverMarks } from '../../sales/turnover/turnover-day.ts';
import { Deliveries } from '../../webhooks/delivery/delivery.ts';
import { SigningKeys, WebhookSigningKeys } from '../../webhooks/keys/signing-key-row.ts';
import { PausedDestinations } from '../../webhooks/delivery/paused-destinations.ts';
import { Troubles } from '../../webhooks/troubles/trouble.ts';
import { KnownAddresses } from '../process/known-address.ts';

/** Every collection that this product keeps rows in, besides the store's own. A test holds that none is missing. */
export const COLLECTIONS = [
  ...[TaskRuns, Deliveries, SigningKeys, WebhookSigningKeys, PausedDestinations, Troubles, StatSpans],
  ...[BuyerRanges, ReceiverAnswers],
  ...[
    Accounts,
    MediaBuys,
    PerformanceFeedbacks,
    Creatives,
    Approvals,
    FlightRows,
    DeliveryDays,
    DeliveryMonths,
    Impairments,
    Outages,
    SimulatedOrders,
    FixtureRows,
    ForcedArmRows,
  ],
  ...[AdOrderRows, AdServerHealths],
  ...[AdOrderRecords, StatedDays, UploadedCreatives],
  ...[DeliveryBooks, AskedReportRows, BuySchedules, TurnoverDays, TurnoverMarks, CreditLedgers],
  ...[organizations, memberships, memberProfiles, joinRequests, users, apiKeys],
  ...[domainClaims, organizationDomains, BlockedDomains],
  ...[agents, badges, publishers, propertyPages, propertyIdentifiers, authorizations, propertyReports, scheduledChecks],
  ...[registryBrands, brandDocuments, brandNames, searchEntries, searchHints],
  ...[agentChecks, hostedFiles, adsTxtFiles, sellersJsonFiles, sellerPages],
  ...[feedEvents, feedIntents, feedMarks],
  ...[sandboxSessions, SeedMarks, publisherWatches],
  ...[browserSessions, registeredClients, grants, tokenKeys],
  ...[consoleSessions, signInLinks, usedStates, operatorKeys, OperatorActions, ResendRanges],
  ...[portalSessions, portalLinks],
  ...[OperatorPeople, OperatorAccessKeys],
  ...[secrets, KnownAddresses, BackupMarks],
] as const;

/**
 * Asks the store for all of them and prepares it; everything after may use them as it likes.
 * @throws like `Store.prepare`.
 */
export async function prepareCollections(store: Store): Promise<void> {
  // Each is asked for under its own type where it is used.
  for (const spec of COLLECTIONS as readonly unknown[]) store.collection(spec as CollectionSpec<Row>);
  await store.prepare();
}
