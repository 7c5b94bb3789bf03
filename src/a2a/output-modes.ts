import { AppError, invalidRequest } from '../platform/errors.ts';
import type { Part } from '../runtime/content.ts';

/** The media types that the agent answers in: a text part, and a data part. Its card lists them. */
const OUTPUT_MODES = ['text/plain', 'application/json'] as const;
type OutputMode = (typeof OUTPUT_MODES)[number];

/** Each part of each answer is held against them. */
const MAX_MODES = 100;

/** The parts of an answer that a client takes; all of them where it takes none of these, so that nothing is told by nothing. */
export type PartsTaken = (parts: readonly Part[]) => Part[];

/**
 * What a client says that it takes (`acceptedOutputModes`): media types without their parameters, also by wildcard (`text/*`), and
 * `text` as the examples of 0.3 have it. Undefined: everything, as where it says nothing.
 * @throws {AppError} `UNSUPPORTED_MEDIA_TYPE` where there is nothing among it that the agent answers in; `INVALID_REQUEST`.
 */
export function partsTaken(modes: unknown): PartsTaken | undefined {
  const field = 'configuration.acceptedOutputModes';
  if (modes === undefined) return undefined;
  if (!Array.isArray(modes) || modes.length > MAX_MODES)
    throw invalidRequest(field, `send a list of at most ${MAX_MODES} media types`);
  const taken = modes.map((mode: unknown, i) => {
    if (typeof mode === 'string') return mediaRange(mode);
    throw invalidRequest(`${field}[${i}]`, 'send a media type such as application/json');
  });
  if (taken.length === 0) return undefined;
  const takes = (mediaType: string) => taken.some((range) => isWithin(mediaType, range));
  if (!OUTPUT_MODES.some(takes)) {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `${field}: this agent answers in ${OUTPUT_MODES.join(' and ')}`, {
      field,
      suggestion: `accept ${OUTPUT_MODES.join(' or ')}, or leave it out`,
    });
  }
  return (parts) => {
    const kept = parts.filter((part) => {
      const mediaType = mediaTypeOf(part);
      return mediaType === undefined || takes(mediaType);
    });
    return kept.length === 0 ? [...parts] : kept;
  };
}

function mediaRange(mode: string): string {
  const [range = ''] = mode.split(';', 1);
  const given = range.trim().toLowerCase();
  return given === 'text' ? 'text/plain' : given;
}

function isWithin(mediaType: string, range: string): boolean {
  return range === '*/*' || range === mediaType || range === `${mediaType.split('/', 1)[0]}/*`;
}

/** Undefined for a file that does not say. */
function mediaTypeOf(part: Part): string | undefined {
  if ('text' in part) return 'text/plain' satisfies OutputMode;
  if ('data' in part) return 'application/json' satisfies OutputMode;
  return part.media_type?.split(';', 1)[0]?.trim().toLowerCase();
}
