import type { BuyerAccount } from '../../../sales/account/account.ts';
import type { Translated } from '../translator.ts';
import type { TranslatorSources } from '../sources.ts';

/** What a test has said of the next booking of a sandbox account. A booking has it by being stored as the task of that id. */
export async function forcedAnswer(
  { tested }: Pick<TranslatorSources, 'tested'>,
  account: BuyerAccount,
): Promise<Pick<Translated, 'task_id' | 'submitted_message'>> {
  const forced = account.sandbox ? await tested?.forcedArms.next(account) : undefined;
  if (forced === undefined) return {};
  const { task_id, message } = forced;
  return { task_id, ...(message !== '' && { submitted_message: message }) };
}
