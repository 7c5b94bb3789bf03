/** A cookie that keeps a session. */
export interface SessionCookie {
  name: string;
  path: string;
  /** Sent over TLS alone. */
  isSecure: boolean;
  /** How long the browser keeps it, in milliseconds. */
  lifeMs: number;
}

/** The `Set-Cookie` value that keeps a session, or with undefined drops it. Scripts cannot read it, and no other site's form sends it. */
export function setCookieText({ name, path, isSecure, lifeMs }: SessionCookie, session: string | undefined): string {
  const life = session === undefined ? 0 : lifeMs / 1000;
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${session ?? ''}; Path=${path}; Max-Age=${life}; HttpOnly; SameSite=Lax${secure}`;
}

/** A cookie's value in a request's `Cookie` header (RFC 6265). */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  return header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
