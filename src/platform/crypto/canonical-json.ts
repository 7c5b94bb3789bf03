import { createHash } from 'node:crypto';
/**
 * The canonical form of a JSON value (RFC 8785): members sorted by UTF-16 code units, no white space, numbers and
 * strings as ECMAScript writes them. Members whose value is undefined are left out.
 * @throws {TypeError} for what JSON cannot hold, such as NaN or a function.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'object' && value !== null) {
    // By hand: every write of a buy passes here twice.
    let text = '';
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) text += `${text === '' ? '' : ','}${canonicalJson(item ?? null)}`;
      return `[${text}]`;
    }
    const members = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(members).sort(byCodeUnits)) {
      const member = members[name];
      if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
    }
    return `{${text}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('JSON has no such number');
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new TypeError(`JSON cannot hold a ${typeof value}`);
  return text;
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** SHA-256 over the canonical form, in lower-case hex: the same for the same value, however its members are ordered. */
export function canonicalDigest(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
