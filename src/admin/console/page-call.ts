import { randomUUID } from 'node:crypto';
import type { Operator } from '../../directory/operator/operator.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { filledIn } from '../operator/filled-in.ts';
import { isSignInFresh } from '../operator/fresh-sign-in.ts';
import type { OperatorDeps } from '../operator/operation.ts';
import { perform } from '../operator/perform.ts';
import { sealPreview } from '../preview/preview-token.ts';
import type { ConsolePage, PageCall } from './console-page.ts';
import { formToken } from './form-token.ts';
import { hiddenFields } from './hidden-fields.tsx';

/** Who asks for a page, and by which address; what stands twice in its query is a list there. */
export interface PageAsked {
  operator: Operator;
  /** The cookie's value. */
  session: string;
  params: unknown;
  query: Readonly<Record<string, unknown>>;
}

/** What a page is made with. */
export function pageCall(
  deps: OperatorDeps & { sealer: Sealer },
  { operator, session, params: given, query: asked }: PageAsked,
  { path }: ConsolePage,
): PageCall {
  const params = textsOf(given);
  const { done: _done, act: _act, ...query } = filledOf(textsOf(asked));
  const several = (name: string) => [asked[name]].flat().filter((value) => typeof value === 'string');
  const lists = Object.keys(asked).filter((name) => Array.isArray(asked[name]));
  const kept = new URLSearchParams([
    ...Object.entries(query),
    ...lists.flatMap((name) => several(name).map((value): [string, string] => [name, value])),
  ]).toString();
  const here = `/admin${filledIn(path, params)}${kept === '' ? '' : `?${kept}`}`;
  return {
    ...{ operator, params, query, several, here, now: deps.clock.now() },
    ...(!isSignInFresh(deps, operator) && { signInOlderThan: deps.freshSignInMs / 60_000 }),
    previewOf: (creative) => `/admin/preview/${sealPreview(deps, session, creative)}`,
    read: (operation, { params: of = {}, query: by } = {}) =>
      perform(deps, operation, {
        ...{ operator, path: filledIn(operation.path, of), params: of, click: {} },
        ...(by && { query: Object.fromEntries(Object.entries(by).filter(([, value]) => value !== undefined)) }),
      }),
    formFields: (action, { phrase, needs } = {}) =>
      hiddenFields({ token: formToken(session, action, phrase), click: randomUUID(), back: here, phrase, needs }),
  };
}

/** What is a text among these; of what stands twice nothing is taken. */
function textsOf(given: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given as object).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Without what is left empty, as a form sends a field that nobody filled in. */
function filledOf(texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''));
}
