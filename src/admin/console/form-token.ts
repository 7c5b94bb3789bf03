import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * What proves that a form was made for this session and this very action: a page of another origin has neither. Changes with each
 * sign-in.
 * @param session the cookie's value.
 * @param path of the action, with its parameters in it.
 * @param phrase what is to be typed before it is done: a form that asks for it is none that does not.
 */
export function formToken(session: string, path: string, phrase = ''): string {
  return createHmac('sha256', session)
    .update(`form ${path}${phrase && ` ${phrase}`}`)
    .digest('hex')
    .slice(0, 40);
}

/** Compared in a time that says nothing. */
export function isFormToken(given: unknown, session: string, path: string, phrase?: string): boolean {
  const wanted = Buffer.from(formToken(session, path, phrase));
  const sent = Buffer.from(typeof given === 'string' ? given : '');
  return sent.length === wanted.length && timingSafeEqual(sent, wanted);
}
