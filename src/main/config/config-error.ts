/** Every mistake in the environment, or on the command line, by name. */
export class ConfigError extends Error {
  readonly mistakes: readonly string[];
  constructor(mistakes: readonly string[], options?: ErrorOptions) {
    super(
      `${mistakes.length === 1 ? 'a setting is' : 'some settings are'} wrong:\n  ${mistakes.join('\n  ')}`,
      options,
    );
    this.name = 'ConfigError';
    this.mistakes = mistakes;
  }
}
