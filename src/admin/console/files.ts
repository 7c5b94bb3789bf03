import { createHash } from 'node:crypto';
import { Router } from 'express';
import { SIGN_IN_STYLE } from '../sign-in-style.ts';
import { LIVE_SCRIPT } from './live/live-script.ts';
import { CONSOLE_STYLE } from './style.ts';

/** The mark of the agent in a browser's tabs, as SVG. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#1a56b0"/><path d="M4 12V8h2v4zm3 0V4h2v8zm3 0V6h2v6z" fill="#fff"/></svg>';

/** What pages load besides themselves. A file's address changes with what it says, so that it may be kept for ever. */
const FILES = [
  { path: pathOf('style', 'css', CONSOLE_STYLE), type: 'css', text: CONSOLE_STYLE },
  { path: pathOf('live', 'js', LIVE_SCRIPT), type: 'js', text: LIVE_SCRIPT },
  { path: pathOf('icon', 'svg', ICON), type: 'svg', text: ICON },
  { path: pathOf('sign-in', 'css', SIGN_IN_STYLE), type: 'css', text: SIGN_IN_STYLE },
] as const;

/** Where a page finds them; the paths without `/admin` are for another place that {@link fileRoutes} are mounted at. */
export const STYLE_PATH = FILES[0].path;
export const ICON_PATH = FILES[2].path;
export const STYLE_URL = `/admin${STYLE_PATH}`;
export const SCRIPT_URL = `/admin${FILES[1].path}`;
export const ICON_URL = `/admin${ICON_PATH}`;
export const SIGN_IN_STYLE_URL = `/admin${FILES[3].path}`;

export function fileRoutes(): Router {
  const router = Router();
  for (const { path, type, text } of FILES) {
    router.get(path, (_request, response) => {
      response.set('Cache-Control', 'private, max-age=31536000, immutable').type(type).send(text);
    });
  }
  return router;
}

function pathOf(name: string, type: string, text: string): string {
  return `/${name}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}.${type}`;
}
