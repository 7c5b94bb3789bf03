import { checkProperties } from './check-properties/route.ts';
import type { Endpoint } from './endpoint.ts';
import { getCheckReport } from './get-check-report/route.ts';
import { lookUpOperator } from './look-up-operator/route.ts';
import { resolveProperties } from './resolve-properties/route.ts';

/** Every endpoint of the registry; routing and OpenAPI follow from this list. */
export const endpoints: readonly Endpoint[] = [checkProperties, getCheckReport, resolveProperties, lookUpOperator];
