import { keepIdentity } from '../../directory/brand/keep-identity.ts';
import type { BrandIdentity } from '../../directory/brand/registry-brand.ts';
import type { EndpointCall } from '../endpoint.ts';
import type { BrandFiles } from './look.ts';
import { resolveBrandOf } from './resolve.ts';
import type { FoundBrand, Resolution } from './resolve.ts';
import type { BrandProblem, ResolvedBrand } from './schema.ts';

/** Names of one brand by which it is found. */
const MOST_NAMES = 20;

/** An answer of one domain, with its status where it stands alone. */
export type BrandAnswer = { status: 200; body: ResolvedBrand } | { status: 404 | 502 | 504; body: BrandProblem };

/** Resolves a domain and notes whom it is, for lists and searches. @throws {AppError} `RATE_LIMITED`. */
export async function askForBrand(
  { store, clock }: Pick<EndpointCall, 'store' | 'clock'>,
  files: BrandFiles,
  domain: string,
): Promise<BrandAnswer> {
  const nowMs = clock.now();
  const resolution = await resolveBrandOf(files, domain, nowMs);
  const file = await files(domain);
  if (resolution.kind !== 'brand')
    return problemOf(domain, resolution, file.kind === 'read' ? file.row.looked_at : file.looked_at);
  if (file.kind !== 'read') throw new Error(`${domain} was resolved from no file`);
  const { row, chain } = file;
  const { warnings, ...shown } = resolution.brand;
  await keepIdentity({ store, nowMs }, row, identityOf(resolution.brand));
  return {
    status: 200,
    body: {
      ...{ ...shown, source: 'brand_json', source_url: chain.at(-1)?.url ?? '' },
      ...{ seen_at: row.file?.seen_at ?? row.looked_at, fresh_until: row.due_at, is_stale: row.outcome === 'failed' },
      ...(warnings.length > 0 && { warnings }),
    },
  };
}

/** What is told of a domain without a brand: 404 only where there is none for sure. */
export function problemOf(
  domain: string,
  problem: Exclude<Resolution, { kind: 'brand' }>,
  looked_at: string,
): Exclude<BrandAnswer, { status: 200 }> {
  if (problem.kind === 'absent') {
    const { status: file_status } = problem;
    const error =
      file_status === 200
        ? 'this domain answers for brand.json with something that is no json'
        : 'this domain has no brand.json';
    return { status: 404, body: { error, code: 'NOT_FOUND', domain, file_status, looked_at } };
  }
  const { code, reason, status: file_status } = problem;
  const body = { error: `the brand of this domain is not known: ${reason}`, code, domain, looked_at };
  return {
    status: code === 'TIMEOUT' ? 504 : 502,
    body: { ...body, ...(file_status !== undefined && { file_status }) },
  };
}

function identityOf(brand: FoundBrand): BrandIdentity {
  const { canonical_domain, brand_name, names = [], relationship_trust, brand_manifest } = brand;
  const { keller_type, parent_brand, house_domain, brand_agent_url } = brand;
  const all = new Set([brand_name, ...names.flatMap((name) => Object.values(name))]);
  return {
    ...{ canonical_domain, brand_name, names: [...all].slice(0, MOST_NAMES), relationship_trust },
    has_manifest: brand_manifest !== undefined,
    ...(keller_type !== undefined && { keller_type }),
    ...(parent_brand !== undefined && { parent_brand }),
    ...(house_domain !== undefined && { house_domain }),
    ...(brand_agent_url !== undefined && { brand_agent_url }),
  };
}
