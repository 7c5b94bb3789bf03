import type { Grant } from '../../../src/oauth/grant/grant.ts';

/** What a person allowed an application, long ago, for no organization. */
export const sampleGrant: Grant = {
  ...{ grant_id: 'grant_1', client_id: 'app', redirect_uri: 'http://127.0.0.1/done', code_challenge: 'x' },
  ...{ subject: 'dev_ada', email: 'ada@acme.example', auth_time: 1, resource: 'http://127.0.0.1/a2a' },
  ...{ scopes: ['tasks:read'], organization_id: null, created_at: '2026-04-01T00:00:00.000Z' },
  ...{ code_expires_at: '2026-04-01T00:01:00.000Z', exchanged_at: null, refresh_number: 0, refresh_expires_at: null },
  ...{ revoked_at: null, revoked_because: null, expires_at: '2999-01-01T00:00:00.000Z', revision: 1 },
};
