/**
 * Numbers of many hours or days, as text: each with the number of its hour or day, `slot:n,n,…`, parted by spaces. Slots
 * without anything are left out. One text is read many times as fast as as many numbers in a row of the store.
 */
export type Slots = string;
export const NO_SLOTS: Slots = '';

/** What slots of so many numbers each look like. */
export function slotsPattern(count: number): RegExp {
  return new RegExp(`^(?:\\d+:\\d+(?:,\\d+){${count - 1}}(?: (?=\\d)|$))*$`);
}

/** The whole numbers of a text, whatever stands between them. */
export function numbersIn(text: string): number[] {
  const numbers: number[] = [];
  let number = -1;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit >= 0 && digit <= 9) number = Math.max(0, number) * 10 + digit;
    else if (number >= 0) {
      numbers.push(number);
      number = -1;
    }
  }
  if (number >= 0) numbers.push(number);
  return numbers;
}

/** The slots with this one's numbers set, in the order of the slots. */
export function withNumbers(slots: Slots, slot: number, numbers: readonly number[]): Slots {
  const width = numbers.length + 1;
  const found = numbersIn(slots);
  const all = new Map([[slot, numbers]]);
  for (let i = 0; i + width <= found.length; i += width) {
    const other = found[i] ?? 0;
    if (other !== slot) all.set(other, found.slice(i + 1, i + width));
  }
  return [...all]
    .sort(([a], [b]) => a - b)
    .map(([number, its]) => `${number}:${its.join(',')}`)
    .join(' ');
}
