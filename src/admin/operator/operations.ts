import { listActions } from './actions/operations.ts';
import { undoAction } from './actions/undo.ts';
import { verifyRecord } from './actions/verify-record.ts';
import { approve, ask, listApprovals, reject, showApproval } from './approvals/operations.ts';
import { askForBuysReport, cancelBuy, holdBuy, releaseBuy } from './buys/actions.ts';
import { listBuys, showBuy } from './buys/operations.ts';
import { holdSeveralBuys, releaseSeveralBuys } from './buys/several.ts';
import { addBuyerKey, listBuyerKeys, rerollBuyerKey, revokeBuyerKey } from './buyers/api-keys.ts';
import { listBuyerAccounts, moveBuyerAccount, showBuyerAccount } from './buyer-accounts/operations.ts';
import { listPerformanceFeedback } from './performance-feedback/operations.ts';
import { listBuyerPeople } from './buyers/people.ts';
import { listRefusals } from './buyers/refusals.ts';
import { endAccount, endGrant, listGrants } from './buyers/grants.ts';
import { createBuyersPortalLink, endBuyersPortalSessions } from './buyers/portal.ts';
import { listBuyers } from './buyers/list.ts';
import { addBuyer, restoreBuyer, showBuyer, suspendBuyer } from './buyers/operations.ts';
import { setBuyerLimits, showBuyerLimits } from './buyers/limits.ts';
import { showBuyerStanding } from './buyers/standing.ts';
import {
  approveCreative,
  listCreativesInReview,
  rejectCreative,
  restoreCreative,
  showCreative,
  suspendCreative,
} from './creatives/operations.ts';
import { listProducts, showProduct } from './catalog/operations.ts';
import { listKeys, revokeKey, rotateKey } from './keys/operations.ts';
import type { Operation } from './operation.ts';
import {
  giveUpOneOrder,
  listDrift,
  listOrders,
  lookAtOneOrder,
  lookAtOrders,
  pushOneOrder,
  showOrder,
} from './orders/operations.ts';
import { examine, listSettings } from './doctor/operations.ts';
import { showOverview } from './overview/operations.ts';
import { changePersonsRole, invitePerson, listPeople, removeOnePerson, showPerson } from './people/operations.ts';
import { addOperatorKey, listOperatorKeys, revokeOperatorKey } from './people/operator-keys.ts';
import { endAllSessions, endOneSession, endOwnSessions, listConsoleSessions } from './people/sessions.ts';
import { listProperties, restoreProperty, showProperty, suspendProperty } from './properties/operations.ts';
import { checkRegistryAgent, listRegistryAgents, showRegistryAgent } from './registry/agents.ts';
import { blockRegistryDomain, listBlockedDomains, unblockRegistryDomain } from './registry/blocked-domains.ts';
import { assignDomain, listOrganizationDomains, releaseOrganizationDomain } from './registry/domains.ts';
import {
  approveRegistryJoinRequest,
  listRegistryJoinRequests,
  rejectRegistryJoinRequest,
} from './registry/join-requests.ts';
import { importEntries } from './registry/operations.ts';
import { crawlRegistryPublisher, listRegistryPublishers, showRegistryPublisher } from './registry/publishers.ts';
import { listSetAside } from './rows/operations.ts';
import { listQueues, pauseQueue, resumeQueue } from './queues/operations.ts';
import { moveOutSecret, resealStore } from './secret/operations.ts';
import { showStats } from './stats/operations.ts';
import { search } from './search/operations.ts';
import { createLink } from './sign-in/operations.ts';
import { cancelTask, nudgeTask } from './tasks/actions.ts';
import { listTasksOfAll, showTask } from './tasks/operations.ts';
import {
  attemptDelivery,
  listDeliveries,
  resendDelivery,
  showDelivery,
  showDeliveryBody,
} from './webhooks/deliveries.ts';
import { countOneRange, resendRange, showRange } from './webhooks/ranges.ts';
import { listDestinations } from './webhooks/destination-list.ts';
import { pauseDestination, resumeDestination, showDestination } from './webhooks/destinations.ts';
import { endOneRegistration, listRegistrations, testOneRegistration } from './webhooks/registrations.ts';

/** Everything an operator can see and do; routing follows from this list. */
export const operations: readonly Operation[] = [
  ...[showOverview, showStats, examine, listSettings, search, listBuys, showBuy, listTasksOfAll, showTask],
  ...[cancelBuy, holdBuy, releaseBuy, holdSeveralBuys, releaseSeveralBuys, askForBuysReport, nudgeTask, cancelTask],
  ...[listApprovals, showApproval, approve, reject, ask],
  ...[listCreativesInReview, showCreative, approveCreative, rejectCreative, suspendCreative, restoreCreative],
  ...[listOrders, listDrift, showOrder, lookAtOrders, lookAtOneOrder, pushOneOrder, giveUpOneOrder],
  ...[listProducts, showProduct, listProperties, showProperty, suspendProperty, restoreProperty],
  ...[listDeliveries, showDelivery, showDeliveryBody, attemptDelivery, resendDelivery],
  ...[countOneRange, resendRange, showRange],
  ...[listDestinations, showDestination, pauseDestination, resumeDestination],
  ...[listRegistrations, endOneRegistration, testOneRegistration],
  ...[listKeys, rotateKey, revokeKey, moveOutSecret, resealStore],
  ...[listBuyers, showBuyer, showBuyerStanding, showBuyerLimits, setBuyerLimits, addBuyer, suspendBuyer, restoreBuyer],
  ...[listBuyerPeople, listRefusals, listBuyerKeys, addBuyerKey, rerollBuyerKey, revokeBuyerKey],
  ...[createBuyersPortalLink, endBuyersPortalSessions],
  ...[listBuyerAccounts, showBuyerAccount, moveBuyerAccount, listPerformanceFeedback],
  ...[listGrants, endGrant, endAccount],
  ...[listPeople, showPerson, invitePerson, changePersonsRole, removeOnePerson],
  ...[listConsoleSessions, endAllSessions, endOneSession, endOwnSessions],
  ...[listOperatorKeys, addOperatorKey, revokeOperatorKey],
  ...[listQueues, pauseQueue, resumeQueue],
  ...[createLink, listActions, verifyRecord, undoAction, importEntries],
  ...[listOrganizationDomains, assignDomain, releaseOrganizationDomain],
  ...[listRegistryPublishers, showRegistryPublisher, crawlRegistryPublisher],
  ...[listRegistryAgents, showRegistryAgent, checkRegistryAgent],
  ...[listRegistryJoinRequests, approveRegistryJoinRequest, rejectRegistryJoinRequest],
  ...[listBlockedDomains, blockRegistryDomain, unblockRegistryDomain],
  ...[listSetAside],
];
