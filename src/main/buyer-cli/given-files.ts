import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config/config-error.ts';
import { messageOf } from '../process/process.ts';

/**
 * The bytes of a file that an option names.
 * @throws {ConfigError} naming the option, when it cannot be read
 */
export async function readGiven(option: string, path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw new ConfigError([`${option}: ${messageOf(error)}`]);
  });
}

/**
 * The JSON of such a file.
 * @throws {ConfigError} naming the option, also when it is not JSON
 */
export async function readJsonFile(option: string, path: string): Promise<unknown> {
  const text = (await readGiven(option, path)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError([`${option}: ${path} is no JSON: ${messageOf(error)}`]);
  }
}
