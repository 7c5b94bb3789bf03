import { AppError } from '../platform/errors.ts';
import type { RegistryContext } from './context.ts';

/** @throws {AppError} `VALIDATION_ERROR` for a domain that is blocked, or below one: no crawl takes it for a publisher. */
export async function refuseBlocked({ blockList }: Pick<RegistryContext, 'blockList'>, domain: string): Promise<void> {
  if ((await blockList.finder())(domain) === undefined) return;
  throw new AppError('VALIDATION_ERROR', 'domain: this is known infrastructure, not a publisher', { field: 'domain' });
}
