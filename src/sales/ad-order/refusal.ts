import { AppError } from '../../platform/errors.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import { formatMoney } from '../../platform/money.ts';
import type { Reason, ReasonCode } from '../ad-server/put-answer.ts';

/** What the buyer is told for each reason an ad server may have (rule B12). */
const CODES = {
  no_inventory: 'AD_SERVER_REJECTED',
  advertiser: 'AD_SERVER_REJECTED',
  policy: 'AD_SERVER_REJECTED',
  other: 'AD_SERVER_REJECTED',
  budget_below_spend: 'BUDGET_TOO_LOW',
  targeting: 'UNSUPPORTED_FEATURE',
  pricing: 'UNSUPPORTED_FEATURE',
  frequency_cap: 'UNSUPPORTED_FEATURE',
  pacing: 'UNSUPPORTED_FEATURE',
  format: 'VALIDATION_ERROR',
  creative: 'VALIDATION_ERROR',
  dates: 'INVALID_REQUEST',
  limit: 'INVALID_REQUEST',
  product_config: 'SERVICE_UNAVAILABLE',
} as const satisfies Record<ReasonCode, ErrorCode>;

/**
 * The answer for an order that the ad server refused: the first reason's code, and all reasons as issues. Amounts in
 * `currency`. Pure.
 */
export function refusalOfReasons(reasons: readonly Reason[], currency: string): AppError {
  const [first] = reasons;
  if (first === undefined) return new AppError('AD_SERVER_REJECTED', 'the ad server refused the order');
  const { code, message, suggestion, package_id, creative_id, least_minor } = first;
  const details = {
    ...(package_id !== undefined && { package_id }),
    ...(creative_id !== undefined && { creative_id }),
    ...(least_minor !== undefined && { least_budget: formatMoney(least_minor, currency), currency }),
  };
  return new AppError(CODES[code], `the ad server refused: ${message}`, {
    ...(suggestion !== undefined && { suggestion }),
    issues: reasons.map((reason) => ({ pointer: reason.pointer, message: reason.message })),
    ...(Object.keys(details).length > 0 && { details }),
  });
}
