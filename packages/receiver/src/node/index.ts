/** For servers of node:http: the package export `media-buy-receiver/node`. */
export { guardedFetchJson } from './guarded-fetch-json.ts';
export type { GuardedFetchOptions, LookupAll } from './guarded-fetch-json.ts';
export type { NodeRequest } from './serve.ts';
export { toNode } from './to-node.ts';
