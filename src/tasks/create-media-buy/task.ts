import { AppError } from '../../platform/errors.ts';
import type { Problem } from '../../platform/errors.ts';
import { inPlace } from '../../platform/fitting-parts.ts';
import { problemsFrom, problemsIn, refusalOf } from '../../platform/problem.ts';
import { withOpenChange } from '../../sales/ad-order/open.ts';
import { queuedTask } from '../../runtime/task-definition.ts';
import { keyExpired } from '../../runtime/insert-run.ts';
import { inDialectOf } from '../../runtime/spoken.ts';
import type { CallContext, RunContext, RunOutcome, TaskDefinition } from '../../runtime/task-definition.ts';
import type { MediaBuy } from '../../sales/media-buy/media-buy.ts';
import { toMediaBuyView } from '../../sales/media-buy/media-buy-view.ts';
import { claimCredit } from '../../sales/credit/credit.ts';
import { isTerminalBuy } from '../../sales/media-buy/transitions.ts';
import { toTimestamp } from '../../platform/clock.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { TaskId } from '../../platform/task-id.ts';
import { approvalIdOf } from '../../sales/approval/approval.ts';
import type { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';
import { awaitsApproval, namesCreatives } from '../../sales/media-buy/readiness.ts';
import { recheckMediaBuy } from '../../sales/media-buy/recheck.ts';
import { settleApprovals, withdrawApprovals } from '../approval-rounds.ts';
import { commitmentOf, creditProblems } from '../within-credit.ts';
import { sealWebhooks } from '../buy-webhooks.ts';
import type { AskedBuyWebhooks } from '../buy-webhooks.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { saidOfCreatives } from '../said-of-creatives.ts';
import { approvalRejection, decideNewBuy } from './decide-new-buy.ts';
import { createMediaBuyExamples } from './examples.ts';
import { holdInventory, letRun } from './hold-and-run.ts';
import { mediaBuyIdOf, newMediaBuy } from './new-media-buy.ts';
import { creativeNamer, packageCreativeProblems, upsertPackageCreatives } from './package-creatives.ts';
import { fittingPartsOfBuy } from './parts.ts';
import type { MediaBuyParts } from './parts.ts';
import { planMediaBuy, planProblems, totalOfPackages } from './plan.ts';
import { CreateMediaBuyRequest, CreateMediaBuyResponse } from './schema.ts';
import { undoBuy } from './undo-buy.ts';

/** Books packages of products for a flight (rules C.tasks.create_media_buy, B1, B2, B3, B4, B5, B6, B7). */
export function createMediaBuy(deps: TaskDependencies): TaskDefinition {
  return queuedTask<CreateMediaBuyRequest>({
    name: 'create_media_buy',
    title: 'Create media buy',
    description:
      'Books one or more packages of products for a flight. product_id and pricing_option_id come from get_products; bid_price is needed where the pricing_model ends in -auction. buyer_ref is unique among your media buys that are not over. idempotency_key makes it safe to repeat, push_notification_config tells by webhook how it goes on, and reporting_webhook reports delivery.',
    tags: ['media-buy', 'buying'],
    examples: createMediaBuyExamples(deps.catalog, deps.clock.now()),
    scope: 'tasks:write',
    mutates: true,
    input: CreateMediaBuyRequest,
    output: CreateMediaBuyResponse,
    protect: (request) => sealWebhooks(deps.buyWebhooks, request, ['reporting_webhook']),
    async checkParts(request, context) {
      const fitting = fittingPartsOfBuy(request);
      if (fitting === undefined) return [];
      const webhooks = await problemsFrom(() => sealWebhooks(deps.buyWebhooks, fitting.parts, ['reporting_webhook']));
      return inPlace(fitting, [...webhooks, ...(await problemsOf(deps, fitting.parts, context))]);
    },
    async check(request, context) {
      const problems = await problemsOf(deps, request, context);
      if (problems.length > 0) throw refusalOf(problems, request);
    },
    makes: () => ({ budget: 'media_buys', amount: 1 }),
    exclusive: {
      key: (request) => request.buyer_ref,
      refusal: (holder) => refInUse(mediaBuyIdOf(holder.task_id), String(holder.input['buyer_ref'])),
    },
    async run(request, context) {
      const { task_id } = context.run;
      const stored = await deps.mediaBuys.get(mediaBuyIdOf(task_id));
      // A turn that died may have left the buy alone.
      if (stored !== undefined) await announce(context, stored.open_change?.awaits_approval ?? awaitsApproval(stored));
      const booked = stored ?? (await book(deps, request, context));
      // A buy that an earlier release made.
      if (booked.reporting === undefined) await setWebhooks(deps, booked, request, context);
      const made = await makeReady(deps, booked, { request, context, isNew: stored === undefined });
      // A creative may have been reviewed between the look at it and the write of the buy.
      const isChecked = 'wait' in made || !namesCreatives(made.buy);
      const buy = isChecked ? made.buy : ((await recheckMediaBuy(deps, booked.media_buy_id)) ?? made.buy);
      // A task that dies before this is owed another turn, also where the buy runs already.
      await deps.flights.open(buy);
      if ('wait' in made) return made.wait;
      const response = { ...toMediaBuyView(buy), task_id };
      return { done: response, message: `media buy ${buy.media_buy_id} is ${buy.status}` };
    },
    async undo(request, { run, now }) {
      await withdrawApprovals(deps.approvals, run.task_id, now());
      await undoBuy(deps, request, run);
    },
  });
}

/** What is wrong with a request of the right form, or with the parts of one. */
async function problemsOf(
  deps: TaskDependencies,
  parts: MediaBuyParts,
  {
    caller: { organization_id },
    account_id,
    dialect,
    now,
  }: Pick<CallContext, 'caller' | 'account_id' | 'dialect' | 'now'>,
): Promise<Problem[]> {
  const { buyer_ref, packages = [] } = parts;
  const existing = buyer_ref === undefined ? undefined : await openBuy(deps, organization_id, buyer_ref);
  const planned = planProblems(parts, { catalog: deps.catalog, nowMs: now(), adServer: deps.adServerCan() });
  return [
    ...(existing === undefined ? [] : problemsIn(inUse(existing, dialect))),
    ...planned,
    ...(planned.length > 0 ? [] : await overTheCredit(deps, organization_id, parts)),
    ...(await packageCreativeProblems(deps, { organization_id, account_id }, packages)),
  ];
}

/** What the buyer's credit says against packages that hold, or against those of them that are there. */
async function overTheCredit(
  deps: TaskDependencies,
  organization_id: OrganizationId,
  parts: MediaBuyParts,
): Promise<Problem[]> {
  const total = totalOfPackages(parts, deps.catalog);
  return total === undefined ? [] : creditProblems(deps, { organization_id, ...total }, ['packages']);
}

/** The buy held, approved, and running where it may run at once; or how the task waits for that, and the buy till then. */
async function makeReady(
  deps: TaskDependencies,
  booked: MediaBuy,
  { request, context, isNew }: { request: CreateMediaBuyRequest; context: RunContext; isNew: boolean },
): Promise<{ buy: MediaBuy } | { buy: MediaBuy; wait: RunOutcome }> {
  const { task_id } = context.run;
  const held = await holdInventory(deps, booked, context);
  if ('waitUntil' in held) return { buy: booked, wait: held };
  let buy = held;
  // Of a buy that was made in this turn nobody has decided yet.
  const wasAsked = !isNew && (await isAsked(deps, task_id));
  if (!wasAsked && !isTerminalBuy(buy.status)) await storeBrought(deps, request, context);
  if (awaitsDecision(buy) || wasAsked) {
    const decision = await decideNewBuy(deps, buy, context);
    if ('wait' in decision) return { buy, wait: decision.wait };
    buy = (await deps.courier.tell(decision.buy.media_buy_id, { own: task_id })) ?? decision.buy;
    await settleApprovals(deps, task_id);
    if (decision.decided.status === 'rejected') throw approvalRejection(decision.decided);
  }
  const ready = await letRun(deps, buy, context);
  return 'waitUntil' in ready ? { buy, wait: ready } : { buy: ready };
}

/**
 * Stores what the packages bring: once the inventory is held, so that a buy that is refused leaves nothing in the library, and before
 * a person is asked. A turn after that leaves alone what the buyer may have changed since.
 */
async function storeBrought(
  deps: TaskDependencies,
  { packages }: CreateMediaBuyRequest,
  { run: { task_id, organization_id, spoken }, account_id, now }: RunContext,
): Promise<void> {
  const cause = { organization_id, account_id, task_id, at: toTimestamp(now()), ...saidOfCreatives(spoken) };
  await upsertPackageCreatives(deps, packages, cause);
}

/** Writes the buy with its inventory to be held; by an id made from the task's, so that a repeat finds what is there. */
async function book(deps: TaskDependencies, request: CreateMediaBuyRequest, context: RunContext): Promise<MediaBuy> {
  const { task_id, organization_id, created_at, spoken } = context.run;
  const owner = { organization_id, account_id: context.account_id };
  const plan = planMediaBuy(request, deps.catalog, Date.parse(created_at));
  const isForced = (await deps.tested?.forcedArms.of(task_id)) !== undefined;
  const { approvalOver: own } = await deps.credit.limitsOf(organization_id);
  const needsApproval = isForced || deps.approvalPolicy.needsPerson({ operation: 'create_media_buy', ...plan, own });
  const nowMs = context.now();
  const nameOf = await creativeNamer(deps, owner, request.packages);
  const blank = newMediaBuy(request, plan, { task_id, organization_id, nowMs, needsApproval, spoken, nameOf });
  const planning = await deps.courier.look(blank);
  const reporting = deps.buyWebhooks.begin(blank, askedWebhooks(request, context));
  const looked = deps.flights.opened(reporting);
  const buy = withOpenChange(looked, { kind: 'hold', task_id, awaits_approval: needsApproval }, planning);
  await claimCredit(deps.credit, commitmentOf(buy), NO_ROW);
  // Whether the task is still open is not waited for: its undo ends this buy, or has left one in its place.
  const [inserted] = await Promise.all([deps.mediaBuys.insert(buy), announce(context, needsApproval)]);
  if (inserted.inserted) return buy;
  const stored = await deps.mediaBuys.get(buy.media_buy_id);
  if (stored !== undefined) return stored;
  const holder = await openBuy(deps, organization_id, request.buyer_ref);
  throw refInUse(holder?.media_buy_id ?? 'another', request.buyer_ref);
}

/** A public dialect makes references of keys: one that is in use is of a key whose task is no longer stored, and is shown to nobody. */
function inUse({ media_buy_id, buyer_ref }: MediaBuy, dialect: CallContext['dialect']): AppError {
  return dialect === undefined ? refInUse(media_buy_id, buyer_ref) : keyExpired();
}

/** Says once that the buy is in the making. */
function announce(context: RunContext, needsApproval: boolean): Promise<void> {
  const total_steps = needsApproval ? 3 : 2;
  return context.step({ current_step: 'reserving inventory', step_number: 1, total_steps });
}

/** The task's own registration becomes the buy's: it goes on to hear of the buy when the task is over. */
function askedWebhooks(
  { reporting_webhook }: CreateMediaBuyRequest,
  { run: { registrations, context, context_text, spoken } }: RunContext,
): AskedBuyWebhooks {
  const push = registrations.find(({ channel, ended_at }) => channel === 'mcp' && ended_at === undefined);
  return { push, reporting_webhook, context, context_text, ...inDialectOf(spoken) };
}

async function setWebhooks(
  { buyWebhooks }: TaskDependencies,
  buy: MediaBuy,
  request: CreateMediaBuyRequest,
  context: RunContext,
): Promise<void> {
  const asked = askedWebhooks(request, context);
  if (asked.push !== undefined || asked.reporting_webhook !== undefined)
    await buyWebhooks.set(buy, FIRST_REVISION, asked);
}

/** Of a buy that is not there yet. */
const NO_ROW = 0;

/** Of a buy as it is made. */
const FIRST_REVISION = 1;

async function openBuy(deps: TaskDependencies, organization_id: OrganizationId, buyer_ref: string) {
  const { rows } = await deps.mediaBuys.find({ where: { organization_id, buyer_ref, open: true }, limit: 1 });
  return rows[0];
}

function refInUse(media_buy_id: MediaBuyId | 'another', buyer_ref: string): AppError {
  return new AppError(
    'CONFLICT',
    `buyer_ref: ${JSON.stringify(buyer_ref)} names the media buy ${media_buy_id}, which is not over; choose another, or update that one`,
    { field: 'buyer_ref', details: { media_buy_id } },
  );
}

function awaitsDecision(buy: MediaBuy): boolean {
  return !isTerminalBuy(buy.status) && awaitsApproval(buy);
}

/** Whether a person was asked about the buy of this task. */
async function isAsked({ approvals }: TaskDependencies, task_id: TaskId): Promise<boolean> {
  return (await approvals.get(approvalIdOf(task_id))) !== undefined;
}
