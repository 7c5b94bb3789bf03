import type { RequestHandler } from 'express';

/** Paths, stack frames, and the words of our own and the SDK's internals, and what the tasks of the tests keep secret. */
export const INTERNAL =
  /node_modules|\/src\/|\bat .*\(.*:\d+:\d+\)|Cannot read|undefined \(|is not a function|(?:Syntax|Type|Range)Error|in JSON at|secret text|\/etc\/passwd/;

/** Reads every answer of a server over its shoulder for what is internal, and for these secrets. */
export function watchForLeaks(secrets: readonly string[]): { watch: RequestHandler; found: string[] } {
  const found: string[] = [];
  const inspect = (chunk: unknown) => {
    if (typeof chunk !== 'string' && !Buffer.isBuffer(chunk)) return;
    const text = chunk.toString();
    if (INTERNAL.test(text) || secrets.some((secret) => secret !== '' && text.includes(secret))) found.push(text);
  };
  const watch: RequestHandler = (_request, response, next) => {
    for (const method of ['write', 'end'] as const) {
      const send = response[method].bind(response) as (...args: unknown[]) => never;
      response[method] = (...args: unknown[]) => {
        inspect(args[0]);
        return send(...args);
      };
    }
    next();
  };
  return { watch, found };
}
