import { z } from 'zod';
import { canonicalDigest } from '../../platform/crypto/canonical-json.ts';
import { AppError } from '../../platform/errors.ts';
import { refusalOf } from '../../platform/problem.ts';
import { TaskId } from '../../platform/task-id.ts';
import { keepAccount, knownAccount } from '../../sales/account/account.ts';
import type { BuyerAccount } from '../../sales/account/account.ts';
import { withOpenChange } from '../../sales/ad-order/open.ts';
import { isMadeHere, MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { MediaBuyStatus } from '../../sales/media-buy/media-buy.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { holdInventory, letRun } from '../create-media-buy/hold-and-run.ts';
import { newMediaBuy } from '../create-media-buy/new-media-buy.ts';
import { planMediaBuy, planProblems } from '../create-media-buy/plan.ts';
import { OrderFixture, orderOfFixture } from './fixture-order.ts';
import { forceMediaBuyStatus, ForcedBuyStatus } from './force-media-buy.ts';
import { ControllerRefusal } from './refusal.ts';
import { scenario } from './scenario.ts';
import { sandboxAccount, sandboxBuy } from './scene.ts';
import type { Scene } from './scene.ts';

/** Of an id that is the test's own: packages get theirs from it, and it goes wherever ids go. */
const SeededId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, 'send 1 to 100 letters, digits, _ or -, a letter or digit first')
  .refine((id) => !isMadeHere(id), 'ids of this form are made here; choose another')
  .pipe(MediaBuyId);

/**
 * Books a media buy under an id of the test's, for a sandbox account: it is held and run at the ad server as any other, and then
 * moved to the state that is wanted. Again it is the same buy, with what was interrupted gone on with.
 */
export const seedMediaBuy = scenario({
  name: 'seed_media_buy',
  params: z.looseObject({
    media_buy_id: SeededId,
    fixture: OrderFixture.extend({ status: ForcedBuyStatus.optional() }).prefault({}),
  }),
  async play({ media_buy_id, fixture }, scene) {
    const account = await accountToBookFor(scene);
    const stored = (await scene.mediaBuys.get(media_buy_id)) ?? (await insert(scene, media_buy_id, fixture, account));
    assertSame(stored, account);
    const booked = await held(scene, stored);
    await scene.flights.open(booked);
    for (const status of wayTo(fixture.status, booked)) await forceMediaBuyStatus.play({ media_buy_id, status }, scene);
    const now = await sandboxBuy(scene, media_buy_id);
    return { message: `the media buy ${media_buy_id} is ${now.status}` };
  },
});

/** The account of the test, which may have to be opened. @throws {ControllerRefusal} where it names none, or one that is not active. */
async function accountToBookFor(scene: Scene): Promise<BuyerAccount> {
  const { account_id, account_key, accounts, caller } = scene;
  if (account_id === undefined) {
    throw new ControllerRefusal('INVALID_PARAMS', 'account: name the sandbox account that it is booked for');
  }
  const account =
    account_key === undefined
      ? await sandboxAccount(scene, account_id)
      : await knownAccount({ accounts, clock: scene.clock }, caller.organization_id, account_key);
  if (account.status === 'active') return account;
  throw new ControllerRefusal('INVALID_STATE', `the account is ${account.status}; nothing is booked under it`);
}

/** Of another account, or of another organization: which, is not told. @throws {ControllerRefusal} */
function assertSame(stored: MediaBuy, { organization_id, account_id }: BuyerAccount): void {
  if (stored.organization_id === organization_id && stored.account_id === account_id) return;
  throw new ControllerRefusal('INVALID_STATE', `the id ${stored.media_buy_id} cannot be used here; choose another`);
}

/** Writes the buy with its inventory to be held, or answers who was first. @throws {ControllerRefusal} `INVALID_PARAMS` for what is not sold so. */
async function insert(
  scene: Scene,
  media_buy_id: MediaBuyId,
  fixture: OrderFixture,
  account: BuyerAccount,
): Promise<MediaBuy> {
  const { tested, clock, caller, mediaBuys, courier, buyWebhooks, flights, accounts } = scene;
  const { organization_id } = caller;
  const nowMs = clock.now();
  const catalog = await tested.fixtures.catalogOf(organization_id);
  const buyer_ref = `seeded-${canonicalDigest({ media_buy_id }).slice(0, 32)}`;
  const order = orderOfFixture(fixture, { catalog, nowMs, buyer_ref, brand: account.brand_domain });
  const problems = planProblems(order, { catalog, nowMs, adServer: scene.adServerCan() });
  if (problems.length > 0) throw asParams(refusalOf(problems, order));
  const task_id = TaskId.parse(scene.newId());
  const row = newMediaBuy(order, planMediaBuy(order, catalog, nowMs), {
    ...{ task_id, media_buy_id, organization_id, nowMs, needsApproval: false, nameOf: (id: string) => id },
  });
  const { account_id } = await keepAccount(accounts, account);
  const blank = { ...row, account_id, history: row.history.map((event) => ({ ...event, note: 'seeded by a test' })) };
  const planning = await courier.look(blank);
  const looked = flights.opened(buyWebhooks.begin(blank, {}));
  const buy = withOpenChange(looked, { kind: 'hold', task_id, awaits_approval: false }, planning);
  if ((await mediaBuys.insert(buy)).inserted) return buy;
  const first = await mediaBuys.get(media_buy_id);
  if (first !== undefined) return first;
  throw new ControllerRefusal('INVALID_STATE', `another media buy of yours is named ${buyer_ref}; end that one first`);
}

/** The buy held and let run, by the same two steps as that of a task; whatever has been done is not done again. */
async function held(scene: Scene, buy: MediaBuy): Promise<MediaBuy> {
  const context = {
    run: { task_id: buy.task_id },
    now: () => scene.clock.now(),
    // There is no task that could be canceled, or followed.
    commit: () => Promise.resolve(),
    step: () => Promise.resolve(),
  };
  try {
    const holding = await holdInventory(scene, buy, context);
    const running = 'waitUntil' in holding ? holding : await letRun(scene, holding, context);
    if (!('waitUntil' in running)) return running;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ControllerRefusal('INVALID_STATE', error.message);
  }
  throw new ControllerRefusal('INVALID_STATE', `the ad server has not taken ${buy.media_buy_id} yet; seed it again`);
}

/** The states to be gone through: what has begun to run first is what a buyer would have seen. */
function wayTo(status: ForcedBuyStatus | undefined, buy: MediaBuy): ForcedBuyStatus[] {
  if (status === undefined || status === 'pending_creatives' || status === 'pending_start') return [];
  const isBegun = buy.status !== MediaBuyStatus.enum.pending;
  return !isBegun && (status === 'paused' || status === 'completed') ? ['active', status] : [status];
}

function asParams({ message }: AppError): ControllerRefusal {
  return new ControllerRefusal('INVALID_PARAMS', `params.fixture: ${message}`);
}
