import { z } from 'zod';

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Hours of some days of the week in UTC, as reports are (rule B14); the end is not part of it. */
export const DaypartTarget = z
  .strictObject({
    days: z.array(z.enum(DAYS)).min(1, 'must not be empty').max(DAYS.length, 'send each day once'),
    start_hour: z.int().min(0, 'must be 0 to 23').max(23, 'must be 0 to 23'),
    end_hour: z.int().min(1, 'must be 1 to 24').max(24, 'must be 1 to 24'),
    /** The buyer's own name for it. */
    label: z.string().max(255, 'must be at most 255 characters').optional(),
  })
  .refine(({ start_hour, end_hour }) => end_hour > start_hour, {
    path: ['end_hour'],
    error: 'must be after start_hour; send two entries for a night',
  });
export type DaypartTarget = z.infer<typeof DaypartTarget>;

/** A daypart in the ad server's form, such as `mon-fri 06:00-10:00 Etc/UTC`: one for each run of days. Pure. */
export function dayparts({ days, start_hour, end_hour }: DaypartTarget): string[] {
  const hours = `${hourText(start_hour)}-${hourText(end_hour)} Etc/UTC`;
  return runsOf(DAYS.flatMap((day, i) => (days.includes(day) ? [i] : []))).map(([first, last]) => {
    const range = first === last ? shortName(first) : `${shortName(first)}-${shortName(last)}`;
    return `${range} ${hours}`;
  });
}

/** The first and last of each unbroken run of ascending numbers. */
function runsOf(numbers: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const n of numbers) {
    const run = runs.at(-1);
    if (run?.[1] === n - 1) run[1] = n;
    else runs.push([n, n]);
  }
  return runs;
}

function shortName(day: number): string {
  return DAYS[day]?.slice(0, 3) ?? '';
}

function hourText(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}
