import { resolve } from 'node:path';

/** Where the operator keeps private keys: as the text of a setting, or in a file that another names. */
export interface KeySetting {
  /** The name of the setting with the text; that of the file has `_FILE` behind it. */
  name: string;
  text: string | undefined;
  file: string | undefined;
}

/** A secret by name: the text of that variable, or in the file that the variable with `_FILE` behind it names. */
export function secretsOf(env: NodeJS.ProcessEnv, cwd: string): (name: string) => KeySetting {
  return (name) => {
    const [text, file] = [env[name], env[`${name}_FILE`]].map((given) => (given === '' ? undefined : given));
    return { name, text, file: file === undefined ? undefined : resolve(cwd, file) };
  };
}
