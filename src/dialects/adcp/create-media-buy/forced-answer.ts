import { AppError } from '../../../platform/errors.ts';
import type { BuyerAccount } from '../../../sales/account/account.ts';
import type { Translated } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';

/** How a booking is to be answered by the word of a test. */
export interface ForcedAnswer {
  asked: Pick<Translated, 'task_id' | 'submitted_message'>;
  /** Takes the word, once nothing stands in the way; it may be called again. @throws {AppError} `CONFLICT` where another was quicker. */
  take: () => Promise<void>;
}

/** What a test has said of the next booking of a sandbox account; `request_key` tells the request from others, and is the same when it is repeated. */
export async function forcedAnswer(
  { tested }: Pick<TranslatorSources, 'tested'>,
  { organization_id, account_id, sandbox }: BuyerAccount,
  request_key: string,
): Promise<ForcedAnswer | undefined> {
  if (tested === undefined || !sandbox) return undefined;
  const request = { organization_id, account_id, request_key };
  const forced = await tested.forcedArms.next(request);
  if (forced === undefined) return undefined;
  const { task_id, message } = forced;
  return {
    asked: { task_id, ...(message !== '' && { submitted_message: message }) },
    async take() {
      if (await tested.forcedArms.take(task_id, request)) return;
      throw new AppError('CONFLICT', 'another request has had the answer that a test forced; send this one again');
    },
  };
}
