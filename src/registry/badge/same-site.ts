import { registrableDomain } from '../../directory/domain/normalize-domain.ts';

/** Whether a URL is on an agent's own site: its host, or one of the same registrable domain. False for what is no URL. */
export function isOnSite(url: string, agentUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const [host, own] = [new URL(url).hostname, new URL(agentUrl).hostname];
  if (host === own) return true;
  const site = registrableDomain(own);
  return site !== null && registrableDomain(host) === site;
}
