import { createHash, randomBytes } from 'node:crypto';
import { allowInBrowser } from '../../oauth/support/browser.ts';
import type { Person } from '../../oauth/support/browser.ts';
import type { TestAgent } from './test-agent.ts';

/** A native application that the agents of these journeys know. */
export const APP = { client_id: 'app', client_name: 'App', redirect_uris: ['http://127.0.0.1/done'] };

/** Somebody who can sign in at an agent. */
export function person(email: string): Person {
  return { email, password: 'a-password-for-tests' };
}

/** What an agent is started with so that these people can sign in. */
export function loginEnv(persons: readonly Person[]): Record<string, string> {
  return {
    DEV_ACCOUNTS: persons.map(({ email, password }) => `${email}:${password}`).join(','),
    OAUTH_CLIENTS: JSON.stringify([APP]),
    OAUTH_REGISTRATION: 'true',
    TRUST_PROXY: '1',
  };
}

export interface TokenRequest {
  path: '/api' | '/a2a' | '/mcp';
  scope?: string;
  organization_id?: string;
}

/** An access token, by the whole code flow. */
export async function accessToken(agent: TestAgent, who: Person, request: TokenRequest): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const redirect_uri = 'http://127.0.0.1:4711/done';
  const resource = agent.baseUrl + request.path;
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: APP.client_id, redirect_uri, resource },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(request.scope !== undefined && { scope: request.scope }),
  });
  const { organization_id } = request;
  const choice: Record<string, string> = organization_id === undefined ? {} : { organization_id };
  const url = `${agent.baseUrl}/oauth/authorize?${query.toString()}`;
  const answer = await allowInBrowser(url, who, { choice });
  const code = answer.searchParams.get('code') ?? '';
  const form = {
    grant_type: 'authorization_code',
    client_id: APP.client_id,
    redirect_uri,
    code,
    code_verifier: verifier,
  };
  const response = await fetch(`${agent.baseUrl}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token } = (await response.json()) as { access_token?: string };
  if (access_token === undefined) throw new Error(`no token: ${answer.href}`);
  return access_token;
}

/** Calls the registry as a user. */
export async function callAsUser(agent: TestAgent, token: string, path: string, body?: unknown) {
  const response = await fetch(agent.baseUrl + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}
