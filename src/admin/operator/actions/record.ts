import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../platform/crypto/canonical-json.ts';
import type { Operator } from '../../../directory/operator/operator.ts';
import { toTimestamp } from '../../../platform/clock.ts';
import { AppError } from '../../../platform/errors.ts';
import type { SecurityKind } from '../../../platform/security/security-kinds.ts';
import type { SecurityFacts } from '../../../platform/security/security-log.ts';
import type { OperatorDeps } from '../operation.ts';
import { errorBodyFor } from '../error-response.ts';
import { OperatorActions } from './action.ts';
import type { OperatorAction } from './action.ts';
import { changeBetween } from './change.ts';
import { recordChain } from './record-chain.ts';

/** An action as it is asked for. */
export interface Asked extends Pick<
  OperatorAction,
  'action' | 'target' | 'input' | 'address' | 'said_name' | 'undo_of' | 'params'
> {
  operator: Operator;
  /** What makes two requests the same click. */
  idempotency_key: string | undefined;
  /** How what it is done to is seen, now; undefined where it cannot be. */
  standing?: (() => Promise<Answer | undefined>) | undefined;
  /** The answer is not kept. */
  hasSecret?: boolean;
  /** The decision about access that it is, once it is done; a repeat that only gets the first answer is none. */
  decision?: { kind: SecurityKind; facts: (answer: Record<string, unknown>) => SecurityFacts } | undefined;
}

type Answer = Record<string, unknown>;

/**
 * Does what an operator asked for, with who and when on record before it is begun. The same request again under its
 * `idempotency_key` gets the first answer with `replayed: true`; one that was refused, or whose process died, is done anew,
 * which every action must bear.
 * @throws {AppError} `IDEMPOTENCY_CONFLICT` when the key came with another request; whatever `act` throws.
 */
export async function recorded(
  deps: OperatorDeps,
  asked: Asked,
  act: (action_id: string) => Promise<Answer>,
): Promise<Answer> {
  const row = rowOf(deps, asked);
  const actions = deps.store.collection(OperatorActions);
  const begun = { isNew: false };
  await recordChain(deps.store, deps.ids).append(deps.clock.now(), async (linked) => {
    begun.isNew = (await actions.insert(linked(row))).inserted;
    return begun.isNew;
  });
  const earlier = begun.isNew ? undefined : await actions.get(row.action_id);
  if (earlier !== undefined) {
    assertSame(earlier, row);
    if (earlier.answer !== null) return { ...earlier.answer, replayed: true };
  }
  const { action_id, action, target, by } = row;
  try {
    const before = await asked.standing?.();
    const answer = await act(action_id);
    const after = before && (await asked.standing?.());
    const changed = before && after && changeBetween(before, after);
    const kept = asked.hasSecret === true ? null : answer;
    const record_hash = await end(deps, action_id, {
      ...{ outcome: 'done', answer: kept, error_code: null },
      ...(changed && { changed }),
    });
    deps.log.info({ action_id, action, target, by, record_hash }, 'operator action done');
    deps.counters.add('operator_actions_total', { action, outcome: 'done' });
    const { decision } = asked;
    if (decision !== undefined) deps.security.record(decision.kind, decision.facts(answer));
    return answer;
  } catch (error) {
    const { code } = errorBodyFor(error);
    const outcome = error instanceof AppError ? 'refused' : 'failed';
    deps.log.warn({ action_id, action, target, by, code }, `operator action ${outcome}`);
    deps.counters.add('operator_actions_total', { action, outcome });
    await end(deps, action_id, { outcome, answer: null, error_code: code }).catch((lost: unknown) => {
      deps.log.warn({ action_id, err: lost }, 'the end of an operator action is not on record');
    });
    throw error;
  }
}

function rowOf(
  { clock, ids }: OperatorDeps,
  {
    idempotency_key,
    hasSecret: _hasSecret,
    standing: _standing,
    decision: _decision,
    operator,
    address,
    said_name,
    undo_of,
    ...asked
  }: Asked,
): OperatorAction {
  const { name: by, role, person_id, credential } = operator;
  return {
    action_id: idempotency_key === undefined ? `act_${ids.newId()}` : actionIdOf(operator, idempotency_key),
    ...asked,
    ...{ by, role, person_id, credential },
    ...(address !== undefined && { address }),
    ...(said_name !== undefined && { said_name }),
    ...(undo_of !== undefined && { undo_of }),
    at: toTimestamp(clock.now()),
    ...BEGUN,
    revision: 1,
  };
}

/** What stands in a row before it is known what became of it. */
export const BEGUN = { outcome: 'begun', ended_at: null, answer: null, error_code: null } as const;

/** What a click stands on record by. */
export function actionIdOf(operator: Operator, idempotency_key: string): string {
  return `act_${createHash('sha256').update(clickOf(operator, idempotency_key)).digest('hex').slice(0, 32)}`;
}

/** One operator's key makes no other's click the same. */
function clickOf({ credential, person_id }: Operator, idempotency_key: string): string {
  if (credential.kind === 'shared_key') return idempotency_key;
  return JSON.stringify([person_id ?? credential.id, idempotency_key]);
}

/** Two requests at once under one key both act; whichever ends first has answered. */
async function end(
  { store, clock, ids }: OperatorDeps,
  action_id: string,
  result: Pick<OperatorAction, 'outcome' | 'answer' | 'error_code' | 'changed'>,
): Promise<string | null> {
  const nowMs = clock.now();
  const ended_at = toTimestamp(nowMs);
  const actions = store.collection(OperatorActions);
  return recordChain(store, ids).append(nowMs, async (linked) => {
    const outcome = await actions.update(action_id, (row) =>
      row.outcome === 'done' ? undefined : linked({ ...row, ...result, ended_at }),
    );
    return outcome?.changed === true;
  });
}

function assertSame(earlier: OperatorAction, { action, target, input }: OperatorAction): void {
  const print = (of: Pick<OperatorAction, 'action' | 'target' | 'input'>) =>
    canonicalJson([of.action, of.target, of.input]);
  if (print(earlier) === print({ action, target, input })) return;
  throw new AppError('IDEMPOTENCY_CONFLICT', 'this Idempotency-Key was used with another request; send a new one', {
    field: 'Idempotency-Key',
  });
}
