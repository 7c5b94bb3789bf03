import type { Json, Operation } from '../operator/operation.ts';
import { addBuyer } from '../operator/buyers/operations.ts';
import { resendRange } from '../operator/webhooks/ranges.ts';
import { pageOfId } from './parts/words.tsx';

/** By operation, the page below `/admin` of what it has made. */
const LEADS_TO = new Map<Operation, (answer: Json) => string>([
  leading(addBuyer, ({ organization_id }) => pageOfId('/buyers', organization_id)),
  leading(resendRange, ({ range_id }) => pageOfId('/webhooks/ranges', range_id)),
]);

/** The page that shows what has been made; undefined where a form leads back to where it was. */
export function pageOfMade(operation: Operation, answer: Json): string | undefined {
  const page = LEADS_TO.get(operation)?.(answer);
  return page === undefined ? undefined : `/admin${page}`;
}

function leading<P, Q, B, A extends Json>(
  of: Operation<P, Q, B, A>,
  page: (answer: A) => string,
): [Operation, (answer: Json) => string] {
  return [of, (answer) => page(answer as A)];
}
