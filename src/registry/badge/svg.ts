import type { BadgeStep } from '../../directory/badge/badge.ts';
import { markupText } from './escape.ts';

const FONT = 'Verdana,Geneva,DejaVu Sans,sans-serif';
const GREEN = '#2e7d32';
const GREY = '#6b7280';
const BLUE = '#1f5f99';

/** What a picture is of: the step of a badge; `none`: there is no badge. */
type Shown = BadgeStep | 'none';

/** What a badge says, and by which colour. */
const SAYS: Record<Shown, { words: string; colour: string }> = {
  verified: { words: 'Verified', colour: GREEN },
  protected: { words: 'Asks for Credential, Not Verified', colour: BLUE },
  declared: { words: 'Declared, Not Verified', colour: BLUE },
  none: { words: 'Not Verified', colour: GREY },
};

/** What a badge says in words. */
export function badgeWords(shown: Shown): string {
  return SAYS[shown].words;
}

/** A badge of two fields: no script, no style sheet, nothing loaded from elsewhere. */
export function badgeSvg(label: string, shown: Shown): string {
  const { words: right, colour } = SAYS[shown];
  const left = label;
  const [leftWidth, rightWidth] = [widthOf(left), widthOf(right)];
  const width = leftWidth + rightWidth;
  const title = markupText(`${left}: ${right}`);
  const text = (x: number, words: string) =>
    `<text x="${x}" y="14" text-anchor="middle" fill="#fff" font-family="${FONT}" font-size="11">${markupText(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="20" rx="3" fill="#374151"/>`,
    `<path d="M${leftWidth} 0h${rightWidth - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${rightWidth - 3}z" fill="${colour}"/>`,
    text(leftWidth / 2, left),
    text(leftWidth + rightWidth / 2, right),
    '</svg>',
  ].join('');
}

function widthOf(words: string): number {
  return Math.ceil(Array.from(words).length * 6.6) + 14;
}
