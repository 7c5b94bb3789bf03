import { AppError } from '../../platform/errors.ts';
import { crawlOnRequest } from '../crawl-publisher/crawl-on-request.ts';
import type { EndpointCall } from '../endpoint.ts';

/**
 * Looks at the publisher's origin for who has just saved or asks: by the crawl of everybody, within its budgets. What was saved stays where
 * the look is refused for them; the daily crawl looks then.
 */
export async function lookAtOrigin(call: EndpointCall, publisherDomain: string) {
  try {
    const { result } = await crawlOnRequest(call, publisherDomain);
    return { done: true, error: result.kind === 'failed' ? result.reason : null };
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_LIMITED') return { done: false, error: error.message };
    throw error;
  }
}
