import type { BuyerKey, PublishedKeys } from '../../webhooks/buyer/keys.ts';
import { SUCCESS_RANGES } from '../../webhooks/buyer/success.ts';
import type { Success } from '../../webhooks/buyer/success.ts';
import { Pages, Tabs } from '../console/parts/paging.tsx';
import { StepBars } from '../console/parts/step-bars.tsx';
import { Facts, Table } from '../console/parts/table.tsx';
import { Said, State, When } from '../console/parts/words.tsx';
import { PORTAL } from './portal-shell.tsx';
import type { PortalPage } from './portal-shell.tsx';

/** How webhooks end, the good end first. */
const ENDS = ['delivered', 'rejected', 'gone', 'exhausted'] as const;

/** What became of an organization's webhooks, step by step. */
export function portalSuccessPage({ range, step_seconds, most, points }: Success): PortalPage {
  const steps = points.map(({ at, deliveries }) => ({ at, counts: deliveries }));
  const all = (state: 'pending' | 'ended') => points.reduce((sum, { deliveries }) => sum + deliveries[state], 0);
  const isMore = points.some(({ deliveries }) => Object.values(deliveries).some((count) => count >= most));
  const body = (
    <>
      <h1>Success</h1>
      <Tabs
        label="How far back"
        {...{ base: PORTAL, path: '/success', name: 'range', none: 'day' }}
        choices={SUCCESS_RANGES}
        chosen={range}
      />
      <h2>{range === 'day' ? 'The last 24 hours' : 'The last 30 days'}</h2>
      <StepBars what="Webhooks" good="delivered" states={ENDS} steps={steps} stepSeconds={step_seconds} />
      <p>
        {`On their way: ${all('pending')}. Ended with their registration: ${all('ended')}. Each is counted when its event was recorded, as it stands now.`}
      </p>
      {isMore && <p class="quiet">{`Of one state in one step, ${most.toLocaleString('en')} are counted at most.`}</p>}
    </>
  );
  return { title: 'Success', body, menu: '/success' };
}

interface KeyOptions {
  signing: PublishedKeys;
  cursor: string | undefined;
  /** The cursor that this page was asked for by. */
  at: string | undefined;
  now: number;
}

/** Who of an organization's API keys is still at work, and what webhooks are signed with. */
export function portalKeysPage(keys: readonly BuyerKey[], { signing, cursor, at, now }: KeyOptions): PortalPage {
  const body = (
    <>
      <h1>Keys</h1>
      <h2>Your API keys</h2>
      <Table
        caption="Your API keys, newest first"
        rows={keys}
        empty="There are none."
        columns={[
          { heading: 'Name', isWide: true, cell: (key) => <Said>{key.name}</Said> },
          { heading: 'Ends with', cell: (key) => <span class="id">{`…${key.key_hint}`}</span> },
          { heading: 'May', isWide: true, cell: (key) => key.scopes.join(', ') },
          { heading: 'Last used', cell: (key) => <When at={key.last_used_at} now={now} /> },
          { heading: 'Made', cell: (key) => <When at={key.created_at} now={now} /> },
          { heading: 'Expires', cell: (key) => <When at={key.expires_at} now={now} /> },
          { heading: 'State', cell: (key) => <State of={stateOf(key, now)} /> },
        ]}
      />
      <Pages base={PORTAL} path="/keys" query={{ cursor: at }} cursor={cursor} />
      <p class="quiet">An owner of your organization makes and revokes keys. One that nothing uses is best revoked.</p>
      <h2>What webhooks to you are signed with</h2>
      <Table
        caption="Published signing keys"
        rows={signing.keys}
        empty="No key is published yet: the first webhook makes one."
        columns={[
          { heading: 'Key', isWide: true, cell: (key) => <Said>{key.kid}</Said> },
          { heading: 'Algorithm', cell: (key) => key.alg },
          { heading: 'Kind', cell: (key) => `${key.kty} ${key.crv}` },
          { heading: 'Public half (x)', isWide: true, cell: (key) => <Said>{key.x}</Said> },
        ]}
      />
      <h2>Where they are published</h2>
      <Facts
        of={[
          ['Keys', signing.jwks_url],
          ['From the card', signing.brand_url],
          ['Revoked', signing.revocations_url],
          ['Not to be trusted', signing.revoked_kids.length > 0 && <Said>{signing.revoked_kids.join(', ')}</Said>],
        ]}
      />
    </>
  );
  return { title: 'Keys', body, menu: '/keys' };
}

function stateOf({ revoked_at, expires_at }: BuyerKey, now: number): string {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active';
}
