/** Sizes and lengths that an asset or a slot may be held to; see `AssetRule` and `Dimensions`. */
export interface Measures {
  width?: number | undefined;
  height?: number | undefined;
  min_width?: number | undefined;
  max_width?: number | undefined;
  min_height?: number | undefined;
  aspect_ratio?: string | undefined;
  duration_ms?: number | undefined;
  min_duration_ms?: number | undefined;
  max_duration_ms?: number | undefined;
  min_bitrate_kbps?: number | undefined;
  max_bitrate_kbps?: number | undefined;
}

/** How far a duration may be off, in milliseconds: encoders round to whole frames. */
export const DURATION_TOLERANCE_MS = 500;
/** How far a shape may be off, as a share: sides are whole pixels. */
const ASPECT_TOLERANCE = 0.01;

/** Pairs of which the first may not be above the second, and by how much it may be nevertheless. */
const NOT_ABOVE: readonly (readonly [low: keyof Measures, high: keyof Measures, tolerance?: number])[] = [
  ['min_width', 'width'],
  ['min_width', 'max_width'],
  ['width', 'max_width'],
  ['min_height', 'height'],
  ['min_duration_ms', 'duration_ms', DURATION_TOLERANCE_MS],
  ['min_duration_ms', 'max_duration_ms'],
  ['duration_ms', 'max_duration_ms', DURATION_TOLERANCE_MS],
  ['min_bitrate_kbps', 'max_bitrate_kbps'],
];

/** Where measures exclude each other, so that nothing could be made to them. */
export function contradictions(measures: Measures): { field: keyof Measures; message: string }[] {
  const found = NOT_ABOVE.flatMap(([low, high, tolerance = 0]) => {
    const [least, most] = [measures[low], measures[high]];
    if (typeof least !== 'number' || typeof most !== 'number' || least <= most + tolerance) return [];
    return [{ field: low, message: `is ${least}, above ${high}, which is ${most}; nothing can be both` }];
  });
  const { width, height, aspect_ratio } = measures;
  if (width === undefined || height === undefined || aspect_ratio === undefined) return found;
  if (isOfShape(width, height, aspect_ratio)) return found;
  return [...found, { field: 'aspect_ratio', message: `${width}×${height} is not of the shape ${aspect_ratio}` }];
}

/** Whether the sides have the ratio, such as `16:9`, to within a hundredth. */
export function isOfShape(width: number, height: number, aspect_ratio: string): boolean {
  const [across = 1, down = 1] = aspect_ratio.split(':').map(Number);
  const wanted = across / down;
  return Math.abs(width / height - wanted) <= wanted * ASPECT_TOLERANCE;
}
