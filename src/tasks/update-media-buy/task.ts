import { AppError } from '../../platform/errors.ts';
import type { Problem } from '../../platform/errors.ts';
import { inPlace } from '../../platform/fitting-parts.ts';
import { problemsFrom, problemsIn, refusalOf } from '../../platform/problem.ts';
import { queuedTask } from '../../runtime/task-definition.ts';
import { inDialectOf } from '../../runtime/spoken.ts';
import type { CallContext, RunContext, TaskDefinition } from '../../runtime/task-definition.ts';
import type { TaskRun } from '../../runtime/task-run.ts';
import { hasOpen, hasPart, isBeingChanged } from '../../sales/ad-order/open.ts';
import { errorOf, verdictOf } from '../../sales/ad-order/verdict.ts';
import { approvalIdOf } from '../../sales/approval/approval.ts';
import type { ActionWords } from '../../sales/media-buy/buyer-actions.ts';
import type { MediaBuy, MediaBuyEvent } from '../../sales/media-buy/media-buy.ts';
import { isTerminalBuy } from '../../sales/media-buy/transitions.ts';
import { recheckMediaBuy } from '../../sales/media-buy/recheck.ts';
import { buyChannel } from '../../webhooks/registration/buy-channel.ts';
import { examplesOf } from '../action-examples.ts';
import { upsertPackageCreatives } from '../create-media-buy/package-creatives.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { openApprovalsOf } from '../../sales/approval/approval.ts';
import { settleApprovals, withdrawApprovals } from '../approval-rounds.ts';
import { personsDecision } from '../approval.ts';
import type { PersonsDecision } from '../approval.ts';
import { sealWebhooks } from '../buy-webhooks.ts';
import type { TaskDependencies } from '../dependencies.ts';
import { saidOfCreatives } from '../said-of-creatives.ts';
import { ownMediaBuy } from '../own-rows.ts';
import { waitsForAdServer } from '../waits-for-ad-server.ts';
import { appliedBy, assertUpdatable, responseFor, stateRefusals } from './apply.ts';
import { changeOf } from './change-of.ts';
import { termsOfUpdate } from './granted.ts';
import { fittingPartsOfUpdate } from './parts.ts';
import type { UpdateParts } from './parts.ts';
import { planFacts } from './facts.ts';
import { planUpdate } from './plan.ts';
import { claimRaise, needsPerson, raiseProblems } from './raise.ts';
import type { UpdatePlan } from './plan.ts';
import { UpdateMediaBuyRequest, UpdateMediaBuyResponse } from './schema.ts';
import type { Updates } from './schema.ts';
import { isStop, refuseCommitted, sendChange } from './send-change.ts';

/** Changes, pauses, resumes or cancels a media buy (rules C.tasks.update_media_buy, B2, B6). */
export function updateMediaBuy(deps: TaskDependencies): TaskDefinition {
  return queuedTask<UpdateMediaBuyRequest>({
    name: 'update_media_buy',
    title: 'Update media buy',
    description:
      'Changes budget, dates, targeting, packages, bids, creatives or webhooks of a media buy, adds packages, pauses, resumes or cancels it (updates.status: paused, active, canceled). valid_actions of the buy says what it takes now. revision refuses the change if the buy has moved on since; idempotency_key makes it safe to repeat, and push_notification_config tells how it came out.',
    tags: ['media-buy', 'buying'],
    examples: examplesOf('update_media_buy', deps),
    scope: 'tasks:write',
    mutates: true,
    input: UpdateMediaBuyRequest,
    output: UpdateMediaBuyResponse,
    protect: (request) => ({
      ...request,
      updates: sealUpdates(deps, request.updates),
    }),
    async checkParts(request, context) {
      const fitting = fittingPartsOfUpdate(request);
      if (fitting === undefined) return [];
      const { updates = {} } = fitting.parts;
      const webhooks = await problemsFrom(() => sealUpdates(deps, updates));
      return inPlace(fitting, [...webhooks, ...(await problemsOf(deps, fitting.parts, context))]);
    },
    async check(request, context) {
      const problems = await problemsOf(deps, request, context);
      if (problems.length > 0) throw refusalOf(problems, request);
    },
    async run(request, context) {
      const { task_id } = context.run;
      const outcome = await update(deps, request, context);
      if (!('buy' in outcome)) return outcome;
      const { buy } = outcome;
      const event = appliedBy(buy, task_id);
      if (event === undefined) throw new Error(`the update of ${buy.media_buy_id} left no trace`);
      await storeBrought(deps, request, context);
      await setWebhooks(deps, buy, request, { event, run: context.run });
      if (isTerminalBuy(buy.status)) await endOthers(deps, buy, context);
      await recheckMediaBuy(deps, buy.media_buy_id);
      return { done: responseFor(buy, event), message: `media buy ${buy.media_buy_id} is ${event.to_status}` };
    },
    undo: (_request, { run, now }) => withdrawApprovals(deps.approvals, run.task_id, now()),
  });
}

function sealUpdates({ buyWebhooks }: TaskDependencies, updates: Updates): Updates {
  return sealWebhooks(buyWebhooks, updates, ['push_notification_config', 'reporting_webhook'], 'updates.');
}

/** What is wrong with a request of the right form, or with the parts of one: by the buy's state, and by what is asked for. */
async function problemsOf(
  deps: TaskDependencies,
  { media_buy_id, revision, updates }: UpdateParts,
  {
    caller: { organization_id },
    account_id,
    dialect,
    said,
  }: Pick<CallContext, 'caller' | 'account_id' | 'dialect' | 'said'>,
): Promise<readonly Problem[]> {
  if (media_buy_id === undefined) return [];
  const buy = await deps.mediaBuys.get(media_buy_id);
  if (buy?.organization_id !== organization_id)
    return problemsFrom(() => ownMediaBuy(deps.mediaBuys, organization_id, media_buy_id));
  const asked = { ...(revision !== undefined && { revision }), ...(updates && { updates }) };
  const refusals = stateRefusals(buy, asked, wordsOf(dialect));
  if (updates === undefined || isTerminalBuy(buy.status)) return refusals.flatMap(problemsIn);
  const facts = { ...(await planFacts(deps, buy, updates, { account_id, said })), adServer: deps.adServerCan() };
  const planned = await problemsFrom(async () => {
    const raised = await raiseProblems(deps, buy, planUpdate(buy, updates, facts));
    if (raised.length > 0) throw refusalOf(raised);
  });
  return [...refusals.flatMap(problemsIn), ...planned];
}

/** Only the public protocol has a resume that goes on waiting. */
function wordsOf(dialect: CallContext['dialect']): ActionWords {
  return { mayWait: dialect !== undefined };
}

type Outcome = { buy: MediaBuy } | Exclude<PersonsDecision, { decided: unknown }>['wait'];

/** Makes the change once, however often it is run; again from the start when another change came first. */
async function update(deps: TaskDependencies, request: UpdateMediaBuyRequest, context: RunContext): Promise<Outcome> {
  const { organization_id } = context.run;
  for (;;) {
    const buy = await ownMediaBuy(deps.mediaBuys, organization_id, request.media_buy_id);
    try {
      const outcome = await oneRound(deps, buy, request, context);
      if (outcome !== undefined) return outcome;
    } catch (error) {
      // Committed, the task may end so only where no late turn of it can open its change any more.
      if (!(error instanceof AppError) || context.run.committed_at === null) throw error;
      if (verdictOf(buy, context.run.task_id) !== undefined) throw error;
      await refuseCommitted(deps, buy.media_buy_id, context.run.task_id, error);
    }
  }
}

/** What an update comes to on the buy as it stands; undefined when it is to be looked at again. */
async function oneRound(
  deps: TaskDependencies,
  buy: MediaBuy,
  request: UpdateMediaBuyRequest,
  context: RunContext,
): Promise<Outcome | undefined> {
  const { task_id } = context.run;
  const verdict = verdictOf(buy, task_id);
  if (verdict?.outcome === 'refused') throw errorOf(verdict);
  if (verdict !== undefined || appliedBy(buy, task_id) !== undefined) return { buy };
  if (hasPart(buy, task_id)) {
    const told = await deps.courier.tell(buy.media_buy_id, { own: task_id });
    return told === undefined || hasPart(told, task_id)
      ? await waitsForAdServer(deps, told ?? buy, context)
      : undefined;
  }
  const approval = await deps.approvals.get(approvalIdOf(task_id));
  // A person took their time: what counts is that the change still holds, not that nothing else has changed.
  const { revision: _revision, ...lasting } = request;
  assertUpdatable(buy, approval === undefined ? request : lasting, wordsOf(context.dialect));
  const plan = planUpdate(buy, request.updates, await planFacts(deps, buy, request.updates, context));
  const change = changeOf(buy, plan);
  const total_steps = approval === undefined && !(await needsPerson(deps, buy, plan)) ? 2 : 3;
  await context.step({ current_step: 'checking the change', step_number: 1, total_steps });
  const decision =
    total_steps === 3 ? await decide(deps, buy, { ...plan, updates: request.updates }, context) : undefined;
  if (decision !== undefined && 'wait' in decision) return decision.wait;
  if (isBeingChanged(buy) && request.revision !== undefined && approval === undefined) throw changesAlready(buy);
  if (hasOpen(buy) && !isStop(change)) return waitsForAdServer(deps, buy, context);
  await context.commit();
  await claimRaise(deps, buy, plan);
  if (!(await sendChange(deps, buy, { task_id, change, approval: decision?.decided }))) return undefined;
  if (total_steps === 3) await settleApprovals(deps, task_id);
  return undefined;
}

/** Stores what the packages bring: once the change holds, so that one that is refused leaves the library as it was. */
async function storeBrought(
  deps: TaskDependencies,
  { updates: { packages = [], new_packages = [] } }: UpdateMediaBuyRequest,
  { run: { task_id, organization_id, spoken }, account_id, now }: RunContext,
): Promise<void> {
  const cause = { task_id, organization_id, account_id, at: toTimestamp(now()), ...saidOfCreatives(spoken) };
  await upsertPackageCreatives(deps, [...packages, ...new_packages], cause);
}

function changesAlready({ media_buy_id, revision }: MediaBuy): AppError {
  const message = `revision: a change of media buy ${media_buy_id} is on its way to the ad server; read it again when that is done`;
  return new AppError('CONFLICT', message, { field: 'revision', details: { revision } });
}

/** How the task waits for a person, or their approval. @throws {AppError} `APPROVAL_REJECTED`. */
async function decide(
  deps: TaskDependencies,
  buy: MediaBuy,
  { affected_packages, changed, new_packages, updates }: UpdatePlan & Pick<UpdateMediaBuyRequest, 'updates'>,
  context: RunContext,
): Promise<PersonsDecision> {
  const { media_buy_id, status, revision } = buy;
  const details = { media_buy_id, status, revision, affected_packages, implementation_date: null };
  const terms = termsOfUpdate(buy, updates, [...changed.packages, ...new_packages]);
  const asked = { operation: 'update_media_buy', buy, terms, new_packages, details } as const;
  const decision = await personsDecision(deps, asked, context);
  if ('wait' in decision || decision.decided.status === 'approved') return decision;
  const { decided } = decision;
  await settleApprovals(deps, decided.task_id);
  const words = [decided.reason, decided.note].filter((text) => text !== null).join('; ');
  throw new AppError('APPROVAL_REJECTED', `the seller rejected the change${words === '' ? '' : `: ${words}`}`);
}

/**
 * Sets the webhooks that the request changes, from the next fire on (rule C.events.8). A buy still in the making
 * tells how it comes out to the new one, too.
 */
async function setWebhooks(
  { buyWebhooks, redirectTask }: TaskDependencies,
  buy: MediaBuy,
  { updates: { push_notification_config, reporting_webhook } }: UpdateMediaBuyRequest,
  { event, run: { context, context_text, spoken } }: { event: MediaBuyEvent; run: TaskRun },
): Promise<void> {
  if (push_notification_config === undefined && reporting_webhook === undefined) return;
  const { revision = buy.revision, at } = event;
  const push = push_notification_config && buyChannel(push_notification_config, `updated-${revision}`, at);
  await buyWebhooks.set(buy, revision, { push, reporting_webhook, context, context_text, ...inDialectOf(spoken) });
  if (push !== undefined) await redirectTask(buy.task_id, push);
}

/** What waits for a person about a buy that is over has nothing to wait for any more. */
async function endOthers(deps: TaskDependencies, { media_buy_id }: MediaBuy, { now }: RunContext): Promise<void> {
  for (const { task_id } of await openApprovalsOf(deps.approvals, media_buy_id)) {
    await withdrawApprovals(deps.approvals, task_id, now());
    await deps.wakeTask(task_id);
  }
}
