import type { Request } from 'express';
import { mayAct } from '../../directory/operator/operator.ts';
import type { ErrorBody } from '../../platform/errors.ts';
import { matchedSteps } from './actions.ts';
import type { ConsolePage } from './console-page.ts';
import { formsSentTo, refilled } from './html/form-in.ts';
import type { FormIn } from './html/form-in.ts';
import type { Markup } from './html/markup.ts';
import { pageCall } from './page-call.ts';
import type { PageAsked } from './page-call.ts';
import { PAGES } from './pages.ts';

/** A form that was refused, to be mended where that is told. */
export interface RefusedForm {
  form: Markup;
  /** What is wrong, by the labels that stand on the page and not by the names of fields. */
  message: string;
  /** Of the field that is wrong, if it is one. */
  label: string | undefined;
}

/** A form as it was sent: from which page, to which address, with what. */
export interface SentForm {
  /** Path and query of the page, with `/admin`. */
  page: string;
  action: string;
  sent: Readonly<Record<string, string | string[]>>;
}

const SENT = new WeakMap<Request, SentForm>();

/** Keeps what a request has sent for whoever has to tell that it was refused. */
export function noteSentForm(request: Request, form: SentForm): void {
  SENT.set(request, form);
}

/** The same of a list that was asked for less than all, where it was sent by its form. */
function filterSent(request: Request): SentForm | undefined {
  const { path, originalUrl, method, query } = request;
  if (method !== 'GET' || Object.keys(query).length === 0) return undefined;
  return { page: originalUrl, action: `/admin${path}`, sent: query as SentForm['sent'] };
}

/**
 * The form of a request that was refused for what was filled in, made anew from its page: as it was filled in, with what is wrong at its
 * field. Undefined where its page has no such form any more, or what is wrong is nothing that one fills in there.
 */
export async function refusedForm(
  deps: Parameters<typeof pageCall>[0],
  request: Request,
  who: Pick<PageAsked, 'operator' | 'session'>,
  problem: ErrorBody,
): Promise<RefusedForm | undefined> {
  const from = SENT.get(request) ?? filterSent(request);
  if (from === undefined) return undefined;
  const name = fieldOf(problem);
  const place = new URL(from.page, 'http://console');
  // A list that cannot be shown for what it is asked is shown without that, or else whole.
  if (name !== undefined && request.method === 'GET') place.searchParams.delete(name);
  const whole = new URL(place.pathname, place);
  const page = await pageAt(deps, who, place)
    .catch(() => pageAt(deps, who, whole))
    .catch(() => undefined);
  if (page === undefined) return undefined;
  const sent = new Map(Object.entries(from.sent).map(([field, value]) => [field, [value].flat()]));
  const isSame = ({ hidden, labels }: FormIn) =>
    [...hidden].every(([field, value]) => field.startsWith('_') || sent.get(field)?.[0] === value) &&
    (name === undefined ? problem.code === 'VALIDATION_ERROR' && labels.size > 0 : labels.has(name));
  const form = formsSentTo(page, from.action).find(isSame);
  if (form === undefined) return undefined;
  const label = name === undefined ? undefined : form.labels.get(name);
  const message = inLabels(problem.message, name, form.labels);
  return { form: refilled(form, sent, name === undefined ? undefined : { name, words: message }), message, label };
}

/** The field of the form that an error is about: of a list or what is within it, as a whole. */
function fieldOf({ field }: ErrorBody): string | undefined {
  const [first] = /^\w+/.exec(field ?? '') ?? [];
  return first === 'typed' ? '_typed' : first;
}

/** Names of fields as the page calls them; a name that is a word of the language only where a message begins with it. */
function inLabels(message: string, wrong: string | undefined, labels: ReadonlyMap<string, string>): string {
  let words = message;
  for (const [name, label] of labels) {
    if (label === '') continue;
    const pattern = name.includes('_') ? `\\b${name}\\b` : name === wrong ? `^${name}\\b` : undefined;
    if (pattern !== undefined) words = words.replaceAll(new RegExp(pattern, 'g'), () => `“${label}”`);
  }
  return words;
}

async function pageAt(
  deps: Parameters<typeof pageCall>[0],
  who: Pick<PageAsked, 'operator' | 'session'>,
  { pathname, searchParams }: URL,
): Promise<Markup | undefined> {
  const steps = pathname.slice('/admin'.length).split('/');
  const query = Object.fromEntries(
    [...new Set(searchParams.keys())].map((name) => {
      const [first, ...others] = searchParams.getAll(name);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
  for (const page of PAGES) {
    const params = matchedSteps(page.path.split('/'), steps);
    if (params !== undefined && maySee(page, who))
      return (await page.show(pageCall(deps, { ...who, params, query }, page))).body;
  }
  return undefined;
}

function maySee({ role }: ConsolePage, { operator }: Pick<PageAsked, 'operator'>): boolean {
  return role === undefined || mayAct(operator.role, role);
}
