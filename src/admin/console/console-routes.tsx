import { Router } from 'express';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { mayAct, requireRole } from '../../directory/operator/operator.ts';
import { AppError } from '../../platform/errors.ts';
import { INPUT_LIMITS } from '../../platform/intake/input-limits.ts';
import { parseForm } from '../../platform/intake/parse-form.ts';
import { readBody } from '../../platform/intake/read-body.ts';
import type { Sealer } from '../../platform/crypto/sealer.ts';
import { AGAIN_PATH } from '../again/held-form.ts';
import { heldFormOf, holdForm, knownHeldForm, noteHeldFormDone } from '../again/hold-form.ts';
import { deedOf } from '../operator/actions/deed.ts';
import { actionIdOf } from '../operator/actions/record.ts';
import { undoAction } from '../operator/actions/undo.ts';
import { SignInTooOld } from '../operator/fresh-sign-in.ts';
import type { Json, OperatorDeps } from '../operator/operation.ts';
import { perform } from '../operator/perform.ts';
import { operatorOf } from '../operator-of.ts';
import type { WaysIn } from '../pages.ts';
import { sessionFrom } from '../session.ts';
import { actionAt, actionNamed } from './actions.ts';
import { attentionOf } from './attention.tsx';
import type { ConsolePage, PageCall } from './console-page.ts';
import { assertConfirmed, filledForm } from './filled-form.ts';
import { isFormToken } from './form-token.ts';
import type { Markup } from './html/markup.ts';
import { pageOfMade } from './leads-to.ts';
import { isOwnPage } from './own-page.ts';
import { pageCall } from './page-call.ts';
import type { PageAsked } from './page-call.ts';
import { PAGES } from './pages.ts';
import { ActionForm } from './parts/action-form.tsx';
import { FRAMING_POLICY, problemHandler } from './problem-page.tsx';
import { doneNotice } from './problem.tsx';
import { noteSentForm, refusedForm } from './refused-form.ts';
import type { SentForm } from './refused-form.ts';
import { shownOnce } from './shown-once.tsx';
import { signInAgainPage } from './sign-in-again.tsx';
import { AsData, listRoutes } from './list-routes.tsx';
import { liveRoute } from './live/live-route.ts';
import type { LiveDeps } from './live/live-route.ts';
import { consoleShell } from './shell.tsx';

/** What the console works with: the operations, what its streams need, and how people sign in. */
export type ConsoleDeps = OperatorDeps & LiveDeps & { waysIn: WaysIn; sealer: Sealer };

const MENU = PAGES.flatMap(({ path, menu: label }) => (label === undefined ? [] : [{ path, label }]));

/**
 * The console's own pages; mount them behind the sign-in, at `/admin`. Every page is a GET that needs no script, every action a form
 * that is answered by a redirect to where it was sent from, or by what it made that is shown once (rule O1).
 */
export function consoleRoutes(deps: ConsoleDeps): Router {
  const router = Router();
  router.get('/live', liveRoute(deps));
  router.use(listRoutes(deps, PAGES, (request, page) => pageCall(deps, asked(deps, request), page)));
  for (const page of PAGES) router.get(page.path === '' ? '/' : page.path, shown(deps, page));
  router.post('/do/{*path}', done(deps));
  router.get(AGAIN_PATH, async (request, response) => {
    const session = sessionOf(deps, request);
    const operator = operatorOf(request);
    const held = await heldFormOf(deps, session);
    send(request, response, signInAgainPage(deps, { operator, session, held, waysIn: deps.waysIn }));
  });
  router.use(() => {
    throw new AppError('NOT_FOUND', 'the console has no such page');
  });
  router.use(refused(deps));
  return router;
}

function shown(deps: ConsoleDeps, page: ConsolePage): RequestHandler {
  return async (request, response) => {
    if (page.role !== undefined) requireRole(operatorOf(request), page.role);
    const call = pageCall(deps, asked(deps, request), page);
    const [{ title, body: shown, to, hasFrame = false }, attention, notice] = await Promise.all([
      page.show(call),
      attentionOf(call),
      noticeOf(deps, call, request.query),
    ]);
    if (to !== undefined) {
      response.redirect(303, to);
      return;
    }
    if (hasFrame) response.set('Content-Security-Policy', FRAMING_POLICY);
    const body = (
      <>
        {shown}
        {page.list && <AsData page={page} query={call.query} />}
      </>
    );
    const live = [...(page.topics ?? []), 'queues'].join(',');
    send(request, response, { title, body, page, live, attention, notice });
  };
}

function asked(deps: OperatorDeps, request: Request): PageAsked {
  const { params, query } = request;
  return { operator: operatorOf(request), session: sessionOf(deps, request), params, query };
}

/** Takes a form: once, by whoever may, and only as it was made for this session. */
function done(deps: ConsoleDeps): RequestHandler {
  return async (request, response) => {
    const path = request.path.slice('/do'.length);
    const form = (await formOf(request)) as SentForm['sent'];
    const { asks, body: sent } = filledForm(form);
    const { token, click = '', back: place = '', phrase } = asks;
    const back = isOwnPage(place) ? place : '/admin';
    const session = sessionOf(deps, request);
    if (!isFormToken(token, session, path, phrase)) {
      deps.security.record('console.cross_site');
      throw new AppError(
        'FORBIDDEN',
        'this form is not of this session any more; go back, load the page anew, and send it again',
      );
    }
    const held = asks.held === undefined ? undefined : await knownHeldForm(deps, { session, path, click });
    const body = held?.body ?? sent;
    if (held === undefined) noteSentForm(request, { page: back, action: `/admin/do${path}`, sent: form });
    assertConfirmed(asks, body);
    const { operation, params } = actionAt(path);
    const operator = operatorOf(request);
    let answer: Json;
    try {
      const by = { operator, path, params, body };
      answer = await perform(deps, operation, { ...by, click: { idempotency_key: click, address: request.ip } });
    } catch (error) {
      if (!(error instanceof SignInTooOld)) throw error;
      await holdForm(deps, session, { path, click, back, phrase, body });
      response.redirect(303, `/admin${AGAIN_PATH}`);
      return;
    }
    if (held !== undefined) await noteHeldFormDone(deps, session, click);
    const once = shownOnce(operation, answer, { baseUrl: deps.baseUrl, back });
    if (once !== undefined) {
      send(request, response, once);
      return;
    }
    const to = new URL(pageOfMade(operation, answer) ?? back, 'http://console');
    to.searchParams.set('done', operation.action ?? '');
    to.searchParams.set('act', actionIdOf(operator, click));
    response.redirect(303, `${to.pathname}${to.search}`);
  };
}

/** The cookie's value. */
function sessionOf({ baseUrl }: OperatorDeps, request: Request): string {
  return sessionFrom(request.get('cookie'), baseUrl.startsWith('https:')) ?? '';
}

/** Of what has just been done, as it is on record, with the way to undo it where there is one: whether it may be is asked when it is. */
async function noticeOf(
  deps: OperatorDeps,
  call: PageCall,
  { done, act }: Request['query'],
): Promise<Markup | undefined> {
  if (typeof done !== 'string' || typeof act !== 'string' || !/^act_[0-9a-f]{32}$/.test(act)) return undefined;
  const deed = await deedOf(deps, act);
  if (deed === undefined) return undefined;
  const { operation, words, isUndo } = deed;
  const opposite = isUndo ? undefined : actionNamed(operation.undo ?? '');
  const undo = opposite && mayAct(call.operator.role, opposite.role) && (
    <ActionForm call={call} operation={undoAction} of={{ action_id: act }} label="Undo" />
  );
  return doneNotice(isUndo ? `Undone. ${words}` : words, call.here, undo);
}

async function formOf(request: Request): Promise<unknown> {
  if (typeof request.is('application/x-www-form-urlencoded') !== 'string') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'send a form');
  }
  return parseForm(await readBody(request, INPUT_LIMITS.consoleFormBytes));
}

interface Sent {
  title: string;
  body: Markup;
  page?: ConsolePage;
  /** What of the page is kept fresh by; absent: it stays as it is. */
  live?: string;
  attention?: Markup;
  notice?: Markup | undefined;
}

function send(request: Request, response: Response, { title, body, page, ...more }: Sent): void {
  const path = page?.path ?? request.path;
  const current = MENU.findLast(({ path: entry }) => path === entry || (entry !== '' && path.startsWith(`${entry}/`)));
  const shell = consoleShell({
    ...{ title, body, ...more, menu: MENU, current: current?.path ?? 'none' },
    operator: operatorOf(request),
  });
  response.type('html').send(shell);
}

/** What is wrong, in the console's frame: with the form to be mended, the code, what to do, and the id by which the log knows of it. */
function refused(deps: ConsoleDeps): ErrorRequestHandler {
  return problemHandler(
    { ...deps, formOf: (request, problem) => refusedForm(deps, request, asked(deps, request), problem) },
    (request, response, page) => {
      send(request, response, page);
    },
  );
}
