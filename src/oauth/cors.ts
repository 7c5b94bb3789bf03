import type { RequestHandler } from 'express';

/** CORS for what applications in browsers call: nothing there looks at a cookie. */
export const openToAllOrigins: RequestHandler = (req, res, next) => {
  res.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'Retry-After, WWW-Authenticate, X-Request-Id',
  });
  if (req.method !== 'OPTIONS') {
    next();
    return;
  }
  res.set({
    'Access-Control-Allow-Methods': 'GET, HEAD, POST',
    'Access-Control-Allow-Headers': 'Content-Type, MCP-Protocol-Version',
    'Access-Control-Max-Age': '86400',
  });
  res.status(204).end();
};
