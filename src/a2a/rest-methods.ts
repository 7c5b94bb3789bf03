import type { Request } from 'express';

/** The methods to use in the place of the one that came; undefined where it is right, or the place is none. */
export function otherMethods({ path, method }: Request): readonly string[] | undefined {
  const methods = METHODS.find(([place]) => place.test(path))?.[1];
  return methods?.includes(method === 'HEAD' ? 'GET' : method) === true ? undefined : methods;
}

/** The methods of each place, in both generations; those of no place are not found. */
const METHODS: readonly [place: RegExp, methods: readonly string[]][] = [
  [/^(\/v1)?\/message:(send|stream)$/, ['POST']],
  [/^(\/v1)?\/tasks\/[^/:]+:cancel$/, ['POST']],
  [/^(\/v1)?\/tasks\/[^/:]+:subscribe$/, ['GET', 'POST']],
  [/^(\/v1)?\/tasks\/[^/:]+\/pushNotificationConfigs$/, ['GET', 'POST']],
  [/^(\/v1)?\/tasks\/[^/:]+\/pushNotificationConfigs\/[^/]+$/, ['GET', 'DELETE']],
  [/^(\/v1)?\/tasks\/[^/:]+$/, ['GET']],
  [/^(\/tasks|\/extendedAgentCard|\/v1\/card)$/, ['GET']],
];
