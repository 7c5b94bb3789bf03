// Source maps made small: which line of which own source a line of the bundle comes from, and nothing of libraries. They
// are read at every start and searched when an error's stack is; whole ones cost more than they tell.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]));

/**
 * @param {string} text a source map, version 3, as esbuild writes it
 * @returns {string} the same one without columns, names, and the places of node_modules
 */
export function lineMap(text) {
  const map = JSON.parse(text);
  const own = map.sources.map((source) => !source.includes('node_modules/'));
  const kept = new Map();
  const last = { source: 0, line: 0, column: 0 };
  const written = { source: 0, line: 0 };
  const mappings = map.mappings.split(';').map((generated) => {
    let column = 0;
    let writtenColumn = 0;
    let before = '';
    const segments = [];
    for (const segment of generated === '' ? [] : generated.split(',')) {
      const [columns, sources, lines, originalColumns] = decoded(segment);
      column += columns;
      last.source += sources ?? 0;
      last.line += lines ?? 0;
      last.column += originalColumns ?? 0;
      const isOwn = sources !== undefined && own[last.source];
      const place = isOwn ? `${last.source}:${last.line}` : '';
      if (place === before) continue;
      before = place;
      const fields = [column - writtenColumn];
      writtenColumn = column;
      if (isOwn) {
        if (!kept.has(last.source)) kept.set(last.source, kept.size);
        const source = kept.get(last.source);
        fields.push(source - written.source, last.line - written.line, 0);
        Object.assign(written, { source, line: last.line });
      }
      segments.push(fields.map(encoded).join(''));
    }
    return segments.join(',');
  });
  const sources = [...kept.keys()].map((index) => map.sources[index]);
  return JSON.stringify({ version: 3, sources, names: [], mappings: mappings.join(';') });
}

/** The numbers of one segment, each in base 64 with the sign in the lowest bit. */
function decoded(segment) {
  const numbers = [];
  let number = 0;
  let shift = 0;
  for (const digit of segment) {
    const value = VALUES.get(digit);
    number += (value & 31) << shift;
    shift += 5;
    if (value & 32) continue;
    numbers.push(number & 1 ? -(number >> 1) : number >> 1);
    number = 0;
    shift = 0;
  }
  return numbers;
}

function encoded(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const value = rest & 31;
    rest >>= 5;
    text += DIGITS[rest > 0 ? value | 32 : value];
  } while (rest > 0);
  return text;
}
