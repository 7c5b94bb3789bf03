export interface ConsoleBrowser {
  /** Its cookies, by name. */
  jar: Map<string, string>;
  /** Follows nothing by itself. */
  get(url: string): Promise<{ status: number; headers: Headers; text: string; location: string }>;
}

/** A browser of its own, at the console of an agent. */
export function openConsoleBrowser(baseUrl: string): ConsoleBrowser {
  const jar = new Map<string, string>();
  return {
    jar,
    async get(url) {
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(new URL(url, baseUrl), { headers: { cookie }, redirect: 'manual' });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      const { status, headers } = response;
      return { status, headers, text: await response.text(), location: headers.get('location') ?? '' };
    },
  };
}

/** To the identity provider and back: the URL that would sign in. */
export async function oidcWayBack(by: ConsoleBrowser): Promise<string> {
  const away = await by.get('/admin/sign-in/oidc');
  if (away.status !== 303) throw new Error(`the console sends nobody away: ${away.status}`);
  return (await by.get(away.location)).location;
}
