/**
 * One spelling for every way to write an agent's URL: scheme and host lower case, A-labels, no default port, no
 * fragment, no trailing slash, dot segments resolved. Undefined for anything but http(s), and for a URL with userinfo.
 */
export function canonicalAgentUrl(text: string): string | undefined {
  if (text.length > 2000 || !URL.canParse(text.trim())) return undefined;
  const url = new URL(text.trim());
  if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '')
    return undefined;
  url.hash = '';
  url.hostname = url.hostname.replace(/\.+$/, '');
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path}${url.search}`;
}
