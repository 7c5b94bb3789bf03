// `failed-files.mjs REPORT`: the files in which a test failed, by vitest's JSON report, a line each; none if so many failed that it is
// no chance.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Files that may fail by chance in one part. */
const MOST = 6;

const [path = ''] = process.argv.slice(2);
const { testResults = [] } = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative('.', name));
if (failed.length <= MOST) for (const name of failed) console.log(name);
