import { z } from 'zod';
import {
  adServerToken,
  adServerUrl,
  commaSeparated,
  flag,
  text,
  url,
  wholeNumber,
  withoutSlash,
} from '../setting-values.ts';
import { setting } from './setting.ts';

/** Where orders go, and how the simulated ad server does them. */
export const AD_SERVER_SETTINGS = {
  SIM_SPEED: setting(
    text(/^\d{1,7}(\.\d{1,3})?$/, 'must be a number of at least 1')
      .transform(Number)
      .refine((speed) => speed >= 1, 'must be a number of at least 1'),
    '1',
    'how many times faster than real time the simulated ad server delivers',
  ),
  SIM_BUDGET_CUT: setting(
    z.enum(['exact', 'after_pause'], 'must be exact or after_pause'),
    'exact',
    'after_pause lets the simulated ad server take budgets below what is spent, and count half an hour late, as real ones do',
  ),
  SIM_AD_UNITS: setting(
    commaSeparated,
    'home-top,home-side',
    'ad units of the simulated ad server, which products then may name; default: none',
  ),
  AD_SERVER: setting(
    z.enum(['simulator', 'http'], 'must be simulator or http'),
    'simulator',
    'the ad server that orders go to: the embedded simulator, or whatever answers the HTTP bridge at AD_SERVER_URL',
  ),
  AD_SERVER_URL: setting(
    adServerUrl,
    'http://127.0.0.1:8070',
    'where that bridge is, what stands before /v1; needs AD_SERVER=http and AD_SERVER_TOKEN',
  ),
  AD_SERVERS_FILE: setting(
    z.string(),
    './ad_servers.json',
    'a file that says the same in place of the two settings above, as JSON, with secrets by name',
  ),
  AD_SERVER_PORT: setting(
    wholeNumber(0, 65535),
    '8070',
    'port of npm run ad-server, the simulated ad server as a process',
  ),
  AD_SERVER_TOKEN: setting(
    adServerToken,
    'at-least-16-random-characters',
    'sent to the ad server at AD_SERVER_URL; also what npm run ad-server asks for, by default one that it makes and prints',
  ),
  AD_SERVER_SIGN: setting(
    flag,
    'false',
    'sign each call to the ad server at AD_SERVER_URL (RFC 9421), with the key that signs all but webhooks',
  ),
  AD_SERVER_RINGS: setting(
    url(['http:', 'https:'], 'an http or https URL').transform(withoutSlash),
    'http://127.0.0.1:8080',
    'the agent that npm run ad-server rings when something happens to an order; default: nobody',
  ),
  AD_SERVER_VERIFY: setting(
    url(['http:', 'https:'], 'an http or https URL'),
    'http://127.0.0.1:8080/.well-known/jwks.json',
    'the keys by which npm run ad-server verifies what calls it; default: the token is enough',
  ),
  CREATIVE_REVIEW_SECONDS: setting(
    wholeNumber(0, 2_592_000),
    '2',
    'how long the simulated review of a creative takes, whatever SIM_SPEED',
  ),
  IMPAIRMENT_WINDOW_SECONDS: setting(
    wholeNumber(0, 300),
    '60',
    'how long news of a general impairment waits for more of the same media buy; at most 300',
  ),
};
