/**
 * Everything that an adapter of an ad server is written against and proved by: the port, its faults, and the forty cases that it
 * keeps. The package export `media-buy-agent/ad-server-kit`; how to write an adapter is in `docs/adapters.md`.
 */
export { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
export { AdCreative, AdLine, AdOrder } from '../../sales/ad-server/ad-order.ts';
export type { AdServer } from '../../sales/ad-server/ad-server.ts';
export { CreativeAnswer } from '../../sales/ad-server/creative-answer.ts';
export { Description } from '../../sales/ad-server/description.ts';
export { Broken, isAdServerFault, Misconfigured, Unreachable } from '../../sales/ad-server/faults.ts';
export type { AdServerFault } from '../../sales/ad-server/faults.ts';
export { Held } from '../../sales/ad-server/held.ts';
export {
  AdForecast as Forecast,
  ForecastQuery,
  InventoryItem,
  InventoryPage,
} from '../../sales/ad-server/inventory.ts';
export { AdCounts, LineState } from '../../sales/ad-server/line-state.ts';
export { Native } from '../../sales/ad-server/native.ts';
export { orderDigestOf as digestOf } from '../../sales/ad-server/order-digest.ts';
export { CheckAnswer, PutAnswer, Reason, ReasonCode } from '../../sales/ad-server/put-answer.ts';
export { Statement, StatementQuery, StatementRow } from '../../sales/ad-server/statement.ts';
export type { KitCase } from './kit-case.ts';
export { adServerContract } from './ad-server-cases.ts';
export { CannotStage, RuleBroken } from './demand.ts';
export type { PortRule } from './demand.ts';
export { runContract } from './run-cases.ts';
export type { KitListener, KitResult } from './run-cases.ts';
export type { KitTerms } from './sample-order.ts';
export type { KitSubject } from './stage.ts';
export type { World, WorldAbility, WorldClock, WorldFailure, WorldLie, WorldWrite } from './world.ts';
