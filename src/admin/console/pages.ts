import type { ConsolePage } from './console-page.ts';
import { approvalPage } from './pages/approval.tsx';
import { approvalsPage } from './pages/approvals.tsx';
import { auditPage } from './pages/audit.tsx';
import { buyPage } from './pages/buy.tsx';
import { buyerPage } from './pages/buyer.tsx';
import { buyersPage } from './pages/buyers.tsx';
import { buysPage } from './pages/buys.tsx';
import { creativesPage } from './pages/creatives.tsx';
import { creativePage } from './pages/creative.tsx';
import { deliveriesPage } from './pages/deliveries.tsx';
import { deliveryPage } from './pages/delivery.tsx';
import { jobQueuesPage } from './pages/job-queues.tsx';
import { overviewPage } from './pages/overview.tsx';
import { searchPage } from './pages/search.tsx';
import { taskPage } from './pages/task.tsx';
import { tasksPage } from './pages/tasks.tsx';

/** All pages, in the order of the menu; routing follows from this list. */
export const PAGES: readonly ConsolePage[] = [
  ...[overviewPage, approvalsPage, approvalPage, buysPage, buyPage, creativesPage, creativePage],
  ...[tasksPage, taskPage, deliveriesPage, deliveryPage, buyersPage, buyerPage, auditPage],
  ...[jobQueuesPage, searchPage],
];
