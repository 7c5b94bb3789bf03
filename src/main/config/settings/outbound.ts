import { egressProxy, flag, loopbackPublishers, places } from '../setting-values.ts';
import { setting } from './setting.ts';

/** Where webhooks and look-ups may go, and how. */
export const OUTBOUND_SETTINGS = {
  ALLOW_LOOPBACK: setting(
    flag,
    'true',
    'let webhooks and look-ups go to this machine over http; on for npm start while only this machine reaches it, else off',
  ),
  LOOPBACK_PUBLISHERS: setting(
    loopbackPublishers,
    'news.example=8090,shop.example=8091',
    'publishers of a rehearsal: their adagents.json, ads.txt, brand.json and proofs by file are read from these ports of this machine, by http; only with ALLOW_LOOPBACK',
  ),
  OUTBOUND_ALLOW: setting(
    places,
    '10.20.0.0/16,10.1.2.3:9443,*:9443',
    'where webhooks and look-ups may go by https besides public addresses at ports 443 and 8443: subnets, ports, or both',
  ),
  OUTBOUND_PROXY: setting(
    egressProxy,
    'http://user:password@proxy.publisher.example:3128',
    'the proxy through which https to public addresses goes, asked by CONNECT for addresses that were checked (docs/hardening.md); default: none',
  ),
  OUTBOUND_PROXY_RESOLVES: setting(
    flag,
    'false',
    'ask that proxy for names instead, where only it can look them up; it must refuse private addresses then',
  ),
  KEEP_RECEIVER_ANSWERS: setting(
    flag,
    'true',
    'keep what a receiver said when it last failed a buyer, for 7 days, for operators and that buyer; false: none is kept or shown',
  ),
  ALLOW_LEGACY_BEARER: setting(flag, 'false', 'accept Bearer webhooks for tasks that change something'),
};
