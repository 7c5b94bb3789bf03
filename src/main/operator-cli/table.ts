/** Rows under their headings, in columns as wide as they need to be; the last one may run on. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(printable));
  const widths = headings.map((_, i) => Math.max(...lines.map((line) => (line[i] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Names and values, one a line; those without a value are left out. */
export function facts(entries: readonly (readonly [name: string, value: string | undefined])[]): string {
  const given = entries.filter(
    (entry): entry is readonly [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  const width = Math.max(...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}\n`).join('');
}

/** Text of strangers as a terminal may show it: nothing in it moves the cursor, hides or turns what follows. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');
}

/** JSON for people, indented, with nothing in it that a terminal obeys. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).split('\n').map(printable).join('\n');
}

/** JSON in one line for programs and people: the same value, with nothing in it that a terminal obeys. */
export function jsonLine(value: unknown): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) =>
    one.split('').map(escape).join(''),
  );
  return `${text}\n`;
}

/** How long ago, in the largest unit that says something: `45s`, `12m`, `7h`, `3d`. */
export function age(seconds: number): string {
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
