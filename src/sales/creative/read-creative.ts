import type { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import type { ErrorBody, Problem } from '../../platform/errors.ts';
import { fittingParts, inPlace } from '../../platform/fitting-parts.ts';
import { problemsIn, refusalOf, withOthers } from '../../platform/problem.ts';
import { inRequestOrder } from '../../platform/request-order.ts';
import { parseInput } from '../../platform/validation.ts';
import { formatOf } from '../catalog.ts';
import type { Catalog } from '../catalog.ts';
import type { Format } from '../format/format.ts';
import { checkAssets } from './asset-check.ts';
import { CreativeInput } from './creative-input.ts';

export type ReadCreative =
  | { ok: true; creative: CreativeInput; format: Format }
  /** `errors`: the same in bodies as the wire has them; one for all that does not fit the schema, then one each. */
  | { ok: false; problems: Problem[]; errors: ErrorBody[] };

/**
 * A creative as sent, checked by itself and against its format (rule B11). `at` is its place in the request, such
 * as `['creatives', 3]`. Pure; finds every problem: of one that does not fit the schema, also in the parts that do (rule
 * B12.details).
 */
export function readCreative(raw: unknown, at: readonly PropertyKey[], catalog: Catalog): ReadCreative {
  try {
    const creative = parseInput(CreativeInput, raw);
    const format = formatOf(catalog, creative.format_id);
    const problems = contentProblems(creative, catalog);
    if (format !== undefined && problems.length === 0) return { ok: true, creative, format };
    return refused([], placed(problems, raw, at));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const fitting = fittingParts(CreativeParts, raw);
    const content = fitting === undefined ? [] : inPlace(fitting, contentProblems(fitting.parts, catalog));
    const form = problemsIn(error);
    const others = withOthers(form, content).slice(form.length);
    return refused(placed(form, raw, at), placed(others, raw, at));
  }
}

function refused(form: Problem[], others: Problem[]): ReadCreative {
  const told = [...(form.length > 0 ? [form] : []), ...others.map((problem) => [problem])];
  return { ok: false, problems: [...form, ...others], errors: told.map((problems) => refusalOf(problems).toBody()) };
}

/** A creative of which parts may be missing. */
const CreativeParts = CreativeInput.partial();
type CreativeParts = z.infer<typeof CreativeParts>;

/** What its format says against a creative, or against the parts of one. */
function contentProblems({ format_id, assets }: CreativeParts, catalog: Catalog): Problem[] {
  if (format_id === undefined) return [];
  const format = formatOf(catalog, format_id);
  if (format === undefined) return [unknownFormat(format_id)];
  if (assets === undefined) return [];
  return checkAssets(format, assets).map(({ path, ...what }) => ({
    code: 'VALIDATION_ERROR',
    path: ['assets', ...path],
    ...what,
  }));
}

function unknownFormat({ id, agent_url }: CreativeInput['format_id']): Problem {
  const message = `no format ${id} of ${agent_url} is taken here; list_creative_formats lists those that are`;
  return { code: 'FORMAT_NOT_FOUND', path: ['format_id'], message };
}

function placed(problems: readonly Problem[], raw: unknown, at: readonly PropertyKey[]): Problem[] {
  return inRequestOrder(problems, raw).map((problem) => ({ ...problem, path: [...at, ...problem.path] }));
}
