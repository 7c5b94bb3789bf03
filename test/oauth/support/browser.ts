import { randomBytes } from 'node:crypto';

/** A person's browser, as far as the authorization server can tell: cookies, forms, and redirects it does not follow by itself. */
export interface Browser {
  cookies: Map<string, string>;
  open(url: string): Promise<Page>;
  /** Sends the form of a page as its button of this value would, with these fields filled in. */
  submit(page: Page, fields: Record<string, string>): Promise<Page>;
}

export interface Page {
  status: number;
  headers: Headers;
  html: string;
  /** Where a redirect leads. */
  location: URL | undefined;
  url: string;
}

/** @param address where it seems to be, so that tests share no limit unless they choose one. */
export function openBrowser(address = freshAddress()): Browser {
  const cookies = new Map<string, string>();
  async function visit(url: string, init: RequestInit = {}): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'x-forwarded-for': address, ...(cookie !== '' && { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: location === null ? undefined : new URL(location, url),
      url,
    };
  }
  return {
    cookies,
    open: visit,
    submit(page, fields) {
      const { action, hidden } = formOf(page.html);
      return visit(new URL(action, page.url).href, {
        method: 'POST',
        body: new URLSearchParams({ ...hidden, ...fields }),
      });
    },
  };
}

function formOf(html: string): { action: string; hidden: Record<string, string> } {
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1];
  if (action === undefined) throw new Error(`there is no form on this page: ${html}`);
  const hidden = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]+)"/g);
  return {
    action,
    hidden: Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value])),
  };
}

export interface Person {
  email: string;
  password: string;
}

/** Takes a person through sign-in and consent to where the answer goes. */
export async function allowInBrowser(
  url: string | URL,
  person: Person,
  { browser = openBrowser(), choice = {} }: { browser?: Browser; choice?: Record<string, string> } = {},
): Promise<URL> {
  let page = await browser.open(String(url));
  if (page.html.includes('type="password"')) {
    const signedIn = await browser.submit(page, { email: person.email, password: person.password });
    if (signedIn.location === undefined) throw new Error(`sign-in failed: ${signedIn.html}`);
    page = await browser.open(signedIn.location.href);
  }
  if (page.location !== undefined) return page.location;
  const answered = await browser.submit(page, { decision: 'allow', ...chosenOrganization(page.html), ...choice });
  if (answered.location === undefined) throw new Error(`there was no answer: ${answered.html}`);
  return answered.location;
}

/** The first organization that a page offers, as its form would send it. */
function chosenOrganization(html: string): Record<string, string> {
  const organization_id = /<option value="([^"]+)"/.exec(html)?.[1];
  return organization_id === undefined ? {} : { organization_id };
}

/** A random address. */
export function freshAddress(): string {
  return `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`;
}
