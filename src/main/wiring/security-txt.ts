import { Router } from 'express';
import { toTimestamp } from '../../platform/clock.ts';
import type { Core } from './compose.ts';

/** How long an answer may be believed; less than a year, as RFC 9116 asks. */
const GOOD_FOR_MS = 180 * 86_400_000;
const DAY_MS = 86_400_000;

/** Where whoever finds a weakness of this installation is to write to (RFC 9116); 404 without `SECURITY_CONTACT`. */
export function securityTxt({ config, baseUrl, clock }: Pick<Core, 'config' | 'baseUrl' | 'clock'>): Router {
  const router = Router();
  const { securityContact } = config;
  if (securityContact === undefined) return router;
  const path = '/.well-known/security.txt';
  router.get(path, (_request, response) => {
    // By the day, so that copies of one day are the same.
    const expires = toTimestamp(Math.floor(clock.now() / DAY_MS) * DAY_MS + GOOD_FOR_MS);
    const lines = [`Contact: ${securityContact}`, `Expires: ${expires}`, `Canonical: ${baseUrl}${path}`];
    response
      .set('Cache-Control', 'public, max-age=86400')
      .type('text/plain')
      .send(`${lines.join('\n')}\n`);
  });
  return router;
}
