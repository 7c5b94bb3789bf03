import { normalizeHost } from '../../directory/domain/normalize-domain.ts';

/**
 * The manager that a publisher's `ads.txt` names by `MANAGERDOMAIN=` (ads.txt 1.1): the last such line counts, one with `#noagents`
 * behind it does not, nor one for a country alone (`=manager.example,US`), nor a comment. Undefined where none does.
 */
export function managerDomainIn(adsTxt: string, publisherDomain: string): string | undefined {
  let manager: string | undefined;
  for (const line of adsTxt.replace(/^\ufeff/, '').split(/\r?\n|\r/)) {
    const hash = line.indexOf('#');
    const [said, comment] = hash === -1 ? [line, ''] : [line.slice(0, hash), line.slice(hash + 1)];
    const equals = said.indexOf('=');
    if (equals === -1 || said.slice(0, equals).trim().toLowerCase() !== 'managerdomain') continue;
    const value = said.slice(equals + 1).trim();
    if (!HOST.test(value) || /\bnoagents\b/i.test(comment)) continue;
    manager = normalizeHost(value.toLowerCase()) ?? manager;
  }
  return manager === publisherDomain ? undefined : manager;
}

const HOST = /^[a-z0-9][a-z0-9.-]{0,252}$/i;
