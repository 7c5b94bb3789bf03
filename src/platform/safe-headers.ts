/** On every answer: a body is what it says it is, and where a link leads learns of no address here. */
export const SAFE_HEADERS = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' } as const;
