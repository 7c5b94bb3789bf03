import type { Clock } from '../platform/clock.ts';
import type { Collection } from '../platform/store/collection.ts';
import type { Fetch } from '../platform/outbound/fetch.ts';
import type { ProtocolNames } from '../platform/protocol-name.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { TaskServices } from '../runtime/task-services.ts';
import type { Courier } from '../sales/ad-order/courier.ts';
import type { Describer } from '../sales/ad-order/describer.ts';
import type { BuyerAccount } from '../sales/account/account.ts';
import type { ApprovalPolicy } from '../sales/approval/approval-policy.ts';
import type { MayAskPerson } from '../sales/approval/may-ask-person.ts';
import type { Approval } from '../sales/approval/approval.ts';
import type { Counters } from '../platform/metrics/metrics.ts';
import type { Catalog } from '../sales/catalog.ts';
import type { CreditDependencies } from '../sales/credit/credit.ts';
import type { Creative } from '../sales/creative/creative.ts';
import type { DeliveryFacts } from '../sales/delivery/delivery-facts.ts';
import type { FlightClock } from '../sales/flight/flight-clock.ts';
import type { Flights } from '../sales/flight/flights.ts';
import type { Impairment } from '../sales/impairment/impairment.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import type { RecheckDependencies } from '../sales/media-buy/recheck.ts';
import type { PerformanceFeedback } from '../sales/performance-feedback/performance-feedback.ts';
import type { ProductRanker } from '../sales/product/ranker.ts';
import type { AccountWebhooks } from '../webhooks/subscription/subscriptions.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { BuyWebhooks } from './buy-webhooks.ts';
import type { CallingGuide } from './calling-schema.ts';
import type { TestedParts } from './tested-parts.ts';

/** The nouns that tasks work on, and the ports a seller fills. */
export interface SalesDependencies {
  clock: Clock;
  counters: Counters;
  catalog: Catalog;
  ranker: ProductRanker;
  mediaBuys: Collection<MediaBuy>;
  creatives: Collection<Creative>;
  accounts: Collection<BuyerAccount>;
  performanceFeedback: Collection<PerformanceFeedback>;
  impairments: Collection<Impairment>;
  /** See `RecheckDependencies`. */
  readOutages: NonNullable<RecheckDependencies['readOutages']>;
  /** See `RecheckDependencies`. */
  adOrders: RecheckDependencies['adOrders'];
  courier: Courier;
  /** What the ad server can do, as far as it has said. */
  adServerCan: Describer['known'];
  flightClock: FlightClock;
  flights: Flights;
  facts: DeliveryFacts;
  approvalPolicy: ApprovalPolicy;
  approvals: Collection<Approval>;
  /** What buyers may commit, and who among them is asked about sooner or later than others. */
  credit: CreditDependencies;
  /** Lets a task that waits for somebody else go on; answers whether there was one. */
  wakeTask: (task_id: TaskId) => Promise<boolean>;
}

/** Everything the tasks work with. */
export interface TaskDependencies extends SalesDependencies {
  tasks: TaskReader;
  /** The guarded client, for what buyers name by URL (rule W16). */
  outbound: Pick<Fetch, 'fetchBytes'>;
  buyWebhooks: BuyWebhooks;
  accountWebhooks: Pick<AccountWebhooks, 'seal' | 'set' | 'wouldBe'>;
  /** Another webhook for the task that makes a buy, while it is under way. */
  redirectTask: TaskServices['redirect'];
  names: ProtocolNames;
  /** The fires of webhooks about a subject, most recent first (rules B9, W11). */
  webhookActivity: Webhooks['activity'];
  capabilities: Capabilities;
  /** Absent where no tests of the public protocol are served. */
  tested?: TestedParts | undefined;
}

/** What this installation tells of itself besides what it is. */
export interface Capabilities {
  /** Webhook authentication it accepts beside signatures. */
  legacySchemes: string[];
  mayAskPerson: MayAskPerson;
  /** How long news of a general impairment may wait for more, in seconds; at most 300 (rule W9). */
  impairmentWindowSeconds: number;
  /** How it is called. */
  calling: CallingGuide;
}

/** What tasks may see of tasks: the caller's own, and the names there are. */
interface TaskReader extends Pick<TaskServices, 'read' | 'list'> {
  names(): string[];
}
