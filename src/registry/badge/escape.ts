/** Text within HTML, SVG and their attributes. */
export function markupText(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text within the brackets of a Markdown link or image. */
export function markdownText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\[\]()!<>*_`~|#&]/g, (character) => `\\${character}`);
}

/** One segment of a URL's path, with nothing in it that Markdown or markup takes for its own. */
export function pathSegment(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
