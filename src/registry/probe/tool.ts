import { z } from 'zod';

/** A task that an agent says it answers. */
export interface Tool {
  name: string;
  description: string;
}

/** Tools considered of one agent. */
export const MAX_TOOLS = 500;

/** Text of an agent's own, cut to a bound and cleared of control characters: it is shown, never trusted. */
export function shownText(most: number) {
  return z
    .string()
    .catch('')
    .transform((text) => Array.from(cleared(text, most)).slice(0, most).join(''));
}

/** A character is two units at most: what stands behind that many is not taken apart. */
function cleared(text: string, most: number): string {
  return text
    .replace(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
    .slice(0, 2 * most);
}

export const ToolName = shownText(200);
export const ToolDescription = shownText(2000);
