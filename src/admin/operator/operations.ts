import { listActions } from './actions/operations.ts';
import { approve, ask, listApprovals, reject, showApproval } from './approvals/operations.ts';
import { askForBuysReport, cancelBuy } from './buys/actions.ts';
import { listBuys, showBuy } from './buys/operations.ts';
import { addBuyerKey, listBuyerKeys, revokeBuyerKey } from './buyers/api-keys.ts';
import { listBuyerAccounts, moveBuyerAccount, showBuyerAccount } from './buyer-accounts/operations.ts';
import { listPerformanceFeedback } from './performance-feedback/operations.ts';
import { endAccount, endGrant, listGrants } from './buyers/grants.ts';
import { addBuyer, listBuyers, restoreBuyer, showBuyer, suspendBuyer } from './buyers/operations.ts';
import {
  approveCreative,
  listCreativesInReview,
  rejectCreative,
  restoreCreative,
  showCreative,
  suspendCreative,
} from './creatives/operations.ts';
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
import { showOverview } from './overview/operations.ts';
import { changePersonsRole, invitePerson, listPeople, removeOnePerson } from './people/operations.ts';
import { addOperatorKey, listOperatorKeys, revokeOperatorKey } from './people/operator-keys.ts';
import { endAllSessions, endOneSession, listConsoleSessions } from './people/sessions.ts';
import { listProperties, restoreProperty, showProperty, suspendProperty } from './properties/operations.ts';
import { assignDomain, listOrganizationDomains, releaseOrganizationDomain } from './registry/domains.ts';
import { importEntries } from './registry/operations.ts';
import { listSetAside } from './rows/operations.ts';
import { listQueues, pauseQueue, resumeQueue } from './queues/operations.ts';
import { moveOutSecret, resealStore } from './secret/operations.ts';
import { createLink } from './sign-in/operations.ts';
import { cancelTask, nudgeTask } from './tasks/actions.ts';
import { listTasksOfAll, showTask } from './tasks/operations.ts';
import { listDeliveries, resendDelivery, resendRange, showDelivery, showRange } from './webhooks/deliveries.ts';
import { listDestinations, pauseDestination, resumeDestination, showDestination } from './webhooks/destinations.ts';
import { endOneRegistration, listRegistrations } from './webhooks/registrations.ts';

/** Everything an operator can see and do; routing follows from this list. */
export const operations: readonly Operation[] = [
  ...[showOverview, listBuys, showBuy, listTasksOfAll, showTask],
  ...[cancelBuy, askForBuysReport, nudgeTask, cancelTask],
  ...[listApprovals, showApproval, approve, reject, ask],
  ...[listCreativesInReview, showCreative, approveCreative, rejectCreative, suspendCreative, restoreCreative],
  ...[listOrders, listDrift, showOrder, lookAtOrders, lookAtOneOrder, pushOneOrder, giveUpOneOrder],
  ...[listProperties, showProperty, suspendProperty, restoreProperty],
  ...[listDeliveries, showDelivery, resendDelivery, resendRange, showRange],
  ...[listDestinations, showDestination, pauseDestination, resumeDestination],
  ...[listRegistrations, endOneRegistration],
  ...[listKeys, rotateKey, revokeKey, moveOutSecret, resealStore],
  ...[listBuyers, showBuyer, addBuyer, suspendBuyer, restoreBuyer],
  ...[listBuyerKeys, addBuyerKey, revokeBuyerKey],
  ...[listBuyerAccounts, showBuyerAccount, moveBuyerAccount, listPerformanceFeedback],
  ...[listGrants, endGrant, endAccount],
  ...[listPeople, invitePerson, changePersonsRole, removeOnePerson],
  ...[listConsoleSessions, endAllSessions, endOneSession],
  ...[listOperatorKeys, addOperatorKey, revokeOperatorKey],
  ...[listQueues, pauseQueue, resumeQueue],
  ...[createLink, listActions, importEntries],
  ...[listOrganizationDomains, assignDomain, releaseOrganizationDomain],
  ...[listSetAside],
];
