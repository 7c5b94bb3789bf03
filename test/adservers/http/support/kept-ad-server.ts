import type { AdServer } from '../../../../src/sales/ad-server/ad-server.ts';

type Method = keyof Required<AdServer>;
/** What the next call of each method answers, or throws where it is an error. */
type Answers = { [Name in Method]?: Awaited<ReturnType<Required<AdServer>[Name]>> | Error };

export interface KeptAdServer {
  adServer: Required<AdServer>;
  answers: Answers;
  /** What each call was told, oldest first. */
  calls: { method: Method; told: unknown }[];
}

/** An ad server that answers what it was given to answer, and keeps what it was told: for what happens on the wire alone. */
export function keptAdServer(answers: Answers = {}): KeptAdServer {
  const calls: KeptAdServer['calls'] = [];
  const method = (name: Method) => (told?: unknown) => {
    calls.push({ method: name, told });
    const answer = answers[name];
    if (answer === undefined) throw new Error(`nothing to answer to ${name}`);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as never);
  };
  const adServer = {
    describe: method('describe'),
    check: method('check'),
    put: method('put'),
    read: method('read'),
    statements: method('statements'),
    putCreative: method('putCreative'),
    forecast: method('forecast'),
    inventory: method('inventory'),
  };
  return { adServer, answers, calls };
}
