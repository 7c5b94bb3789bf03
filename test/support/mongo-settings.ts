/** What seals on the MongoDB of a test. */
export const SECRET_OF_TESTS = 'the secret of the tests that seals nothing of anybody';

/** The settings of an installation that keeps everything in this database: there it cannot have a secret of its own (rule S4). */
export function onMongodb(url: string | undefined): { MONGODB_URL?: string; SECRET_KEY?: string } {
  return url === undefined ? {} : { MONGODB_URL: url, SECRET_KEY: SECRET_OF_TESTS };
}
