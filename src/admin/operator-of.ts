import type { Request } from 'express';
import type { Operator } from '../directory/operator/operator.ts';

const operators = new WeakMap<Request, Operator>();

/** Notes who makes a request, once their credential has been checked. */
export function setOperator(request: Request, operator: Operator): void {
  operators.set(request, operator);
}

/** Who makes a request of the operator API or the console. @throws {Error} before that is known: a mistake in the program. */
export function operatorOf(request: Request): Operator {
  const operator = operators.get(request);
  if (operator === undefined) throw new Error('nobody has been authenticated for this request');
  return operator;
}
