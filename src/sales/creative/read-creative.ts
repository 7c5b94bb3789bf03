import { AppError } from '../../platform/errors.ts';
import type { ErrorBody, ErrorCode } from '../../platform/errors.ts';
import { fieldPath, jsonPointer, parseInput } from '../../platform/validation.ts';
import { formatOf } from '../catalog.ts';
import type { Catalog } from '../catalog.ts';
import type { Format } from '../format/format.ts';
import { checkAssets } from './asset-check.ts';
import { CreativeInput } from './creative-input.ts';

export type ReadCreative = { ok: true; creative: CreativeInput; format: Format } | { ok: false; errors: ErrorBody[] };

/**
 * A creative as sent, checked by itself and against its format (rule B11). `at` is its place in the request, such
 * as `['creatives', 3]`. Pure; reports every problem, in bodies as the wire has them (rule B12).
 */
export function readCreative(raw: unknown, at: readonly PropertyKey[], catalog: Catalog): ReadCreative {
  try {
    const creative = parseInput(CreativeInput, raw, at);
    const format = formatOf(catalog, creative.format_id);
    if (format === undefined) return { ok: false, errors: [unknownFormat(creative, at)] };
    const problems = checkAssets(format, creative.assets);
    if (problems.length === 0) return { ok: true, creative, format };
    return {
      ok: false,
      errors: problems.map(({ path, message, suggestion }) => {
        const whole = [...at, 'assets', ...path];
        return problemAt('VALIDATION_ERROR', whole, message, suggestion);
      }),
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ok: false, errors: [error.toBody()] };
  }
}

function unknownFormat({ format_id }: CreativeInput, at: readonly PropertyKey[]): ErrorBody {
  const message = `no format ${format_id.id} of ${format_id.agent_url} is taken here; list_creative_formats lists those that are`;
  return problemAt('FORMAT_NOT_FOUND', [...at, 'format_id'], message);
}

function problemAt(code: ErrorCode, path: readonly PropertyKey[], message: string, suggestion?: string): ErrorBody {
  const field = fieldPath(path);
  return new AppError(code, `${field}: ${message}`, {
    field,
    ...(suggestion !== undefined && { suggestion }),
    issues: [{ pointer: jsonPointer(path), message }],
  }).toBody();
}
