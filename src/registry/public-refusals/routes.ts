import type { Endpoint } from '../endpoint.ts';
import { refusal } from './refusal.ts';
import type { WhyNot } from './refusal.ts';

const NO_POLICIES: WhyNot = {
  error: 'this registry keeps no governance policies: it knows neither this one nor any other',
  suggestion: 'ask the registry of the protocol itself for policies',
};
const NO_BRANDS: WhyNot = {
  error: "this registry keeps no brands of others' making: it tells what a domain's own brand.json says",
  suggestion: 'publish it at /.well-known/brand.json of the domain; /api/brands/resolve?fresh=true reads it anew',
};
const NO_ENRICHMENT: WhyNot = {
  error: "this registry fills in no brands from others' data: it tells what their owners publish",
  suggestion: "read the brand's own brand.json",
};
const NO_MANIFESTS: WhyNot = {
  error: 'this registry keeps no references to manifests that others have told of a domain',
  suggestion: 'read https://DOMAIN/.well-known/brand.json, or look the domain up under /api/registry/operator',
};
const NO_STORYBOARDS: WhyNot = {
  error: "this registry runs no storyboards, and so knows nothing of an agent's compliance with them",
  suggestion:
    'ask for what it checks itself: /api/registry/agents/{encodedUrl}/checks, and …/badge/{role}/verification.json for a signed statement',
};

/** By id, what a method and a path of the public registry are refused for, and with what words. */
const REFUSED: readonly { id: string; method: 'get' | 'post'; path: string; summary: string; why: WhyNot }[] = [
  {
    id: 'listPolicies',
    method: 'get',
    path: '/api/policies/registry',
    summary: 'no policies are kept to be listed',
    why: NO_POLICIES,
  },
  {
    id: 'resolvePolicy',
    method: 'get',
    path: '/api/policies/resolve',
    summary: 'no policies are kept to be resolved',
    why: NO_POLICIES,
  },
  {
    id: 'resolvePoliciesBulk',
    method: 'post',
    path: '/api/policies/resolve/bulk',
    summary: 'no policies are kept, many or one',
    why: NO_POLICIES,
  },
  {
    id: 'getPolicyHistory',
    method: 'get',
    path: '/api/policies/history',
    summary: 'no policies are kept, so none has a history',
    why: NO_POLICIES,
  },
  {
    id: 'savePolicy',
    method: 'post',
    path: '/api/policies/save',
    summary: 'no policies can be kept here',
    why: NO_POLICIES,
  },
  { id: 'saveBrand', method: 'post', path: '/api/brands/save', summary: 'no brands can be kept here', why: NO_BRANDS },
  {
    id: 'enrichBrand',
    method: 'get',
    path: '/api/brands/enrich',
    summary: "brands are not filled in from others' data",
    why: NO_ENRICHMENT,
  },
  {
    id: 'lookUpManifestRef',
    method: 'get',
    path: '/api/manifest-refs/lookup',
    summary: 'no references to manifests are kept',
    why: NO_MANIFESTS,
  },
  {
    id: 'getAgentCompliance',
    method: 'get',
    path: '/api/registry/agents/{encodedUrl}/compliance',
    summary: 'no storyboards are run',
    why: NO_STORYBOARDS,
  },
  {
    id: 'getStoryboardStatus',
    method: 'get',
    path: '/api/registry/agents/{encodedUrl}/storyboard-status',
    summary: 'none is run',
    why: NO_STORYBOARDS,
  },
  {
    id: 'getStoryboardStatusBulk',
    method: 'post',
    path: '/api/registry/agents/storyboard-status',
    summary: 'none is run of any agent',
    why: NO_STORYBOARDS,
  },
];

/** What clients of the public registry ask for and this one does not do, each with the reason (rule R16.refused). */
export const publicRefusals: readonly Endpoint[] = REFUSED.map(({ why, summary, ...of }) =>
  refusal({ ...of, tag: 'Public registry', summary: `Refused: ${summary}` }, why),
);
