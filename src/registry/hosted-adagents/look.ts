import { hastenCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { AppError } from '../../platform/errors.ts';
import { crawlOnRequest } from '../crawl-publisher/crawl-on-request.ts';
import type { EndpointCall } from '../endpoint.ts';

/** Looks for who has just saved. What was saved stays where the look is refused for a budget: a worker makes it at once. */
export async function lookAfterSave(call: EndpointCall, publisherDomain: string) {
  const look = await lookAtOrigin(call, publisherDomain);
  if (!look.done) await hastenCheck(call, 'adagents', publisherDomain);
  return look;
}

/** Looks at the publisher's origin for who asks: by the crawl of everybody, within its budgets. */
export async function lookAtOrigin(call: EndpointCall, publisherDomain: string) {
  try {
    const { result } = await crawlOnRequest(call, publisherDomain);
    return { done: true, error: result.kind === 'failed' ? result.reason : null };
  } catch (error) {
    if (error instanceof AppError && error.code === 'RATE_LIMITED') return { done: false, error: error.message };
    throw error;
  }
}
