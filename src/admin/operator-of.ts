import type { Request } from 'express';
import type { Operator } from '../directory/operator/operator.ts';
import { currentRequest } from '../platform/request-context.ts';

const operators = new WeakMap<Request, Operator>();

/** Notes who makes a request, once their credential has been checked, also for what is put on record meanwhile. */
export function setOperator(request: Request, operator: Operator): void {
  operators.set(request, operator);
  const context = currentRequest();
  if (context !== undefined) context.operator = operator.name;
}

/** Who makes a request of the operator API or the console. @throws {Error} before that is known: a mistake in the program. */
export function operatorOf(request: Request): Operator {
  const operator = operators.get(request);
  if (operator === undefined) throw new Error('nobody has been authenticated for this request');
  return operator;
}
