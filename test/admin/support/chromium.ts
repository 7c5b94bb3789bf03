import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The browser of this machine; undefined where it has none. */
export const chromiumPath = ['chromium', 'chromium-browser'].flatMap((name) => onPath(name) ?? [])[0];

function onPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((dir) => join(dir, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
