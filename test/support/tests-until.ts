/** No test begins after this time, in milliseconds since 1970: `TESTS_UNTIL`, in seconds; without it, any may. */
export const TESTS_UNTIL_MS = Number(process.env['TESTS_UNTIL'] ?? Infinity) * 1000;
