import { refusal } from './refusal.ts';

const NO_POLICIES = {
  error: 'this registry keeps no governance policies: it knows neither this one nor any other',
  suggestion: 'ask the registry of the protocol itself for policies',
};
const policies = { tag: 'Public registry' } as const;

/** Rule R16.refused. */
export const listPolicies = refusal(
  {
    ...policies,
    id: 'listPolicies',
    method: 'get',
    path: '/api/policies/registry',
    summary: 'Refused: no policies are kept to be listed',
  },
  NO_POLICIES,
);

export const resolvePolicy = refusal(
  {
    ...policies,
    id: 'resolvePolicy',
    method: 'get',
    path: '/api/policies/resolve',
    summary: 'Refused: no policies are kept to be resolved',
  },
  NO_POLICIES,
);

export const resolvePoliciesBulk = refusal(
  {
    ...policies,
    id: 'resolvePoliciesBulk',
    method: 'post',
    path: '/api/policies/resolve/bulk',
    summary: 'Refused: no policies are kept to be resolved in bulk',
  },
  NO_POLICIES,
);

export const getPolicyHistory = refusal(
  {
    ...policies,
    id: 'getPolicyHistory',
    method: 'get',
    path: '/api/policies/history',
    summary: 'Refused: no policies are kept, so none has a history',
  },
  NO_POLICIES,
);

export const savePolicy = refusal(
  {
    ...policies,
    id: 'savePolicy',
    method: 'post',
    path: '/api/policies/save',
    summary: 'Refused: no policies can be kept here',
  },
  NO_POLICIES,
);

export const enrichBrand = refusal(
  {
    ...policies,
    id: 'enrichBrand',
    method: 'get',
    path: '/api/brands/enrich',
    summary: "Refused: brands are not filled in from others' data",
  },
  {
    error: "this registry fills in no brands from others' data: it tells what their owners publish",
    suggestion: "read the brand's own brand.json",
  },
);

export const lookUpManifestRef = refusal(
  {
    ...policies,
    id: 'lookUpManifestRef',
    method: 'get',
    path: '/api/manifest-refs/lookup',
    summary: 'Refused: no references to manifests are kept',
  },
  {
    error: 'this registry keeps no references to manifests that others have told of a domain',
    suggestion: 'read https://DOMAIN/.well-known/brand.json, or look the domain up under /api/registry/operator',
  },
);
