import { z } from 'zod';
import { AppError } from '../../../platform/errors.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { endSessionById, endSessions, listSessions, SessionView } from '../../session.ts';
import { Id, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';

export const listConsoleSessions = operation({
  method: 'get',
  path: '/sessions',
  summary: 'List who is signed in to the console, since when and from where, newest first.',
  role: 'viewer',
  query: z.strictObject({ person_id: Id.optional(), ...pageQuery }),
  answer: z.object({ sessions: z.array(SessionView), ...pageView }),
  async handle({ query: { person_id, limit, cursor } }, call) {
    const page = await listSessions(call, { person_id, limit, after: cursor });
    return { sessions: page.rows, ...pageEnd(page.cursor) };
  },
});

export const endOneSession = operation({
  method: 'post',
  path: '/sessions/:session_id/end',
  summary: 'End a session of the console, on every server at once.',
  role: 'admin',
  action: 'sessions.end',
  done: () => 'The session has ended.',
  decides: 'console.sessions_ended',
  params: z.strictObject({ session_id: Id }),
  answer: z.object({ session_id: z.string() }),
  async handle({ params: { session_id } }, call) {
    await endSessionById(call, session_id);
    return { session_id };
  },
});

/** For whoever left a browser somewhere: what they do it with goes on. */
export const endOwnSessions = operation({
  method: 'post',
  path: '/me/sessions/end',
  summary: 'End all sessions of the console that are your own, but for the one it is done in.',
  role: 'viewer',
  action: 'me.end_sessions',
  done: ({ sessions_ended }) => `Sessions that were ended: ${sessions_ended}.`,
  decides: 'console.sessions_ended',
  concerns: ({ sessions_ended }) => ({ reason: `${sessions_ended} of their own ended` }),
  answer: z.object({ sessions_ended: z.int() }),
  async handle(_input, call) {
    const { person_id, credential } = call.operator;
    if (person_id === null) {
      throw new AppError('INVALID_STATE', 'only a person has sessions of their own, and the shared key is nobody', {
        suggestion: 'sign in as yourself; an admin ends the sessions of the shared key one by one',
      });
    }
    const kept = credential.kind === 'session' ? credential.id : undefined;
    return { sessions_ended: await endSessions(call, person_id, { kept }) };
  },
});

export const endAllSessions = operation({
  method: 'post',
  path: '/sessions/end',
  summary: 'End all sessions of the console, or all of one person, on every server at once.',
  role: 'admin',
  action: 'sessions.end_all',
  done: ({ sessions_ended }) => `Sessions that were ended: ${sessions_ended}.`,
  decides: 'console.sessions_ended',
  concerns: ({ sessions_ended }, { body: { person_id } }) => ({
    target: person_id ?? 'everybody',
    reason: `${sessions_ended} ended`,
  }),
  body: z.strictObject({ person_id: Id.optional() }),
  answer: z.object({ sessions_ended: z.int() }),
  async handle({ body: { person_id } }, call) {
    return { sessions_ended: await endSessions(call, person_id) };
  },
});
