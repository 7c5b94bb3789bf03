/**
 * An id as one segment of a path, percent-encoded. No URL can hold a segment of nothing, of one dot or of two, however it is
 * encoded; such an id, and one that begins with `~`, gets a `~` put before it.
 * @throws {URIError} for half a surrogate pair.
 */
export function segmentOf(id: string): string {
  return encodeURIComponent(MARKED.test(id) ? `~${id}` : id);
}

/** The id that a decoded segment stands for; see {@link segmentOf}. */
export function idOfSegment(segment: string): string {
  return segment.startsWith('~') ? segment.slice(1) : segment;
}

const MARKED = /^(~.*|\.{0,2})$/s;
