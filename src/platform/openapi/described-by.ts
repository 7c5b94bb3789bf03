import type { Budgets } from '../budget/budgets.ts';
import { takeAndTell } from '../budget/take-and-tell.ts';
import { addressKey } from '../client-address.ts';
import { AppError } from '../errors.ts';
import { strongEtag } from '../etag.ts';
import { DOCS_STYLE_SOURCE, docsPage } from './docs-page.ts';
import type { DocsLink } from './docs-page.ts';

/** As much of Express's answer as is needed here. */
interface Answer {
  set(headers: Record<string, string>): unknown;
  type(type: string): Answer;
  send(text: string): unknown;
}

type Handler<R extends Answer> = (request: { ip?: string | undefined }, response: R) => Promise<void>;

export interface DescribedApi<R extends Answer> {
  /** Where the OpenAPI document is served. */
  jsonPath: string;
  /** Beside it on the page. */
  links: readonly DocsLink[];
  /** The document, for the address that the agent has now. */
  document: (baseUrl: string) => Record<string, unknown>;
  baseUrl: () => string;
  budgets: Budgets;
  /** Tells whoever has used up the budget. */
  refuse: (response: R, error: AppError) => void;
}

/** What serves an OpenAPI document, and a page to read it by, to everybody; both are made once for each base URL. */
export function describedBy<R extends Answer>(api: DescribedApi<R>): { json: Handler<R>; page: Handler<R> } {
  const { jsonPath, links, budgets, refuse } = api;
  const made = new Map<string, { json: string; html: string; etag: string }>();
  const current = () => {
    const url = api.baseUrl();
    const known = made.get(url);
    if (known) return known;
    const document = api.document(url);
    const json = JSON.stringify(document, null, 2);
    const page = docsPage(document, [[jsonPath, 'openapi.json'], ...links]);
    const fresh = { json, html: page, etag: strongEtag(json) };
    made.set(url, fresh);
    return fresh;
  };
  const limited =
    (serve: (response: R) => void): Handler<R> =>
    async ({ ip = '' }, response) => {
      try {
        await takeAndTell(budgets, { name: 'openapi', key: addressKey(ip) }, (headers) => response.set(headers));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refuse(response, error);
        return;
      }
      serve(response);
    };
  return {
    json: limited((response) => {
      const { json, etag } = current();
      response.set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300', ETag: etag });
      response.type('application/json').send(json);
    }),
    page: limited((response) => {
      response.set({
        'Content-Security-Policy': `default-src 'none'; style-src ${DOCS_STYLE_SOURCE}; base-uri 'none'; frame-ancestors 'none'`,
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': 'public, max-age=300',
      });
      response.type('html').send(current().html);
    }),
  };
}
