import { z } from 'zod';
import { DISCOVERY_LEVELS } from '../../../dialects/adcp/discovery.ts';
import { isRelease, RELEASES } from '../../../dialects/adcp/release.ts';
import type { Release } from '../../../dialects/adcp/release.ts';
import { flag } from '../setting-values.ts';
import { setting } from './setting.ts';

const EXPECTED = `must be names of releases and what is meant by each, such as 3.2-beta.5=3.2, with commas between; there are ${RELEASES.join(', ')}`;

const aliases = z.string().transform((given, context): ReadonlyMap<string, Release> => {
  const read = new Map<string, Release>();
  for (const one of given === 'none' ? [] : given.split(',')) {
    const [name = '', release = '', ...more] = one.trim().split('=');
    const isName = /^\d{1,4}\.\d{1,4}(-[0-9A-Za-z.-]{1,64})?$/.test(name) && !isRelease(name) && !read.has(name);
    if (!isName || !isRelease(release) || more.length > 0) {
      context.addIssue({ code: 'custom', message: EXPECTED });
      return z.NEVER;
    }
    read.set(name, release);
  }
  return read;
});

/** How calls in the public protocol are read. */
export const DIALECT_SETTINGS = {
  ADCP_ALIASES: setting(
    aliases,
    '3.2-beta.5=3.2,3.2-rc.7=3.2',
    'other names for releases of AdCP, for clients that insist on one of their own; none for none',
  ),
  ADCP_MAJOR_ONLY_RELEASE: setting(
    z.enum(RELEASES, `must be one of ${RELEASES.join(', ')}`),
    '3.0',
    'the release in which callers are answered who name the major version alone',
  ),
  ANONYMOUS_DISCOVERY: setting(
    z.enum(DISCOVERY_LEVELS, `must be one of ${DISCOVERY_LEVELS.join(', ')}`),
    'products',
    'what is answered in the public protocol to those without a credential: nothing, get_adcp_capabilities, or products without prices and creative formats, too; with less than products its own badge is not verified',
  ),
  COMPLIANCE_TESTING: setting(
    flag,
    'false',
    'let tests of AdCP force states and delivery in sandbox accounts; only where nothing is ordered from a real ad server',
  ),
  MCP_TASKS: setting(
    z.enum(['public', 'contract'], 'must be public or contract'),
    'public',
    'which tasks /mcp has as tools, and in whose words they are called: those of AdCP, or this agent’s own',
  ),
};
