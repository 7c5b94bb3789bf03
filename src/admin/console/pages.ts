import type { ConsolePage } from './console-page.ts';
import { approvalPage } from './pages/approval.tsx';
import { approvalsPage } from './pages/approvals.tsx';
import { auditPage } from './pages/audit.tsx';
import { auditVerificationPage } from './pages/audit-verification.tsx';
import { buyPage } from './pages/buy.tsx';
import { buyerPage } from './pages/buyer.tsx';
import { newBuyerKeyPage } from './pages/buyer-key.tsx';
import { buyersPage } from './pages/buyers.tsx';
import { buyerAccountPage } from './pages/buyer-account.tsx';
import { buyerAccountsPage } from './pages/buyer-accounts.tsx';
import { buysPage } from './pages/buys.tsx';
import { catalogPage } from './pages/catalog.tsx';
import { creativesPage } from './pages/creatives.tsx';
import { creativePage } from './pages/creative.tsx';
import { deliveriesPage } from './pages/deliveries.tsx';
import { deliveryPage } from './pages/delivery.tsx';
import { grantsPage } from './pages/grants.tsx';
import { mePage, personPage } from './pages/person.tsx';
import { peoplePage } from './pages/people.tsx';
import { rangePage } from './pages/range.tsx';
import { rangeCountPage } from './pages/range-count.tsx';
import { receiverPage } from './pages/receiver.tsx';
import { receiversPage } from './pages/receivers.tsx';
import { signingKeysPage } from './pages/signing-keys.tsx';
import { registryAgentPage, registryAgentsPage } from './pages/registry-agents.tsx';
import { registryPublisherPage, registryPublishersPage } from './pages/registry-publishers.tsx';
import { registryBlockedPage } from './pages/registry-blocked.tsx';
import { registryJoinRequestsPage } from './pages/registry-join-requests.tsx';
import { orderPage } from './pages/order.tsx';
import { driftPage, ordersPage } from './pages/orders.tsx';
import { performanceFeedbackPage } from './pages/performance-feedback.tsx';
import { propertiesPage, propertyPage } from './pages/properties.tsx';
import { setAsidePage } from './pages/set-aside.tsx';
import { overviewPage } from './pages/overview.tsx';
import { productPage } from './pages/product.tsx';
import { jobQueuesPage } from './pages/job-queues.tsx';
import { severalBuysPage } from './pages/several-buys.tsx';
import { settingsPage } from './pages/settings.tsx';
import { searchPage } from './pages/search.tsx';
import { taskPage } from './pages/task.tsx';
import { tasksPage } from './pages/tasks.tsx';

/** All pages, in the order of the menu; routing follows from this list. */
export const PAGES: readonly ConsolePage[] = [
  ...[overviewPage, approvalsPage, approvalPage, buysPage, severalBuysPage, buyPage, performanceFeedbackPage],
  ...[ordersPage, driftPage, orderPage, creativesPage, creativePage],
  ...[catalogPage, productPage, propertiesPage, propertyPage],
  ...[tasksPage, taskPage, deliveriesPage, rangeCountPage, rangePage, receiversPage, receiverPage, deliveryPage],
  ...[
    buyersPage,
    buyerPage,
    newBuyerKeyPage,
    buyerAccountsPage,
    buyerAccountPage,
    grantsPage,
    signingKeysPage,
    peoplePage,
    personPage,
    mePage,
    auditPage,
  ],
  ...[registryPublishersPage, registryPublisherPage, registryAgentsPage, registryAgentPage, registryJoinRequestsPage],
  ...[registryBlockedPage, auditVerificationPage],
  ...[jobQueuesPage, settingsPage, setAsidePage, searchPage],
];
