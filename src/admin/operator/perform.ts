import { z } from 'zod';
import { requireRole } from '../../directory/operator/operator.ts';
import type { Operator } from '../../directory/operator/operator.ts';
import { recordRefusal } from '../../platform/security/record-refusal.ts';
import { parseInput } from '../../platform/validation.ts';
import { actionIdOf, recorded } from './actions/record.ts';
import { withBuyerMeant } from './buyers/buyer-meant.ts';
import { filledIn } from './filled-in.ts';
import { requireFreshSignIn } from './fresh-sign-in.ts';
import type { Json, Operation, OperatorCall, OperatorDeps } from './operation.ts';

const Nothing = z.strictObject({});

/** One call of an operation, by whichever face of it. */
export interface OperationAsked {
  /** Who acts, once their credential has been checked. */
  operator: Operator;
  /** The operation's path with its parameters filled in, percent-encoded: what it is done to stands on record by it. */
  path: string;
  params?: unknown;
  query?: unknown;
  body?: unknown;
  click: {
    /** The same for the same click: what it did is answered again, and not done twice. */
    idempotency_key?: string | undefined;
    said_name?: string | undefined;
    address?: string | undefined;
    undo_of?: string | undefined;
  };
}

/**
 * Role, input, the buyer that a list is to be of by its name, too, handler, answer; what changes something is put on record first. Of stored rows only what the answer names leaves:
 * what a newer release wrote beside it may be secret.
 * @throws {AppError} `FORBIDDEN`, which is on record; {@link SignInTooOld}; what is wrong with the input; what the operation refuses.
 */
export async function perform<P, Q, B, A extends Json>(
  deps: OperatorDeps,
  operation: Operation<P, Q, B, A>,
  { operator, path, params, query, body, click }: OperationAsked,
): Promise<A> {
  requireRoleOnRecord(deps, operator, operation);
  const by = operator.name;
  const input = {
    params: (operation.params && parseInput(operation.params, params ?? {})) as P,
    query: await withBuyerMeant(
      deps.store,
      parseInput(operation.query ?? (Nothing as unknown as z.ZodType<Q>), query ?? {}),
    ),
    body: (operation.method === 'post'
      ? parseInput(operation.body ?? (Nothing as unknown as z.ZodType<B>), body ?? {})
      : undefined) as B,
  };
  if (operation.asksFreshSignIn === true) requireFreshSignIn(deps, operator);
  const another: OperatorCall['perform'] = (other, { params: of, body: its = {}, undo_of, part }) =>
    perform(deps, other, {
      operator,
      path: filledIn(other.path, of),
      params: of,
      body: its,
      click: { ...click, undo_of, idempotency_key: partOf(click.idempotency_key, part) },
    });
  const act = async (action_id: string) =>
    operation.answer.parse(await operation.handle(input, { ...deps, operator, by, action_id, perform: another }));
  const { action, decides, hasSecret = false } = operation;
  if (action === undefined) return act(deps.ids.newId());
  if (operation.isOnRecordAsAnother === true)
    return act(click.idempotency_key === undefined ? deps.ids.newId() : actionIdOf(operator, click.idempotency_key));
  const named = operation.params && { params: input.params as Record<string, string> };
  // In one spelling, whichever was sent.
  const target = targetOf(named === undefined ? path : filledIn(operation.path, named.params));
  const noted = operation.onRecord?.(input.body) ?? { ...(input.body as object) };
  const facts = (answer: Json) => operation.concerns?.(answer as A, input) ?? { target: target.split('/').at(-1) };
  const decision = decides && { kind: decides, facts };
  const view = deps.viewAt(withoutVerb(operation.path));
  // What cannot be read hinders nobody: the action says itself what is wrong.
  const standing = view && (() => shown(deps, view, { ...input, operator, path: target }).catch(() => undefined));
  const asked = { action, target, ...named, input: noted, hasSecret, decision, standing };
  const { idempotency_key } = click;
  return (await recorded(deps, { ...asked, ...click, idempotency_key, operator }, act)) as A;
}

/** @throws {AppError} `FORBIDDEN`, which is on record. */
function requireRoleOnRecord(
  { security }: OperatorDeps,
  operator: Operator,
  { role, path }: Pick<Operation, 'role' | 'path'>,
): void {
  try {
    requireRole(operator, role);
  } catch (error) {
    recordRefusal(security, error, { subject: operator.name, target: path });
    throw error;
  }
}

/** A click of its own for each of several; no click of anybody's has a space in it. */
function partOf(click: string | undefined, part: string | undefined): string | undefined {
  return click === undefined || part === undefined ? click : `${click} ${part}`;
}

/** `/approvals/apr_1` of `/approvals/apr_1/approve`. */
function targetOf(path: string): string {
  return decodeURIComponent(withoutVerb(path));
}

function withoutVerb(path: string): string {
  return path.replace(/\/[^/]*$/, '');
}

/** What an operation that reads answers to who asks nothing more. */
function shown(
  deps: OperatorDeps,
  view: Operation,
  { params, operator, path }: { params: unknown; operator: Operator; path: string },
): Promise<Json> {
  return perform(deps, view, { operator, path, params, click: {} });
}
