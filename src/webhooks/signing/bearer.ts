/** The legacy header that shows a token; it protects no byte of the body (rule C.webhook.bearer). */
export function bearerHeader(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}
