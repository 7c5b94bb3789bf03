import type { z } from 'zod';
import type { AdServer } from '../../sales/ad-server/ad-server.ts';
import { CreativeAnswer } from '../../sales/ad-server/creative-answer.ts';
import { Description } from '../../sales/ad-server/description.ts';
import { isAdServerFault } from '../../sales/ad-server/faults.ts';
import { Held } from '../../sales/ad-server/held.ts';
import { CheckAnswer, PutAnswer } from '../../sales/ad-server/put-answer.ts';
import { Statement } from '../../sales/ad-server/statement.ts';
import { RuleBroken } from './demand.ts';

/** The same ad server, whose every answer has the port's shape and whose every error is one of the port's faults. */
export function checkedAdServer(adServer: AdServer): AdServer {
  return {
    describe: () => checked('describe', Description, () => adServer.describe()),
    check: (order) => checked('check', CheckAnswer, () => adServer.check(order)),
    put: (order) => checked('put', PutAnswer, () => adServer.put(order)),
    read: (media_buy_id) => checked('read', Held, () => adServer.read(media_buy_id)),
    statements: (query) => checked('statements', Statement, () => adServer.statements(query)),
    putCreative: (creative) => checked('putCreative', CreativeAnswer, () => adServer.putCreative(creative)),
  };
}

async function checked<T>(method: string, schema: z.ZodType<T>, ask: () => Promise<unknown>): Promise<T> {
  let answer: unknown;
  try {
    answer = await ask();
  } catch (error) {
    if (isAdServerFault(error)) throw error;
    throw new RuleBroken('faults', `${method} to throw Unreachable, Misconfigured or Broken`, error, {
      cause: error,
    });
  }
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `/${path.join('/')} ${message}`).join('; ');
  throw new RuleBroken('port', `${method} to answer in the port's shape`, `${issues} in ${JSON.stringify(answer)}`);
}
