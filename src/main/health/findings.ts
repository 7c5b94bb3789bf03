import { statfs } from 'node:fs/promises';
import type { InstallationFinding } from '../../admin/operator/doctor/installation.ts';
import { fromTimestamp } from '../../platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../platform/hours.ts';
import { HEARD_WITHIN_MS } from '../../platform/queue/worker-beats.ts';
import { lastBackup } from '../../platform/store/backup/backup-mark.ts';
import { keptAnswer } from '../../platform/kept-answer.ts';
import { within } from '../../platform/within.ts';
import type { Core } from '../wiring/compose.ts';
import { ok, warning, wrong } from './finding.ts';
import { findingsAtPublicAddress } from './public-address.ts';

/** Clocks that differ by more are wrong, in milliseconds. */
const SKEW_MS = 2_000;
/** A disk with less of it free is nearly full. */
const LEAST_FREE = 0.1;
/** A key that signs for longer should have been replaced, in milliseconds. */
const KEY_OLD_MS = 100 * DAY_MS;
/** A backup should be no older, in milliseconds. */
const BACKUP_OLD_MS = 26 * HOUR_MS;
/** How long one look may take, in milliseconds. */
const LOOK_WITHIN_MS = 6_000;

/** What is found by a look outward is told for so long, in milliseconds: it costs others, too. */
const OUTSIDE_KEPT_MS = 60_000;

/** One look at the installation; some find several things. */
type Look = (core: Core) => Promise<readonly InstallationFinding[]> | readonly InstallationFinding[];

/** Looks that take a moment: what they find keeps nobody away, and `/readyz` tells of it. */
const QUICK: Readonly<Record<string, Look>> = {
  async queues({ queues }) {
    const paused = (await queues.pauses.list()).filter(({ is_paused }) => is_paused);
    if (paused.length === 0) return [ok('queues', 'none is paused')];
    return paused.map(({ queue }) => warning(`queue ${queue}`, 'paused', `npm run agent -- queues resume ${queue}`));
  },
  async clock({ queues }) {
    const aheadMs = await queues.clockAheadMs();
    const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
    if (Math.abs(aheadMs) <= SKEW_MS) return [ok('clock', `within ${seconds} s of that of Redis`)];
    const found = `${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} that of Redis`;
    return [
      warning('clock', found, 'let both machines ask a time server: receivers refuse what is signed at a wrong time'),
    ];
  },
  async disk({ config: { dataDir, mongodbUrl } }) {
    if (mongodbUrl !== undefined) return [];
    const { bavail, blocks } = await statfs(dataDir);
    const free = blocks === 0 ? 1 : bavail / blocks;
    const found = `${Math.floor(free * 100)} % free where DATA_DIR is`;
    return [
      free >= LEAST_FREE ? ok('disk', found) : warning('disk', found, 'make room: a full disk stops every write'),
    ];
  },
  async workers({ queues, openedAtMs }) {
    const count = await queues.beats.count();
    if (count > 0) return [ok('workers', `${count} at work`)];
    if (performance.now() - openedAtMs < HEARD_WITHIN_MS)
      return [ok('workers', 'none yet; this process has just started')];
    const found = `none has been heard of for ${HEARD_WITHIN_MS / 1000} s`;
    return [warning('workers', found, 'start one: npm run worker; what is asked for waits until then')];
  },
};

const THOROUGH = {
  async store({ store, inUse }) {
    await store.ping();
    return [ok('store', inUse.store)];
  },
  async redis({ queues, inUse, config: { redisUrl } }) {
    const { version, maxmemory_policy, is_appending } = await queues.facts();
    const found = [ok('redis', `${inUse.queue}, version ${version ?? 'unknown'}`)];
    if (version !== undefined && Number.parseInt(version) < 6)
      found.push(wrong('redis', `version ${version}`, 'Redis 6.2 or newer is needed'));
    if (maxmemory_policy !== undefined && maxmemory_policy !== 'noeviction')
      found.push(
        wrong(
          'redis',
          `maxmemory-policy is ${maxmemory_policy}`,
          'set it to noeviction: queues lose jobs, and wait to be rebuilt',
        ),
      );
    if (redisUrl !== undefined && is_appending === false)
      found.push(
        warning('redis', 'it keeps nothing when it ends', 'appendonly yes: without it every restart is a rebuild'),
      );
    return found;
  },
  async ad_server({ sales }) {
    return (await sales.orders.states()).map(({ id, state, orders_waiting }) =>
      state === 'closed'
        ? ok(`ad server ${id}`, `answers; ${orders_waiting} orders wait`)
        : wrong(
            `ad server ${id}`,
            `does not answer; ${orders_waiting} orders wait`,
            'npm run agent -- orders list; docs/runbooks.md#adservererrors',
          ),
    );
  },
  async keys({ webhooks, clock }) {
    const signing = (await webhooks.keys.list()).filter(({ part }) => part === 'signing');
    if (signing.length === 0) return [wrong('signing keys', 'none signs', 'npm run agent -- keys rotate')];
    return signing.map(({ kid, signs_from }) => {
      const days = Math.floor((clock.now() - fromTimestamp(signs_from)) / DAY_MS);
      const found = `${kid} has signed for ${days} days`;
      return days * DAY_MS < KEY_OLD_MS
        ? ok('signing keys', found)
        : warning('signing keys', found, 'npm run agent -- keys rotate');
    });
  },
  async backup({ store, clock }) {
    const last = await lastBackup(store);
    if (last === undefined)
      return [warning('backup', 'none was ever made', 'npm run agent -- backup --to FILE, each day (docs/backup.md)')];
    const ageMs = clock.now() - fromTimestamp(last.made_at);
    const found = `the last is ${Math.floor(ageMs / HOUR_MS)} hours old`;
    return [
      ageMs <= BACKUP_OLD_MS
        ? ok('backup', found)
        : warning('backup', found, 'npm run agent -- backup --to FILE, each day (docs/backup.md)'),
    ];
  },
  address({ config: { isLocal, publicUrl, trustProxy, host } }) {
    if (isLocal) return [ok('address', 'only this machine reaches it')];
    const found: InstallationFinding[] = [];
    if (publicUrl === undefined)
      found.push(wrong('address', 'PUBLIC_URL is not set', 'set it to what buyers call this agent by, with https:'));
    else if (!publicUrl.startsWith('https:'))
      found.push(
        wrong('address', 'PUBLIC_URL is not https', 'put TLS in front (docs/hardening.md): keys travel in the open'),
      );
    else found.push(ok('address', publicUrl));
    if (trustProxy === false && host !== '127.0.0.1')
      found.push(
        warning(
          'address',
          'TRUST_PROXY is not set',
          'set it to the number of proxies in front: else all callers are one address',
        ),
      );
    return found;
  },
  public_address({ config: { isLocal, publicUrl }, operatorOutbound, clock }) {
    if (isLocal || publicUrl === undefined) return [];
    return findingsAtPublicAddress({ publicUrl, outbound: operatorOutbound, now: clock.now() });
  },
  settings({ config }) {
    const { isLocal, approvalOver, metricsPort, securityContact, secretKey, mongodbUrl, hasDemoBuyer } = config;
    const found: InstallationFinding[] = [];
    const advise = (isMissing: boolean, part: string, what: string, advice: string) => {
      if (isMissing) found.push(warning(part, what, advice));
    };
    advise(
      approvalOver.size === 0,
      'approvals',
      'no media buy waits for a person',
      'APPROVAL_OVER=USD:50000, if some should',
    );
    advise(
      !isLocal && metricsPort === undefined,
      'metrics',
      'METRICS_PORT is not set',
      'set it, and have Prometheus ask (docs/metrics.md)',
    );
    advise(
      !isLocal && securityContact === undefined,
      'contact',
      'SECURITY_CONTACT is not set',
      'set whom to write to who finds a weakness',
    );
    advise(!isLocal && hasDemoBuyer, 'demo', 'there is a demo buyer', 'start it by npm run server and npm run worker');
    const isOwn = secretKey !== undefined;
    found.push(
      ok('secret', isOwn ? 'SECRET_KEY' : mongodbUrl === undefined ? 'a file beside the store' : 'in the store'),
    );
    return found;
  },
} satisfies Record<string, Look>;

/** Finds all there is to find, as often as it is asked. A look that fails is a finding, too. */
export function examinerOf(core: Core): () => Promise<InstallationFinding[]> {
  const public_address = keptAnswer(core.clock, OUTSIDE_KEPT_MS, async () => THOROUGH.public_address(core));
  const looks = Object.entries<Look>({ ...THOROUGH, public_address, ...QUICK });
  return async () => (await Promise.all(looks.map(([name, look]) => looked(core, name, look)))).flat();
}

/** What is worse than it should be and keeps nobody away, for `/readyz`. */
export async function degradedIn(core: Core): Promise<{ part: string; why: string }[]> {
  const found = await Promise.all(Object.entries(QUICK).map(([name, look]) => looked(core, name, look)));
  return found.flat().flatMap(({ part, level, found: why }) => (level === 'ok' ? [] : [{ part, why }]));
}

async function looked(core: Core, name: string, look: Look): Promise<readonly InstallationFinding[]> {
  const failed = (why: string) => [wrong(name, why, 'see the log of this process, and docs/runbooks.md#agentnotready')];
  try {
    return await within(LOOK_WITHIN_MS, Promise.resolve(look(core)), () => failed('it does not answer'));
  } catch (error) {
    return failed(error instanceof Error ? error.message : 'it failed');
  }
}
