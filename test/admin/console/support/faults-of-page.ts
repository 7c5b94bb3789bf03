import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Rules of axe that depend on colours or on how much room there is; the others find the same at every width, light and dark. */
const BY_LOOK = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block', 'summary-name'];
const ALL = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The least height and width of what is pressed, in CSS pixels (WCAG 2.2, 2.5.8). */
const LEAST_PX = 24;

/** Whatever is pressed, by its text, that is smaller than it should be; a link within a sentence is as high as its line. */
const SMALL_TARGETS = `(() => {
  const says = (one) => one.textContent.trim();
  const isInSentence = (one) => getComputedStyle(one).display === 'inline' && says(one.parentElement) !== says(one);
  return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')].flatMap((one) => {
    const { width, height, right } = one.getBoundingClientRect();
    const isSmall = width < ${LEAST_PX} || height < ${LEAST_PX};
    if (!isSmall || width === 0 || right < 0 || isInSentence(one)) return [];
    return [one.nodeName + ' ' + (says(one) || one.name) + ': ' + Math.round(width) + ' by ' + Math.round(height)];
  });
})()`;

/** Tables of which a part is out of sight, by what they list. */
const CUT_TABLES = `[...document.querySelectorAll('.scroll')].flatMap((one) =>
  one.scrollWidth > one.clientWidth ? ['the table "' + one.getAttribute('aria-label') + '" scrolls sideways'] : [])`;

/** Whether a row of a table is another height than the moment before, because time has passed. */
const ROWS_THAT_MOVE = `(() => {
  const times = [...document.querySelectorAll('td time[title]')];
  const heights = () => [...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().height).join();
  const said = times.map((one) => one.textContent);
  const seen = ['1 second ago', '59 seconds ago', '59 minutes ago', '2 days ago'].map((words) => {
    for (const one of times) one.textContent = words;
    return heights();
  });
  times.forEach((one, i) => { one.textContent = said[i]; });
  return new Set(seen).size > 1 ? ['rows change their height as time passes'] : [];
})()`;

/**
 * What is wrong with the page that is open: with every form of it open, wide and light, narrow and dark, and at 200 % of 1280 pixels; by
 * axe, by whether it or, where that is narrow, a table of it scrolls sideways, by the size of what is pressed, and by whether rows move as time passes. The page must take scripts of the test's.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults: string[] = [];
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
  await page.evaluate(axe.source);
  const looks = [
    [1280, 800, 'light', { runOnly: ALL }],
    [390, 800, 'dark', { runOnly: { type: 'rule', values: BY_LOOK } }],
    [640, 400, 'dark', undefined],
  ] as const;
  for (const [width, height, colorScheme, rules] of looks) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    const isWide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
    const found = isWide === true ? ['scrolls sideways'] : [];
    found.push(...(await page.evaluate<string[]>(SMALL_TARGETS)));
    found.push(...(await page.evaluate<string[]>(ROWS_THAT_MOVE)));
    if (width < 1280) found.push(...(await page.evaluate<string[]>(CUT_TABLES)));
    if (rules !== undefined) {
      const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
        `axe.run(${JSON.stringify({ ...rules, resultTypes: ['violations'] })})`,
      );
      found.push(...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`));
    }
    faults.push(...found.map((fault) => `${width} pixels wide, ${colorScheme}: ${fault}`));
  }
  return faults;
}
